-- Reserves an idempotency key for a request, unless it is reserved.
--
-- KEYS[1] reservation (STRING)
-- ARGV[1] wanted reservation  ARGV[2] time to live in ms
-- result {reservation}
-- cost   O(1), 1 or 2 commands
--
-- Repeats do not extend the time to live, because the remembered outcomes in the shards expire shortly after it.
local reserved = redis.call('GET', KEYS[1])
if not reserved then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  reserved = ARGV[1]
end
return {reserved}
