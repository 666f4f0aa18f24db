-- Moves a scheduled message to another due time; attempts are kept. In an ordered topic it lets go of its key: messages of the
-- key that are due earlier come first.
--
-- KEYS[1..5] schedule, leases, messages, deliveries, meta
-- ARGV[1] identity  ARGV[2] id
-- ARGV[3] due (ms since 1970, or '+' and a delay in ms; below 2^48)
-- optional ARGV[4] a message that was sent after this time, in ms since 1970, counts as not found
-- result {'OK', 'r' rescheduled | 'l' being handled | 'n' not found, or being moved to another topic, due} |
--        {'UNKNOWN'} | {'MISMATCH', identity}
-- cost   O(log N), at most 10 commands, and a PUBLISH if the message is the first of the schedule
--@include keys
--@include signals
--@include clock
--@include packedtime
--@include head
--@include taken
local identity = redis.call('HGET', metaKey, 'identity')
--@include identity
--@include order
local message = redis.call('HGET', messagesKey, ARGV[2])
if not message or (ARGV[4] and hasHead(message) and timeAt(message, 2) > tonumber(ARGV[4])) then
  return {'OK', 'n', ''}
end
local place = redis.call('ZSCORE', scheduleKey, ARGV[2]) or keyed and parkedDue(ARGV[2])
local delivery = redis.call('HGET', deliveriesKey, ARGV[2]) or ''
-- in the hands of a move, or unarmed or paused, see recurring.lua
if place and tonumber(place) >= TAKEN then
  return {'OK', 'n', ''}
end
-- scheduled with a token or a zero byte: a script stopped while it claimed the message or ended it
if not place or string.find(delivery, '^[%w.]+%-%w') or string.find(delivery, '^%z') then
  return {'OK', 'l', ''}
end
local due = ARGV[3]
if string.byte(due) == 43 then
  due = textOf(now + due)
end
if hasHead(message) then
  local moved = string.sub(message, 1, 7) .. packedTime(tonumber(due)) .. string.sub(message, 14)
  redis.call('HSET', messagesKey, ARGV[2], moved)
end
local before, after = string.match(delivery, '^(- %S+ )%d+(.*)$')
if before then
  redis.call('HSET', deliveriesKey, ARGV[2], before .. due .. after)
end
local key, sequence
if keyed then
  key, sequence = keyOf(message)
end
if key then
  local firstBefore = firstOfSchedule()
  occupy(enter({{ARGV[2], key, sequence, tonumber(due), message}}))
  if firstOfSchedule() ~= firstBefore then
    signal('h', firstOfSchedule())
  end
else
  redis.call('ZADD', scheduleKey, due, ARGV[2])
  if redis.call('ZRANK', scheduleKey, ARGV[2]) == 0 then
    signal('h', due)
  end
end
return {'OK', 'r', due}
