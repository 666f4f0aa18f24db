-- A node says that it lives and what it consumes, and hears who else does and which topics are paused. Runs also when
-- memory is full.
--
-- KEYS[1] nodes by their last heartbeat (ZSET node → ms)  KEYS[2] what each consumes (HASH node → topics)
-- KEYS[3] topics that are paused on all nodes (SET)
-- ARGV[1] node  ARGV[2] topics, one a line  ARGV[3] a node that is silent for so many ms is dead; -1: the caller leaves
-- ARGV[4] version of the list that the caller knows  ARGV[5] signal channel  ARGV[6] canary's number, 0 for none
-- result {version} when the caller knows it, else {version, paused topics, node, topics, node, topics, ...}
-- cost   7 commands, and O(nodes + paused topics) when the list has changed
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
-- a write that is not refused when memory is full lets the others pass
redis.call('HDEL', KEYS[2], '')
local changed = false
if ARGV[3] == '-1' then
  changed = redis.call('ZREM', KEYS[1], ARGV[1]) == 1
  redis.call('HDEL', KEYS[2], ARGV[1])
else
  redis.call('ZADD', KEYS[1], now, ARGV[1])
  if redis.call('HGET', KEYS[2], ARGV[1]) ~= ARGV[2] then
    redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
    changed = true
  end
  local dead = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now - tonumber(ARGV[3]))
  for _, node in ipairs(dead) do
    redis.call('HDEL', KEYS[2], node)
    redis.call('ZREM', KEYS[1], node)
    changed = true
  end
end
if changed then
  -- a time, not a count: after a flush a count would come to say what it had said of another list
  redis.call('HSET', KEYS[2], '#version', clock[1] .. '.' .. clock[2])
  redis.pcall('PUBLISH', ARGV[5], 'm ' .. ARGV[1])
end
if ARGV[6] ~= '0' then
  redis.pcall('PUBLISH', ARGV[5], 'c ' .. ARGV[1] .. ' ' .. ARGV[6])
end
local version = redis.call('HGET', KEYS[2], '#version') or ''
if version == ARGV[4] then
  return {version}
end
local reply = {version, redis.call('SMEMBERS', KEYS[3])}
local all = redis.call('HGETALL', KEYS[2])
for i = 1, #all, 2 do
  if all[i] ~= '#version' then
    reply[#reply + 1] = all[i]
    reply[#reply + 1] = all[i + 1]
  end
end
return reply
