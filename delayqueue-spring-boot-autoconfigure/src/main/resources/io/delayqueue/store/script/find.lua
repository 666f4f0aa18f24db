-- Tells what is known of a live message.
--
-- KEYS[1..5] schedule, leases, messages, deliveries, meta
-- ARGV[1] identity  ARGV[2] id
-- result {'OK', now in µs, message, due or false, lease end or false, delivery or false}, message false when there is none
--        | {'UNKNOWN'} | {'MISMATCH', identity}
-- cost   O(1), 6 commands
--@include guard
local identity = redis.call('HGET', KEYS[5], 'identity')
if identity ~= ARGV[1] then
  return identity and {'MISMATCH', identity} or {'UNKNOWN'}
end
return {
  'OK',
  nowMicros,
  redis.call('HGET', KEYS[3], ARGV[2]),
  redis.call('ZSCORE', KEYS[1], ARGV[2]),
  redis.call('ZSCORE', KEYS[2], ARGV[2]),
  redis.call('HGET', KEYS[4], ARGV[2])
}
