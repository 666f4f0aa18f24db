-- fragment: the successor of a message that is being handled or waits for its next attempt. needs: head
--
-- It is the message that is to be stored next, behind a zero byte at the end of the delivery. When the message ends, its
-- successor takes over. Before anything else the delivery then begins with the zero byte: if the script stops, each script
-- that finds such a delivery completes this.

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

-- the successor becomes due now if its own due time has passed
local function takeOver(id, successor)
  redis.call('HSET', deliveriesKey, id, withSuccessor('', successor))
  redis.call('HSET', messagesKey, id, successor)
  local due = hasHead(successor) and timeAt(successor, 8) or now
  redis.call('ZADD', scheduleKey, textOf(math.max(due, now)), id)
  if due < now then
    redis.call('HSET', deliveriesKey, id, '- 0 ' .. nowText .. ' ')
  else
    redis.call('HDEL', deliveriesKey, id)
  end
  redis.call('ZREM', leasesKey, id)
end
