-- Pauses, resumes or removes a recurring message. An occurrence that has started goes on: it is leased or waits for its next
-- attempt. Also runs when memory is full.
--
-- KEYS[1..5] schedule, leases, messages, deliveries, meta  KEYS[6..7] recurring, recurrences
-- ARGV[1] identity  ARGV[2] id  ARGV[3] 'p' pauses | 'r' resumes with the next slot after now | 'x' removes
-- result {'OK', '1' if there is such a message, else '0'} | {'UNKNOWN'} | {'MISMATCH', identity}
-- cost   O(log N), at most 14 commands and a PUBLISH; in a topic with keys up to 12 more
--
-- The recurrence is written first. If the script then stops, a message without it is removed when it ends, and a paused one is
-- paused then.
--@include keys
--@include signals
--@include clock
--@include head
--@include firstdue
local recurringKey, recurrencesKey = KEYS[6], KEYS[7]
local identity = redis.call('HGET', metaKey, 'identity')
--@include identity
--@include order
--@include recurring
--@include successor
local id, action = ARGV[2], ARGV[3]
local recurrence = redis.call('HGET', recurrencesKey, id)
local revision, flag, rest = string.match(recurrence or '', '^(%d+) (%S+) (.*)$')
if not flag then
  return {'OK', '0'}
end
-- Redis permits all further writes of a script after one that uses no memory, even if memory is full
redis.call('HDEL', metaKey, '')
local message = redis.call('HGET', messagesKey, id)
local delivery, successor = divided(redis.call('HGET', deliveriesKey, id))
local place = redis.call('ZSCORE', scheduleKey, id) or keyed and parkedDue(id)
if delivery == '' and successor and message and place ~= recurring.UNARMED then
  -- a script stopped while the occurrence ended
  takeOver(id, successor)
  message, place = redis.call('HGET', messagesKey, id), recurring.UNARMED
end
local started = delivery and delivery ~= '' and (redis.call('ZSCORE', leasesKey, id) or not string.find(delivery, '^%- 0 '))
local firstBefore = keyed and firstOfSchedule()
if action == 'x' then
  redis.call('HDEL', recurrencesKey, id)
  redis.call('ZREM', recurringKey, id)
  if not started then
    local parked = keyed and depart({id}, {message})
    redis.call('HDEL', messagesKey, id)
    redis.call('HDEL', deliveriesKey, id)
    redis.call('ZREM', scheduleKey, id)
    if parked then
      unpark(parked)
    end
  end
else
  redis.call('HSET', recurrencesKey, id, (revision + 1) .. ' ' .. (action == 'p' and 'p' or '-') .. ' ' .. rest)
  if action == 'p' and not started and place and tonumber(place) < SUSPECT then
    local parked = keyed and depart({id}, {message})
    redis.call('ZADD', scheduleKey, recurring.PAUSED, id)
    -- a released message may have a successor; the slot has not been used
    local last = slotOf(successor) and successor or message
    if last then
      redis.call('HSET', messagesKey, id, string.sub(last, 1, 13) .. string.gsub(string.sub(last, 14), ' r=%+?', ' r=+', 1))
    end
    redis.call('HDEL', deliveriesKey, id)
    if parked then
      unpark(parked)
    end
  elseif action == 'r' and place == recurring.PAUSED then
    redis.call('HSET', deliveriesKey, id, '\0@p ' .. nowText .. ' ')
    redis.call('ZADD', scheduleKey, recurring.UNARMED, id)
    signal('h', nowText)
  end
end
if keyed and firstOfSchedule() ~= firstBefore then
  signal('h', firstOfSchedule())
end
return {'OK', '1'}
