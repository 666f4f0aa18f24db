-- fragment: an entry of the index, as text: "1 <number> <state> <current topic>", then for each other topic
-- " <since, ms>:<topic>". The state is p(ending) while the push of that number is under way, else s(ettled). Topics are
-- escaped by the caller, so that none holds a blank. The time of an entry is its number: µs since 1970, or a little more
-- where several came within one.
-- needs: KEYS[1] the hash of the bucket, ARGV[1] id
-- gives: nowMicros, nowMs (as text), numberText, parsed, written, letPass
local clock = redis.call('TIME')
local nowMicros = clock[1] * 1000000 + clock[2]
local nowMs = string.format('%.0f', math.floor(nowMicros / 1000))

local function numberText(number)
  return string.format('%016.0f', number)
end

-- nil for what another version wrote
local function parsed(text)
  local number, state, current, rest = string.match(text, '^1 (%d+) ([ps]) (%S+)(.*)$')
  if not number then
    return nil
  end
  local others = {}
  for since, topic in string.gmatch(rest, ' (%d+):(%S+)') do
    others[#others + 1] = {since = since, topic = topic}
  end
  return {number = number, state = state, current = current, others = others}
end

local function written(entry)
  local parts = {'1', entry.number, entry.state, entry.current}
  for _, other in ipairs(entry.others) do
    parts[#parts + 1] = other.since .. ':' .. other.topic
  end
  redis.call('HSET', KEYS[1], ARGV[1], table.concat(parts, ' '))
end

-- a write that is not refused when memory is full lets the others pass; no id is a blank
local function letPass()
  redis.call('HDEL', KEYS[1], ' ')
end
