-- Registers a node, the topics that it consumes and its report; removes failed nodes, and remembers removed nodes for an
-- hour. Returns the live nodes and the pauses. Also runs when memory is full.
--
-- KEYS[1] last heartbeats (ZSET node → ms)  KEYS[2] consumed topics (HASH node → topics; field #version: version)
-- KEYS[3] pauses (HASH topic, listener, node → author, time)  KEYS[4] reports (HASH node → report)
-- KEYS[5] former nodes (HASH node → last heartbeat in ms, 'left' or 'failed', line feed, last report)
-- KEYS[6] jobs (HASH)  KEYS[7] requests for stacks (HASH node → listener)
-- ARGV[1] node  ARGV[2] topics, one per line  ARGV[3] node timeout in ms; -1: the node leaves
-- ARGV[4] version that the caller has  ARGV[5] signal channel  ARGV[6] '1': publish a canary  ARGV[7] report
-- ARGV[8] queues of which the caller needs the running listeners on other nodes: a part of their lines, one per line
-- ARGV[9] nodes that have pauses and were not live when the caller read them, one per line
-- result {version, peers} if the caller has this version, else {version, {pause, value, pause, ...}, number of jobs, listener
--        whose stack is requested or '', node, topics, node, topics, ..., peers}; peers: {age of the report in ms, line from the queue on, age, line, ...}
-- cost   O(nodes), 8 commands and two more for each node in ARGV[9]; O(nodes + pauses), 4 commands more if the version has changed; if
--        ARGV[8] is not empty, a command for each node and O(size of its report) more
local heartbeatsKey, topicsKey, pausesKey, reportsKey, formerKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
-- Redis permits all further writes of a script after one that uses no memory, even if memory is full
redis.call('HDEL', topicsKey, '')
local remembered, most = 3600000, 100

local function forgetFormer()
  local former, kept = redis.call('HGETALL', formerKey), {}
  for i = 1, #former, 2 do
    local at = tonumber(string.match(former[i + 1], '^%d+') or 0)
    if at < now - remembered then
      redis.call('HDEL', formerKey, former[i])
    else
      kept[#kept + 1] = {former[i], at}
    end
  end
  table.sort(kept, function(one, other) return one[2] < other[2] end)
  for i = 1, #kept - most do
    redis.call('HDEL', formerKey, kept[i][1])
  end
  redis.call('PEXPIRE', formerKey, remembered)
end

-- a heartbeat is removed last: if the script stops before, the next one removes the node again
local function remove(node, beat, how)
  local report = redis.call('HGET', reportsKey, node) or ''
  redis.call('HSET', formerKey, node, string.format('%.0f', beat) .. ' ' .. how .. '\n' .. report)
  redis.call('HDEL', topicsKey, node)
  redis.call('HDEL', reportsKey, node)
  redis.call('ZREM', heartbeatsKey, node)
  forgetFormer()
end

-- a line: id=...&topic=...&kind=...&state=...&...
local function peers()
  local wanted, found = {}, {}
  for queue in string.gmatch(ARGV[8], '[^\n]+') do
    wanted[queue] = true
  end
  if next(wanted) then
    local beats = redis.call('ZRANGE', heartbeatsKey, 0, -1, 'WITHSCORES')
    for i = 1, #beats, 2 do
      local report = beats[i] ~= ARGV[1] and redis.call('HGET', reportsKey, beats[i]) or ''
      for queue, rest in string.gmatch(report, '&(topic=[^&\n]*&kind=[^&\n]*)(&state=RUNNING&[^\n]*)') do
        if wanted[queue] then
          found[#found + 1] = now - tonumber(beats[i + 1])
          found[#found + 1] = queue .. rest
        end
      end
    end
  end
  return found
end

-- The pauses of a node end with its record. A pause ends with the name of its node.
local function endPauses(node)
  local former = redis.call('HGET', formerKey, node)
  local at = former and tonumber(string.match(former, '^%d+') or 0)
  if redis.call('ZSCORE', heartbeatsKey, node) or at and at >= now - remembered then
    return false
  end
  local ending = '&node=' .. node
  for _, pause in ipairs(redis.call('HKEYS', pausesKey)) do
    if string.sub(pause, -#ending) == ending then
      redis.call('HDEL', pausesKey, pause)
    end
  end
  return true
end

local changed = false
if ARGV[3] == '-1' then
  changed = redis.call('ZSCORE', heartbeatsKey, ARGV[1]) ~= false
  if changed then
    remove(ARGV[1], now, 'left')
  end
else
  redis.call('ZADD', heartbeatsKey, now, ARGV[1])
  if redis.call('HGET', topicsKey, ARGV[1]) ~= ARGV[2] then
    redis.call('HSET', topicsKey, ARGV[1], ARGV[2])
    changed = true
  end
  redis.call('HSET', reportsKey, ARGV[1], ARGV[7])
  local beats = redis.call('ZRANGE', heartbeatsKey, 0, -1, 'WITHSCORES')
  for i = 1, #beats, 2 do
    local node, beat = beats[i], tonumber(beats[i + 1])
    if beat <= now - tonumber(ARGV[3]) then
      remove(node, beat, 'failed')
      changed = true
    elseif beat > now then
      -- the clock went back: without this, a failed node would count as live until the clock has caught up
      redis.call('ZADD', heartbeatsKey, now, node)
    end
  end
  for node in string.gmatch(ARGV[9], '[^\n]+') do
    changed = endPauses(node) or changed
  end
end
if changed then
  -- the version is a time: after a flush, a counter would repeat a version of another list
  redis.call('HSET', topicsKey, '#version', clock[1] .. '.' .. clock[2])
  redis.pcall('PUBLISH', ARGV[5], 'm ' .. ARGV[1])
end
if ARGV[6] == '1' then
  redis.pcall('PUBLISH', ARGV[5], 'c ' .. ARGV[1])
end
local version = redis.call('HGET', topicsKey, '#version') or ''
if version == ARGV[4] then
  return {version, peers()}
end
local reply = {version, redis.call('HGETALL', pausesKey), redis.call('HLEN', KEYS[6]),
  redis.call('HGET', KEYS[7], ARGV[1]) or ''}
local all = redis.call('HGETALL', topicsKey)
for i = 1, #all, 2 do
  if all[i] ~= '#version' then
    reply[#reply + 1] = all[i]
    reply[#reply + 1] = all[i + 1]
  end
end
reply[#reply + 1] = peers()
return reply
