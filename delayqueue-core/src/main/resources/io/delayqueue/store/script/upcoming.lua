-- Counts scheduled messages by due time.
--
-- KEYS[1..5] schedule, leases, messages, deliveries, meta
-- ARGV[1] identity  ARGV[2] width of a bucket in ms  ARGV[3] buckets (1..120)  ARGV[4] sentinel
-- result {'OK', now in µs, due now or before, {due after now in each bucket}, due later, latest due time in ms or ''}
--        | {'UNKNOWN'} | {'MISMATCH', identity}
-- cost   O(buckets log N), one command for each bucket up to the latest due time and 7 more
--@include keys
--@include clock
--@include firstdue
local identity = redis.call('HGET', metaKey, 'identity')
--@include identity
local width = tonumber(ARGV[2])
local due = redis.call('ZCOUNT', scheduleKey, '-inf', nowText)
local counts, seen = {}, due
local after, before = '(' .. nowText, '(' .. FROM_SUSPECT
local latest = redis.call('ZREVRANGEBYSCORE', scheduleKey, before, after, 'WITHSCORES', 'LIMIT', 0, 1)[2]
local last = tonumber(latest or 0)
for bucket = 1, tonumber(ARGV[3]) do
  local by = seen
  if now + (bucket - 1) * width < last then
    by = redis.call('ZCOUNT', scheduleKey, '-inf', textOf(now + bucket * width))
  end
  counts[bucket] = by - seen
  seen = by
end
local all = redis.call('ZCARD', scheduleKey) - (redis.call('ZSCORE', scheduleKey, ARGV[4]) and 1 or 0)
local suspects = countSuspects()
return {'OK', nowMicros, due + suspects, counts, all - seen - suspects, latest or ''}
