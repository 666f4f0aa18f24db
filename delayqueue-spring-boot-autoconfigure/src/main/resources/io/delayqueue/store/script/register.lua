-- Registers a topic, or tells how it was registered. Asked with a count of 0 it only tells, and writes nothing.
--
-- KEYS[1] topics
-- ARGV[1] topic  ARGV[2] shard count wanted by the caller, or 0
-- result {count, epoch}, both '0' when the topic is not registered and 0 was wanted
-- cost   O(1), at most 3 commands
local known = redis.call('HGET', KEYS[1], ARGV[1])
if not known and ARGV[2] == '0' then
  return {'0', '0'}
end
if not known then
  local clock = redis.call('TIME')
  known = ARGV[2] .. ':' .. clock[1] .. string.format('%06d', clock[2])
  redis.call('HSET', KEYS[1], ARGV[1], known)
end
local count, epoch = string.match(known, '^(%d+):(%d+)$')
return {count, epoch}
