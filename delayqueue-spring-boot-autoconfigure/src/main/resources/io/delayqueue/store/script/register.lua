-- Registers a topic, or tells how it was registered, which may be with another count than the caller wants. Asked with a
-- count of 0 it only tells, and writes nothing.
--
-- KEYS[1] topics
-- ARGV[1] topic  ARGV[2] shard count wanted by the caller, or 0
-- ARGV[3] epoch that a shard says is over: a registration of it or an earlier one is replaced by a later one of the same
--         count, since other shards of it may hold messages; 0 for none
-- result {count, epoch}, both '0' when the topic is not registered and 0 was wanted | {what else is registered}
-- cost   O(1), at most 3 commands
local known = redis.call('HGET', KEYS[1], ARGV[1])
local over = tonumber(ARGV[3])
if not known and ARGV[2] == '0' then
  return {'0', '0'}
end
local count, epoch = ARGV[2], nil
if known then
  count, epoch = string.match(known, '^(%d+):(%d+)$')
  if not count then
    return {known}
  end
end
if not epoch or tonumber(epoch) <= over then
  local clock = redis.call('TIME')
  epoch = string.format('%.0f', math.max(clock[1] * 1000000 + clock[2], over + 1))
  redis.call('HSET', KEYS[1], ARGV[1], count .. ':' .. epoch)
end
return {count, epoch}
