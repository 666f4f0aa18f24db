-- fragment: the order of the schedule. The score of a message is its due time. A suspect, which waits to be handled in
-- isolation, has its due time plus SUSPECT instead. So it comes after all other messages and before the sentinel, and
-- claims of due messages never read it. The field 'suspects' of meta is set before the first suspect and removed by the
-- poll that finds none. Messages that a move has taken come after the suspects, see taken.lua, then recurring messages that are
-- unarmed, and those that are paused, see recurring.lua.
local SUSPECT, NEVER = 1000000000000000, '9007199254740991'
-- the scores of suspects
local FROM_SUSPECT, TO_SUSPECT = '1000000000000000', '(4000000000000000'

local function score(due, suspect)
  if not suspect then
    return due
  end
  redis.call('HSET', metaKey, 'suspects', '1')
  return textOf(due + SUSPECT)
end

-- the due time of a score of the schedule, NEVER unless it is a due time. Due times have at most 15 digits, unless a foreign
-- client wrote one with a fraction
local function dueOf(score)
  return #score > 15 and (score == NEVER or tonumber(score) >= SUSPECT) and NEVER or score
end

-- the first due time of messages other than suspects, NEVER if there are none; nil if the sentinel is missing
local function readFirstDue()
  local first = redis.call('ZRANGE', scheduleKey, '0', '0', 'WITHSCORES')[2]
  return first and dueOf(first)
end

local function countSuspects()
  return redis.call('ZCOUNT', scheduleKey, FROM_SUSPECT, TO_SUSPECT)
end
