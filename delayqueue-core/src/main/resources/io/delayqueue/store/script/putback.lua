-- fragment: puts a message that a move has taken back to its place in the schedule, or in the order of its key. needs: taken,
-- firstdue, order
local function putBack(id, place)
  local before, key, sequence = place - TAKEN, nil, nil
  if keyed and before < SUSPECT then
    key, sequence = keyOf(redis.call('HGET', messagesKey, id))
  end
  if key then
    occupy(enter({{id, key, sequence, before}}))
    return
  end
  redis.call('ZADD', scheduleKey, before >= SUSPECT and score(textOf(before - SUSPECT), true) or textOf(before), id)
end
