-- Counts the messages of a queue by state.
--
-- KEYS[1..5] schedule, leases, messages, deliveries, meta  KEYS[6] dead, only in the queue of messages
-- ARGV[1] identity  ARGV[2] largest number of due messages to read  ARGV[3] number of bytes after which reading stops
-- result {'OK', now in µs, scheduled and not yet due, ready, leased, dead, dead and not reviewed, time in ms since
--        which the oldest due message waits, ready and suspect, {} or {limits, arrival or '', hold or '' (see keys.lua),
--        steady time in µs}} | {'UNKNOWN'} | {'MISMATCH', identity}
-- cost   O(log N), 10 commands, and one more for each message that is read; with suspects one more. A message waits from
--        its send if it was sent with a past due time; such messages are read until one that waits longest is found
--@include keys
local deadKey = KEYS[6]
--@include clock
--@include firstdue
--@include head
local identity, reviewed, limits, arrival, hold, jumped = unpack(redis.call(
  'HMGET', metaKey, 'identity', 'reviewed', 'limits', 'arrival', 'hold', 'jumped'))
--@include identity
local all = redis.call('ZCARD', scheduleKey) - 1
local suspects = countSuspects()
local ready = redis.call('ZCOUNT', scheduleKey, '-inf', nowText) + suspects
local oldest, bytes = now, 0
local function readOldest(from, to, offset)
  local due = redis.call('ZRANGEBYSCORE', scheduleKey, from, to, 'WITHSCORES', 'LIMIT', 0, ARGV[2])
  for i = 1, #due, 2 do
    local since = due[i + 1] - offset
    if since >= oldest or bytes > tonumber(ARGV[3]) then
      break
    end
    local message = redis.call('HGET', messagesKey, due[i])
    if message then
      bytes = bytes + #message
      since = hasHead(message) and math.max(since, timeAt(message, 2)) or since
    end
    oldest = math.min(oldest, since)
  end
end
readOldest('-inf', nowText, 0)
if suspects > 0 then
  readOldest(FROM_SUSPECT, TO_SUSPECT, SUSPECT)
end
return {
  'OK',
  nowMicros,
  all - ready,
  ready,
  redis.call('ZCARD', leasesKey) - 1,
  deadKey and redis.call('ZCARD', deadKey) - 1 or 0,
  deadKey and redis.call('ZCOUNT', deadKey, '(' .. (reviewed or '-inf'), '+inf') - 1 or 0,
  textOf(oldest),
  suspects,
  limits and {limits, arrival or '', hold or '', textOf(now - (jumped or 0)) .. string.sub(nowMicros, -3)} or {}
}
