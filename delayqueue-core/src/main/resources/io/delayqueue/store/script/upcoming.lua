-- Counts scheduled messages by due time.
--
-- KEYS[1..5] schedule, leases, messages, deliveries, meta
-- ARGV[1] identity  ARGV[2] width of a bucket in ms  ARGV[3] buckets (1..120)  ARGV[4] sentinel
-- result {'OK', now in µs, due now or before, {due after now in each bucket}, due later}
--        | {'UNKNOWN'} | {'MISMATCH', identity}
-- cost   O(buckets log N), one command for each bucket and 6 more
--@include keys
--@include clock
--@include firstdue
local identity = redis.call('HGET', metaKey, 'identity')
--@include identity
local width = tonumber(ARGV[2])
local due = redis.call('ZCOUNT', scheduleKey, '-inf', nowText)
local counts, seen = {}, due
for bucket = 1, tonumber(ARGV[3]) do
  local by = redis.call('ZCOUNT', scheduleKey, '-inf', textOf(now + bucket * width))
  counts[bucket] = by - seen
  seen = by
end
local all = redis.call('ZCARD', scheduleKey) - (redis.call('ZSCORE', scheduleKey, ARGV[4]) and 1 or 0)
local suspects = countSuspects()
return {'OK', nowMicros, due + suspects, counts, all - seen - suspects}
