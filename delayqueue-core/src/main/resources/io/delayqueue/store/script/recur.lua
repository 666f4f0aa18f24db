-- Stores a recurring message, or changes it. A message that is leased or waits for its next attempt stays as it is; the new one is
-- its successor. The same message with the same timing changes nothing.
--
-- KEYS[1..5] schedule, leases, messages, deliveries, meta  KEYS[6..7] recurring, recurrences
-- ARGV[1] identity  ARGV[2] id  ARGV[3] timing
-- ARGV[4] the next slot of a new timing, in ms since 1970, or '+' and the time in ms until then
-- ARGV[5] nonce  ARGV[6] what is stored of the message after nonce and slot
-- result {'OK', now in µs, 'c' created | 'n' unchanged | 'u' updated, its slot is unchanged | 't' updated with another timing |
--         'd' another message with this id is live | 'a' the slot is not after now,
--         next slot in ms, or '' if it is paused or unknown}
--        | {'UNKNOWN'} | {'MISMATCH', identity}
-- cost   O(log N), at most 17 commands and a PUBLISH; in a topic with keys up to 20 more
--
-- Order of writes: a new message is stored as a send stores it, then its recurrence, so that a message without a recurrence, which
-- a stop may leave behind, is handled once at most. A changed message gets its place first.
--@include keys
--@include signals
--@include clock
--@include packedtime
--@include head
--@include firstdue
local recurringKey, recurrencesKey = KEYS[6], KEYS[7]
local identity = redis.call('HGET', metaKey, 'identity')
--@include identity
--@include order
--@include recurring
--@include successor
local id, timing, rest = ARGV[2], ARGV[3], ARGV[6]
local recurrence, message = redis.call('HGET', recurrencesKey, id), redis.call('HGET', messagesKey, id)
local delivery, successor = divided(redis.call('HGET', deliveriesKey, id))
local place = redis.call('ZSCORE', scheduleKey, id) or keyed and parkedDue(id)
if delivery == '' and successor and place ~= recurring.UNARMED and message and slotOf(message) then
  -- a script stopped while the occurrence ended
  takeOver(id, successor)
  message = redis.call('HGET', messagesKey, id)
  delivery, successor = divided(redis.call('HGET', deliveriesKey, id))
  place = recurring.UNARMED
end
local pending = slotOf(successor) and successor
if message and not (slotOf(message) or pending) then
  return {'OK', nowMicros, 'd', ''}
end
-- leased or waiting for its next attempt; not between two occurrences
local started = message and delivery and delivery ~= '' and (redis.call('ZSCORE', leasesKey, id)
  or not string.find(delivery, '^%- 0 '))
local last = pending or message
local revision, flag, result, before = string.match(recurrence or '', '^(%d+) (%S+) (%S+ %S+ %S+ %S+) (.*)$')
flag = flag or '-'

-- what follows nonce and slot in a stored message
local function restOf(stored)
  local line = string.gsub(string.sub(stored, 14), '^%+%S* r=%+?%d+', '', 1)
  return keyed and unsequenced(line) or line
end

local sameTiming = last and before == timing
local slot = sameTiming and slotOf(last)
if sameTiming and restOf(last) == rest then
  return {'OK', nowMicros, 'n', flag == '-' and string.match(slot, '%d+') or ''}
end
if not slot then
  slot = string.byte(ARGV[4]) == 43 and textOf(now + ARGV[4]) or ARGV[4]
  if tonumber(slot) <= now then
    return {'OK', nowMicros, 'a', ''}
  end
end
local number = tonumber(string.match(slot, '%d+'))

-- the message as it is stored with these times
local function stored(times, mark)
  local new = '1' .. times .. '+' .. ARGV[5] .. ' r=' .. mark .. string.match(slot, '%d+') .. rest
  if keyed then
    local sequence = arrived(number)
    recordArrivals()
    new = sequenced(new, sequence)
  end
  local largest = #new
  --@include largest
  return new
end

local fresh = packedTime(now) .. packedTime(number)
local waits = place and tonumber(place) < SUSPECT
-- cancels and polls look for recurring messages in topics that are special
redis.call('HSET', metaKey, 'recurring', '1', 'identity', ARGV[1] .. SPECIAL)
local firstBefore = redis.call('ZRANGE', scheduleKey, '0', '0', 'WITHSCORES')[2]
if started then
  -- its slot has not been used if the timing is new
  local mark = (not sameTiming or string.byte(slot) == 43) and '+' or ''
  redis.call('HSET', deliveriesKey, id, withSuccessor(delivery, stored(fresh, mark)))
elseif message and not waits and place then
  -- it is unarmed or paused
  local ending = not sameTiming and string.match(successor or '', '^@%S+ %d+ ')
  if ending then
    redis.call('HSET', deliveriesKey, id, '\0' .. ending)
  end
  redis.call('HSET', messagesKey, id, stored(fresh, not sameTiming and '+' or string.match(slot, '^%+?')))
else
  -- it waits for its slot, or is new
  -- a slot that has not been used is that of the message that was put while an occurrence was handled, which was then released
  local keeps = sameTiming and waits and message and string.byte(slot) ~= 43
  local due = keeps and tonumber(place) or number
  local new = stored(keeps and string.sub(message, 2, 13) or fresh, flag == 'p' and '+' or '')
  local key, sequence, changes, parked
  if keyed then
    key, sequence = keyOf(new)
  end
  if flag == 'p' then
    -- it was released since it was paused
    parked = keyed and message and depart({id}, {message})
    redis.call('ZADD', scheduleKey, recurring.PAUSED, id)
  elseif key then
    changes = enter({{id, key, sequence, due, message or nil}})
  else
    redis.call('ZADD', scheduleKey, textOf(due), id)
  end
  redis.call('HDEL', deliveriesKey, id)
  redis.call('HSET', messagesKey, id, new)
  if changes then
    occupy(changes)
  elseif parked then
    unpark(parked)
  end
end
redis.call('HSET', recurrencesKey, id,
  (revision or 0) + 1 .. ' ' .. flag .. ' ' .. (result or '0 0 - 0') .. ' ' .. timing)
redis.call('ZADD', recurringKey, '0', id)
local firstDue = redis.call('ZRANGE', scheduleKey, '0', '0', 'WITHSCORES')[2]
if firstDue and firstDue ~= firstBefore then
  signal('h', firstDue)
end
return {'OK', nowMicros, not recurrence and 'c' or sameTiming and 'u' or 't', flag == '-' and string.match(slot, '%d+') or ''}
