-- Registers a topic, or tells how it was registered. Asked with a count of 0 it only tells, and writes nothing.
--
-- KEYS[1] topics
-- ARGV[1] topic  ARGV[2] shard count wanted by the caller, or 0
-- ARGV[3] epoch that a shard says is over: a registration of it or an earlier one is replaced by a later one; 0 for none
-- result {count, epoch}, both '0' when the topic is not registered and 0 was wanted
-- cost   O(1), at most 3 commands
local known = redis.call('HGET', KEYS[1], ARGV[1])
local over = tonumber(ARGV[3])
if known and over > 0 and tonumber(string.match(known, ':(%d+)$')) <= over then
  known = nil
end
if not known and ARGV[2] == '0' then
  return {'0', '0'}
end
if not known then
  local clock = redis.call('TIME')
  local epoch = math.max(clock[1] * 1000000 + clock[2], over + 1)
  known = ARGV[2] .. ':' .. string.format('%.0f', epoch)
  redis.call('HSET', KEYS[1], ARGV[1], known)
end
local count, epoch = string.match(known, '^(%d+):(%d+)$')
return {count, epoch}
