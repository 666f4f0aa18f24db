-- fragment: the first due time of the schedule. The score of a message in the schedule is its due time. A suspect, which
-- waits to be handled in isolation, has its due time minus SUSPECT instead, so that claims of other messages, which read
-- the scores from 0 on, never read it.
local SUSPECT = 1000000000000000

local function score(due, suspect)
  return suspect and string.format('%.0f', tonumber(due) - SUSPECT) or due
end

-- the first due time of messages other than suspects, and whether there are suspects
local function readFirstDue()
  local first = redis.call('ZRANGE', scheduleKey, 0, 0, 'WITHSCORES')[2]
  if first and tonumber(first) < 0 then
    return redis.call('ZRANGEBYSCORE', scheduleKey, 0, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)[2], true
  end
  return first, false
end
