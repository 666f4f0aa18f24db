-- Counts the messages of a queue by state.
--
-- KEYS[1..5] schedule, leases, messages, deliveries, meta  KEYS[6..7] dead, recurring; only in the queue of messages
-- ARGV[1] identity  ARGV[2] largest number of due messages to read  ARGV[3] number of bytes after which reading stops
-- result {'OK', now in µs, scheduled and not yet due, ready, leased, dead, dead and not reviewed, time in ms since
--        which the oldest due message waits, ready and suspect, {} or {limits, arrival or '', hold or '' (see keys.lua),
--        steady time in µs, '1' if no key of a fair topic has a turn because of its limit, else '0'}, {latest due time, due
--        time in the middle of the scheduled messages, time of death of the oldest dead letter that is not reviewed},
--        each '' or in ms, ready and parked, recurring} | {'UNKNOWN'} | {'MISMATCH', identity}
-- cost   O(log N), 7 commands; with ready or scheduled messages or dead letters up to 12, and one more for each message
--        that is read; with suspects one more, in a topic with limits, keys or recurring messages two
--        more, and in a fair topic with limits another one. A message waits from its send if it was
--        sent with a past due time; such messages are read until one that waits longest is found
--@include keys
local deadKey, recurringKey = KEYS[6], KEYS[7]
--@include clock
--@include firstdue
--@include recurring
--@include head
local identity, reviewed, limits, arrival, hold, polledText = unpack(redis.call(
  'HMGET', metaKey, 'identity', 'reviewed', 'limits', 'arrival', 'hold', 'polled'))
--@include identity
--@include polled
-- parked messages are scheduled or ready as those in the schedule
local places = {scheduleKey, parkedDueKey}
local all = redis.call('ZCARD', scheduleKey) - 1 + (keyed and redis.call('ZCARD', parkedDueKey) - 1 or 0)
  - (special and redis.call('ZCOUNT', scheduleKey, recurring.UNARMED, '(' .. NEVER) or 0)
local suspects = countSuspects()
local readyIn = {}
local ready = suspects
for i, place in ipairs(places) do
  readyIn[i] = redis.call('ZCOUNT', place, '-inf', nowText)
  ready = ready + readyIn[i]
end
local oldest, bytes = now, 0
local function readOldest(place, from, to, offset)
  local due = redis.call('ZRANGEBYSCORE', place, from, to, 'WITHSCORES', 'LIMIT', 0, ARGV[2])
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
for i, place in ipairs(places) do
  if readyIn[i] > 0 then
    readOldest(place, '-inf', nowText, 0)
  end
end
if suspects > 0 then
  readOldest(scheduleKey, FROM_SUSPECT, TO_SUSPECT, SUSPECT)
end
local scheduled = all - ready
local latest, middle, oldestDead = '', '', ''
if scheduled > 0 then
  local after, before = '(' .. nowText, '(' .. FROM_SUSPECT
  for _, place in ipairs(places) do
    local due = redis.call('ZREVRANGEBYSCORE', place, before, after, 'WITHSCORES', 'LIMIT', 0, 1)[2]
    if due and (latest == '' or tonumber(due) > tonumber(latest)) then
      latest = due
    end
  end
  middle = latest
end
if scheduled > 1 then
  -- of a topic with keys, the middle of the place that has more of them
  local place, first, n = scheduleKey, readyIn[1], scheduled
  if keyed then
    n = redis.call('ZCOUNT', parkedDueKey, '(' .. nowText, '(' .. NEVER)
    place, first = parkedDueKey, readyIn[2]
    if 2 * n < scheduled then
      place, first, n = scheduleKey, readyIn[1], scheduled - n
    end
  end
  local rank = first + math.floor((n - 1) / 2)
  local due = redis.call('ZRANGE', place, rank, rank, 'WITHSCORES')[2]
  -- messages that a move has taken count as scheduled, see taken.lua
  middle = due and tonumber(due) < SUSPECT and due or latest
end
local keysAtLimit = '0'
if fair and limits then
  local turn = tonumber(redis.call('ZRANGE', activeKey, '0', '0', 'WITHSCORES')[2] or 0)
  keysAtLimit = readyIn[1] == 0 and turn >= AT_LIMIT and turn < tonumber(NEVER) and '1' or '0'
end
local dead = deadKey and redis.call('ZCARD', deadKey) - 1 or 0
local unreviewed = 0
if dead > 0 then
  local from = '(' .. (reviewed or '-inf')
  unreviewed = redis.call('ZCOUNT', deadKey, from, '+inf') - 1
  if unreviewed > 0 then
    oldestDead = redis.call('ZRANGEBYSCORE', deadKey, from, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)[2]
  end
end
return {
  'OK',
  nowMicros,
  scheduled,
  ready,
  redis.call('ZCARD', leasesKey) - 1,
  dead,
  unreviewed,
  textOf(oldest),
  suspects,
  limits and {limits, arrival or '', hold or '', textOf(now - jumped) .. string.sub(nowMicros, -3), keysAtLimit} or {},
  {latest, middle, oldestDead},
  -- in a fair topic, no message waits for another one of its key
  fair and 0 or readyIn[2] or 0,
  special and recurringKey and math.max(0, redis.call('ZCARD', recurringKey) - 1) or 0
}
