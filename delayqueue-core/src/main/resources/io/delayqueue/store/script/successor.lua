-- fragment: the successor of a message that is being handled or waits for its next attempt. needs: clock, head, recurring
--
-- The successor is a stored message at the end of the delivery, behind a zero byte. When the message ends, its successor takes
-- over. The first write of this is a delivery that begins with the zero byte. If the script then stops, the repeat of a poll,
-- the next claim or the reclaim completes the takeover. The successor of a recurring message is '@' or a recurring message, see
-- recurring.lua.

-- the delivery without the successor, and the successor or nil
local function divided(delivery)
  local at = delivery and string.find(delivery, '\0', 1, true)
  if at then
    return string.sub(delivery, 1, at - 1), string.sub(delivery, at + 1)
  end
  return delivery
end

local function withSuccessor(delivery, successor)
  return successor and delivery .. '\0' .. successor or delivery
end

-- whether the message has ended and its successor has not taken over yet
local function hasEnded(delivery)
  return delivery and string.byte(delivery) == 0
end

-- makes the successor the live message; it is due now if its own due time has passed. how: how the message ended, see recurring.lua
local function takeOver(id, successor, how)
  if string.byte(successor) == 64 or slotOf(successor) then
    recurring.endOccurrence(id, successor, how, nowText)
    return
  end
  local due, key, sequence = hasHead(successor) and timeAt(successor, 8) or now, nil, nil
  redis.call('HSET', deliveriesKey, id, withSuccessor('', successor))
  local before = keyed and redis.call('HGET', messagesKey, id)
  if keyed then
    key, sequence = keyOf(successor)
  end
  if fair then
    order.uncountLeases({id}, {before})
  end
  if key then
    local changes = enter({{id, key, sequence, math.max(due, now), before}})
    redis.call('HSET', messagesKey, id, successor)
    occupy(changes)
  else
    redis.call('HSET', messagesKey, id, successor)
    redis.call('ZADD', scheduleKey, textOf(math.max(due, now)), id)
  end
  if due < now then
    redis.call('HSET', deliveriesKey, id, '- 0 ' .. nowText .. ' ')
  else
    redis.call('HDEL', deliveriesKey, id)
  end
  redis.call('ZREM', leasesKey, id)
end
