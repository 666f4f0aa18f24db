-- Schedules the next occurrences of recurring messages that are unarmed, pauses those whose recurrence is paused, and removes
-- those without one.
--
-- KEYS[1..5] schedule, leases, messages, deliveries, meta  KEYS[6..7] recurring, recurrences
-- ARGV[1] identity
-- then for each, at most 500: id, its slot and its recurrence as read by unarmed.lua, next slot in ms, number of skipped slots
-- result {'OK', number of messages that are scheduled} | {'UNKNOWN'} | {'MISMATCH', identity}
-- cost   O(n log N), 3 commands, 9 for each message, and a PUBLISH; in a topic with keys up to 12 more for each
--
-- A message that was changed since it was read, or is no longer unarmed, is left as it is: so each end of an occurrence is
-- followed by one next slot, however many processes compute it. The next slot is written first. If the script then stops, the next
-- call uses it, so that no slot is used twice or lost.
--@include keys
--@include signals
--@include clock
--@include packedtime
--@include head
local recurringKey, recurrencesKey = KEYS[6], KEYS[7]
local identity = redis.call('HGET', metaKey, 'identity')
--@include identity
--@include order
--@include recurring
local firstBefore, scheduled = redis.call('ZRANGE', scheduleKey, '0', '0', 'WITHSCORES')[2], 0

local function leave(id, message)
  if fair then
    order.uncountLeases({id}, {message})
  end
  redis.call('ZREM', leasesKey, id)
end

-- how the last occurrence ended, in the recurrence; once, although the script may be repeated
local function recorded(recurrence, ending, skipped)
  local revision, flag, before, ended, how, succeeded, timing =
    string.match(recurrence, '^(%d+) (%S+) (%d+) (%d+) (%S+) (%d+) (.*)$')
  local outcome, at = string.match(ending, '^(%S+) (%d+)')
  if outcome == 'p' or not outcome then
    return revision and table.concat({revision, flag, before + skipped, ended, how, succeeded, timing}, ' ')
  end
  return revision and table.concat({
    revision, flag, at == ended and before or before + skipped, at, outcome, outcome == 'a' and at or succeeded, timing
  }, ' ')
end

local function scheduleNext(id, message, slot, ending, recurrence, skipped)
  redis.call('HSET', deliveriesKey, id, '\0@' .. string.match(ending, '^%S+ %d+ ') .. slot)
  redis.call('HSET', recurrencesKey, id, recorded(recurrence, ending, skipped))
  local times = packedTime(now) .. packedTime(tonumber(slot))
  local new = '1' .. times .. string.gsub(string.sub(message, 14), ' r=%+?%d+', ' r=' .. slot, 1)
  local key, sequence, changes
  if keyed then
    sequence = arrived(tonumber(slot))
    recordArrivals()
    new = sequenced(new, sequence)
    key = keyOf(new)
  end
  if key then
    changes = enter({{id, key, sequence, tonumber(slot), nil, slot}})
  else
    redis.call('ZADD', scheduleKey, slot, id)
  end
  redis.call('HSET', messagesKey, id, new)
  redis.call('HDEL', deliveriesKey, id)
  if changes then
    occupy(changes)
  end
  scheduled = scheduled + 1
end

for i = 2, #ARGV, 5 do
  local id, slot, recurrence, nextSlot, skipped = unpack(ARGV, i, i + 4)
  local message = redis.call('HGET', messagesKey, id)
  if redis.call('ZSCORE', scheduleKey, id) == recurring.UNARMED and (slotOf(message) or '') == slot
    and (redis.call('HGET', recurrencesKey, id) or '') == recurrence then
    leave(id, message)
    if recurrence == '' or slot == '' then
      redis.call('HDEL', messagesKey, id)
      redis.call('HDEL', deliveriesKey, id)
      redis.call('ZREM', scheduleKey, id)
    else
      local ending = string.match(redis.call('HGET', deliveriesKey, id) or '', '^%z@(.*)$') or '- ' .. nowText .. ' '
      if string.find(recurrence, '^%d+ p') then
        redis.call('HSET', recurrencesKey, id, recorded(recurrence, ending, 0))
        redis.call('ZADD', scheduleKey, recurring.PAUSED, id)
        redis.call('HDEL', deliveriesKey, id)
      else
        scheduleNext(id, message, nextSlot, ending, recurrence, tonumber(skipped))
      end
    end
  end
end
local firstDue = redis.call('ZRANGE', scheduleKey, '0', '0', 'WITHSCORES')[2]
if firstDue and firstDue ~= firstBefore then
  signal('h', firstDue)
end
return {'OK', scheduled}
