-- Moves a scheduled message to another due time; attempts are kept.
--
-- KEYS[1..5] schedule, leases, messages, deliveries, meta
-- ARGV[1] identity  ARGV[2] signal channel  ARGV[3] queue's signal name  ARGV[4] id
-- ARGV[5] due (ms since 1970, or '+' and a delay in ms; below 2^48)
-- optional ARGV[6] a message that was sent after this time, in ms since 1970, counts as not found
-- result {'OK', 'r' rescheduled | 'l' being handled | 'n' not found, or being moved to another topic, due} |
--        {'UNKNOWN'} | {'MISMATCH', identity}
-- cost   O(log N), at most 10 commands, and a PUBLISH if the message is the first of the schedule
--@include keys
--@include clock
--@include packedtime
--@include head
--@include taken
local identity = redis.call('HGET', metaKey, 'identity')
--@include identity
local message = redis.call('HGET', messagesKey, ARGV[4])
if not message or (ARGV[6] and hasHead(message) and timeAt(message, 2) > tonumber(ARGV[6])) then
  return {'OK', 'n', ''}
end
local place = redis.call('ZSCORE', scheduleKey, ARGV[4])
local delivery = redis.call('HGET', deliveriesKey, ARGV[4]) or ''
-- scheduled with a token or a zero byte: a script stopped while it claimed the message or ended it
if not place or string.find(delivery, '^[%w.]+%-%w') or string.find(delivery, '^%z') then
  return {'OK', 'l', ''}
end
if tonumber(place) >= TAKEN then
  return {'OK', 'n', ''}
end
local due = ARGV[5]
if string.byte(due) == 43 then
  due = textOf(now + due)
end
if hasHead(message) then
  local moved = string.sub(message, 1, 7) .. packedTime(tonumber(due)) .. string.sub(message, 14)
  redis.call('HSET', messagesKey, ARGV[4], moved)
end
local before, after = string.match(delivery, '^(- %S+ )%d+(.*)$')
if before then
  redis.call('HSET', deliveriesKey, ARGV[4], before .. due .. after)
end
redis.call('ZADD', scheduleKey, due, ARGV[4])
if redis.call('ZRANK', scheduleKey, ARGV[4]) == 0 then
  redis.pcall('PUBLISH', ARGV[2], 'h ' .. ARGV[3] .. ' ' .. due)
end
return {'OK', 'r', due}
