-- fragment: puts a message that a move has taken back to its place in the schedule. needs: taken, firstdue
local function putBack(id, place)
  local before = place - TAKEN
  redis.call('ZADD', scheduleKey, before >= SUSPECT and score(textOf(before - SUSPECT), true) or textOf(before), id)
end
