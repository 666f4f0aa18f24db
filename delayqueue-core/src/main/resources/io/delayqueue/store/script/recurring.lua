-- fragment: recurring messages. A recurring message stays stored under its id when it ends, and is scheduled again. Its slot, the
-- time at which an occurrence is due unless it is rescheduled, is in its first line, see head.lua.
--
-- recurring     ZSET of equal scores: the ids of the recurring messages
-- recurrences   HASH id → '<revision> <flag> <skipped slots> <end of the last occurrence in ms, or 0> <how it ended, or ->
--               <time of the last acknowledge in ms, or 0> <timing>'. The flag is 'p' if the recurrence is paused, else '-'. The
--               timing is for the processes, see Timing
--
-- Between two occurrences the message is unarmed: it is in the schedule with the score UNARMED, and a process computes its next
-- slot, see unarmed.lua and rearm.lua. Its delivery is then a zero byte, and '@<how it ended> <end in ms> <next slot, or empty>',
-- how it ended being 'a' acknowledged, 'd' dead-lettered, 'c' cancelled, 'p' resumed, or '-' unknown. The next slot is there if a
-- rearm.lua stopped midway, and it then applies. A paused message is in the schedule with the score PAUSED.
--
-- While a recurring message is leased or waits for its next attempt, its successor is '@', or the message that was put meanwhile:
-- each script that ends it leaves it unarmed, see successor.lua. gives: recurring; its functions need keys and order
local recurring = {UNARMED = '7000000000000000', PAUSED = '8000000000000000'}
-- ends an occurrence of a message whose successor is given. If the script stops midway, the repeat of a poll, the next claim or the
-- reclaim completes this
function recurring.endOccurrence(id, successor, how, nowText)
  local before = (keyed or string.byte(successor) ~= 64) and redis.call('HGET', messagesKey, id)
  local ending = '\0@' .. (how or '-') .. ' ' .. nowText .. ' '
  if string.byte(successor) ~= 64 then
    redis.call('HSET', deliveriesKey, id, '\0' .. successor)
  elseif successor == '@' then
    redis.call('HSET', deliveriesKey, id, ending)
  end
  if fair then
    order.uncountLeases({id}, {before})
  end
  -- while the message with the key that it leaves is stored
  local parked = keyed and depart({id}, {before})
  if string.byte(successor) ~= 64 then
    redis.call('HSET', messagesKey, id, successor)
    redis.call('HSET', deliveriesKey, id, ending)
  end
  redis.call('ZADD', scheduleKey, recurring.UNARMED, id)
  redis.call('ZREM', leasesKey, id)
  if parked then
    unpark(parked)
  end
end

-- the part of a poll's result for unarmed messages
function recurring.unarmed()
  return redis.call('ZCOUNT', scheduleKey, recurring.UNARMED, recurring.UNARMED) > 0 and 4 or 0
end
