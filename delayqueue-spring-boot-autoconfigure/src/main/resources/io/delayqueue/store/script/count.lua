-- Counts a lane.
--
-- KEYS[1..5] schedule, leases, messages, deliveries, meta  KEYS[6] dead, only in the lane of messages
-- ARGV[1] identity
-- result {'OK', now in µs, scheduled and not yet due, ready, leased, dead, oldest due in ms}
--        | {'UNKNOWN'} | {'MISMATCH', identity}
-- cost   O(log N), 7 commands
--@include guard
local identity = redis.call('HGET', KEYS[5], 'identity')
if identity ~= ARGV[1] then
  return identity and {'MISMATCH', identity} or {'UNKNOWN'}
end
local all = redis.call('ZCARD', KEYS[1]) - 1
local ready = redis.call('ZCOUNT', KEYS[1], '-inf', nowText)
return {
  'OK',
  nowMicros,
  all - ready,
  ready,
  redis.call('ZCARD', KEYS[2]) - 1,
  KEYS[6] and redis.call('ZCARD', KEYS[6]) - 1 or 0,
  redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2]
}
