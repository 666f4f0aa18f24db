-- Reads a live message with its due time, lease and delivery.
--
-- KEYS[1..5] schedule, leases, messages, deliveries, meta
-- ARGV[1] identity  ARGV[2] id
-- result {'OK', now in µs, message as in live.lua} | {'UNKNOWN'} | {'MISMATCH', identity}
-- cost   O(1), at most 7 commands
--@include keys
--@include clock
local identity, polledText = unpack(redis.call('HMGET', metaKey, 'identity', 'polled'))
--@include identity
--@include polled
--@include live
return {'OK', nowMicros, live(ARGV[2])}
