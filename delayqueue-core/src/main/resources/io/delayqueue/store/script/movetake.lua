-- Second step of a move: takes messages from the source, if they are scheduled or parked, have no successor and do not
-- recur. A taken message is still stored, but no longer in this topic: it cannot be claimed, cancelled or rescheduled. This decides
-- that it is moved.
--
-- KEYS[1..5] schedule, leases, messages, deliveries, meta
-- ARGV[1] identity  ARGV[2] move  ARGV[3] target topic
-- ARGV[4] a message that was sent after this time, in ms since 1970, is not taken; empty: takes none, and prevents that
--         this move takes any from now on. Then it also runs when memory is full
-- ARGV[5..] ids, at most 500
-- result {'OK', ids of taken messages, their due times in ms, what is stored of them from byte 14 on, ids of taken
--         messages of which a script that stopped midway removed the message} | {'UNKNOWN'} | {'MISMATCH', identity}
-- cost   O(n log N), 10 commands, and one for each id
--
-- The schedule is written first, so that no claim reads a delivery that names the move, and a message leaves parked before that
-- delivery is written, so that a message that is moved never follows in its key. If the script stops before the delivery is written,
-- moves.lua puts the message back.
--@include keys
--@include clock
--@include signals
--@include head
--@include taken
local identity = redis.call('HGET', metaKey, 'identity')
--@include identity
--@include order
local move, target, sentUntil = ARGV[2], ARGV[3], tonumber(ARGV[4])
--@include move
local messages = redis.call('HMGET', messagesKey, unpack(ARGV, 5))
local deliveries = redis.call('HMGET', deliveriesKey, unpack(ARGV, 5))
local scores, marks, places, ids, departing = {}, {}, {}, {}, {}
for i = 1, #messages do
  local id, message = ARGV[4 + i], messages[i]
  scores[i] = tonumber(redis.call('ZSCORE', scheduleKey, id) or keyed and parkedDue(id) or -1)
  if sentUntil and not begun and message and scores[i] >= 0 and scores[i] < TAKEN and hasHead(message)
    and timeAt(message, 2) <= sentUntil and not slotOf(message)
    and not (deliveries[i] and string.find(deliveries[i], '\0', 1, true)) then
    local _, _, before = takenBy(deliveries[i])
    scores[i] = scores[i] + TAKEN
    deliveries[i] = '>' .. move .. ' =' .. #target .. ' ' .. target .. ' ' .. before
    local at = #marks
    marks[at + 1], marks[at + 2] = id, deliveries[i]
    places[at + 1], places[at + 2] = placeText(scores[i]), id
    ids[#ids + 1] = id
    departing[#departing + 1] = message
  end
end
if not begun then
  if not sentUntil then
    -- Redis permits all further writes of a script after one that uses no memory, even if memory is full
    redis.call('HDEL', metaKey, '')
  end
  begin()
end
if #ids > 0 then
  redis.call('ZADD', scheduleKey, unpack(places))
  local firstBefore = keyed and firstOfSchedule()
  if keyed then
    unpark(depart(ids, departing))
  end
  redis.call('HSET', deliveriesKey, unpack(marks))
  if fair then
    order.uncountLeases(ids, departing)
  end
  redis.call('ZREM', leasesKey, unpack(ids)) -- left by a script that stopped midway
  if keyed and firstOfSchedule() ~= firstBefore then
    signal('h', firstOfSchedule())
  end
end
local taken, dues, stored, removed = {}, {}, {}, {}
for i = 1, #messages do
  if (scores[i] >= TAKEN or not messages[i]) and takenBy(deliveries[i]) == move then
    if messages[i] then
      local at, due = #taken + 1, scores[i] - TAKEN
      -- a suspect has a score of its own, see firstdue.lua
      taken[at], dues[at] = ARGV[4 + i], textOf(due >= 1000000000000000 and due - 1000000000000000 or due)
      stored[at] = string.sub(messages[i], 14)
    else
      removed[#removed + 1] = ARGV[4 + i]
    end
  end
end
return {'OK', taken, dues, stored, removed}
