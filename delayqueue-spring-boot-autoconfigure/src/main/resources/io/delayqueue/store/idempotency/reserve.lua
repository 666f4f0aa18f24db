-- Reserves an idempotency key for a request, unless it is reserved.
--
-- KEYS[1] what the key is reserved for (STRING)
-- ARGV[1] what it would be reserved for  ARGV[2] for how many ms
-- result {what it is reserved for}
-- cost   O(1), 1 or 2 commands
--
-- The time is not prolonged by repeats: what the shards remember ends a little after it.
local reserved = redis.call('GET', KEYS[1])
if not reserved then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  reserved = ARGV[1]
end
return {reserved}
