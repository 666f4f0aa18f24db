-- fragment: an entry of the index, as text: "1 <version> <state> <current topic>", then for each other topic
-- " <since, ms>:<topic>". The 1 is the number of this format. The state is p (pending) until the push with that version
-- is settled, then s (settled). The caller escapes topics, so that they contain no blanks. The version of an entry is
-- the time of its push in µs since 1970, or slightly more if several pushes start within one µs.
-- gives: nowMicros, nowMs (as text), versionText, parsed, stored, written, entered, passMemoryCheck
local clock = redis.call('TIME')
local nowMicros = clock[1] * 1000000 + clock[2]
local nowMs = string.format('%.0f', math.floor(nowMicros / 1000))

local function versionText(version)
  return string.format('%016.0f', version)
end

-- returns nil for an entry in another format
local function parsed(text)
  local version, state, current, rest = string.match(text, '^1 (%d+) ([ps]) (%S+)(.*)$')
  if not version then
    return nil
  end
  local others = {}
  if rest ~= '' then
    for since, topic in string.gmatch(rest, ' (%d+):(%S+)') do
      others[#others + 1] = {since = since, topic = topic}
    end
  end
  return {version = version, state = state, current = current, others = others}
end

-- returns the entry of an id, or nil, and the reply if it is unreadable
local function stored(key, id)
  local text = redis.call('HGET', key, id)
  local entry = text and parsed(text)
  return entry or nil, text and not entry and {'UNREADABLE', text} or nil
end

local function written(key, id, entry)
  local text = '1 ' .. entry.version .. ' ' .. entry.state .. ' ' .. entry.current
  for _, other in ipairs(entry.others) do
    text = text .. ' ' .. other.since .. ':' .. other.topic
  end
  redis.call('HSET', key, id, text)
end

-- When memory is full, Redis rejects writes only until the first write of a script. It never rejects HDEL, so the
-- writes after it are permitted. No id is a blank.
local function passMemoryCheck(key)
  redis.call('HDEL', key, ' ')
end

-- begins a push: makes the topic current, and the previous current topic one of the others, which are appended to a reply
local function entered(key, id, before, topic, version, reply)
  local entry = {version = version, state = 'p', current = topic, others = {}}
  local function keep(other)
    if other.topic ~= topic then
      entry.others[#entry.others + 1] = other
      reply[#reply + 1] = other.topic
    end
  end
  if before then
    for _, other in ipairs(before.others) do
      keep(other)
    end
    keep({since = nowMs, topic = before.current})
  end
  written(key, id, entry)
  return reply
end
