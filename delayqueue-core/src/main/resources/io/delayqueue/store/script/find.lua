-- Reads a live message with its due time, lease and delivery.
--
-- KEYS[1..5] schedule, leases, messages, deliveries, meta
-- ARGV[1] identity  ARGV[2] id
-- result {'OK', now in µs, message, due or false, lease end or false, delivery or false}, message false if it is not
--        live | {'UNKNOWN'} | {'MISMATCH', identity}
-- cost   O(1), 6 commands
--@include keys
--@include clock
local identity, polledText = unpack(redis.call('HMGET', metaKey, 'identity', 'polled'))
--@include identity
--@include polled
local leaseEnd = redis.call('ZSCORE', leasesKey, ARGV[2])
return {
  'OK',
  nowMicros,
  redis.call('HGET', messagesKey, ARGV[2]),
  redis.call('ZSCORE', scheduleKey, ARGV[2]) or ordered and redis.call('ZSCORE', parkedDueKey, ARGV[2]),
  leaseEnd and string.format('%.0f', leaseEnd + jumped + behind),
  redis.call('HGET', deliveriesKey, ARGV[2])
}
