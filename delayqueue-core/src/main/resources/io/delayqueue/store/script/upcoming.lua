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
--@include recurring
local identity = redis.call('HGET', metaKey, 'identity')
--@include identity
local width = tonumber(ARGV[2])
-- parked messages are counted, too
local places = {scheduleKey, parkedDueKey}
local function countUntil(time)
  local n = 0
  for _, place in ipairs(places) do
    n = n + redis.call('ZCOUNT', place, '-inf', time)
  end
  return n
end
local due = countUntil(nowText)
local counts, seen = {}, due
local after, before = '(' .. nowText, '(' .. FROM_SUSPECT
local latest
for _, place in ipairs(places) do
  local last = redis.call('ZREVRANGEBYSCORE', place, before, after, 'WITHSCORES', 'LIMIT', 0, 1)[2]
  latest = last and (not latest or tonumber(last) > tonumber(latest)) and last or latest
end
local last = tonumber(latest or 0)
for bucket = 1, tonumber(ARGV[3]) do
  local by = seen
  if now + (bucket - 1) * width < last then
    by = countUntil(textOf(now + bucket * width))
  end
  counts[bucket] = by - seen
  seen = by
end
local all = 0
for _, place in ipairs(places) do
  all = all + redis.call('ZCARD', place) - (redis.call('ZSCORE', place, ARGV[4]) and 1 or 0)
    - (special and redis.call('ZCOUNT', place, recurring.UNARMED, '(' .. NEVER) or 0)
end
local suspects = countSuspects()
return {'OK', nowMicros, due + suspects, counts, all - seen - suspects, latest or ''}
