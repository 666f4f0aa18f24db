-- Marks the present dead letters of a shard as reviewed. Also runs when memory is full.
--
-- KEYS[1..5] schedule, leases, messages, deliveries, meta
-- ARGV[1] identity
-- result {'OK', now in µs} | {'UNKNOWN'} | {'MISMATCH', identity}
-- cost   O(1), 4 commands
--@include keys
--@include clock
local identity = redis.call('HGET', metaKey, 'identity')
--@include identity
-- Redis permits all further writes of a script after one that uses no memory, even if memory is full
redis.call('HDEL', metaKey, '')
redis.call('HSET', metaKey, 'reviewed', nowText)
return {'OK', nowMicros}
