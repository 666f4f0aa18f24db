-- Schedules the messages of dead letters again, with no attempts, without their absolute expiry, no longer debounced or recurring.
--
-- KEYS[1..5] schedule, leases, messages, deliveries, meta  KEYS[6] dead  KEYS[7] deadLetters
-- KEYS[8..12] notifications.schedule, notifications.leases, notifications.messages, notifications.deliveries,
-- notifications.meta
-- ARGV[1] identity
-- ARGV[2] due (ms since 1970, or '+' and a delay in ms; below 2^48)  ARGV[3..] dead letter ids, at most 500
-- result {'OK', a letter for each id: 'r' replayed | 'l' the message id is live | 'u' unreadable | 'n' not found}
--        | {'UNKNOWN'} | {'MISMATCH', identity}
-- cost   O(n log N), 3 commands and at most 11 for each dead letter, and a PUBLISH if none is due earlier
--
-- A message is stored before the dead letter is removed. If the script stops in between, the live message equals that of the
-- dead letter, and the repeat only removes the dead letter. The dead letter is kept if the live message equals it but has ended:
-- a script stopped while it dead-lettered the message, and its successor takes over next. The entry by which retention finds
-- the dead letter is removed last.
--@include keys
--@include signals
local deadKey, deadLettersKey = KEYS[6], KEYS[7]
local notificationsScheduleKey, notificationsLeasesKey = KEYS[8], KEYS[9]
local notificationsMessagesKey, notificationsDeliveriesKey = KEYS[10], KEYS[11]
--@include clock
--@include packedtime
--@include head
--@include successor
local identity = redis.call('HGET', metaKey, 'identity')
--@include identity
--@include order
local firstBefore = keyed and firstOfSchedule()
local function withDue(message, time)
  if not hasHead(message) then
    return message
  end
  local lineEnd = string.find(message, '\n', 14, true) or #message + 1
  local line = string.gsub(string.sub(message, 14, lineEnd - 1), ' [edrs]=%+?[%d/]+', '')
  return string.sub(message, 1, 7) .. time .. line .. string.sub(message, lineEnd)
end

local due = ARGV[2]
if string.byte(due) == 43 then
  due = textOf(now + due)
end
local dueTime = packedTime(tonumber(due))

local function replayed(deadLetterId)
  local id = string.match(deadLetterId, '^(.*)@[^@]*$')
  local record = redis.call('HGET', deadLettersKey, deadLetterId)
  if not record then
    if id then
      redis.call('ZREM', deadKey, deadLetterId) -- left by a replay or purge that stopped midway
    end
    return 'n'
  end
  -- a foreign client or a newer version may have written the record
  local line = string.find(record, '\n', 1, true)
  local failure = line and tonumber(string.match(string.sub(record, 1, line - 1), '^1 .* (%d+)$'))
  if not id or not failure or line + failure >= #record then
    return 'u'
  end
  local message = string.sub(record, line + 1 + failure + 1)
  local live = redis.call('HGET', messagesKey, id)
  if live and (slotOf(live) or withDue(live, '') ~= withDue(message, '') or hasEnded(redis.call('HGET', deliveriesKey, id))) then
    return 'l'
  end
  if not live then
    local stored, changes = withDue(message, dueTime), nil
    if keyed and string.find(message, ' k=', 14, true) then
      -- it joins at the end of its key
      local sequence = arrived(tonumber(due))
      recordArrivals()
      stored = sequenced(stored, sequence)
      local key = keyOf(stored)
      changes = key and enter({{id, key, sequence, tonumber(due)}})
    end
    if not changes then
      redis.call('ZADD', scheduleKey, due, id)
    end
    redis.call('HDEL', deliveriesKey, id)
    redis.call('ZREM', leasesKey, id)
    redis.call('HSET', messagesKey, id, stored)
    if changes then
      occupy(changes)
    end
  end
  redis.call('HDEL', notificationsMessagesKey, deadLetterId)
  redis.call('HDEL', notificationsDeliveriesKey, deadLetterId)
  redis.call('ZREM', notificationsScheduleKey, deadLetterId)
  redis.call('ZREM', notificationsLeasesKey, deadLetterId)
  redis.call('HDEL', deadLettersKey, deadLetterId)
  redis.call('ZREM', deadKey, deadLetterId)
  return live and 'r' or 'R'
end

local outcomes = {}
for i = 3, #ARGV do
  outcomes[#outcomes + 1] = replayed(ARGV[i])
end
local all = table.concat(outcomes)
if keyed and firstOfSchedule() ~= firstBefore then
  signal('h', firstOfSchedule())
end
local first = not keyed and string.find(all, 'R', 1, true) and redis.call('ZRANGE', scheduleKey, '0', '0', 'WITHSCORES')[2]
if first and tonumber(first) == tonumber(due) then
  signal('h', due)
end
return {'OK', string.lower(all)}
