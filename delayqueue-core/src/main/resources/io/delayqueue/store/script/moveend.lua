-- Last step of a move: removes the taken messages that the target has from the source, and puts those back that the target
-- refused. Also runs when memory is full.
--
-- KEYS[1..5] schedule, leases, messages, deliveries, meta
-- ARGV[1] identity  ARGV[2] move
-- ARGV[3] n; then n ids to remove, then ids to put back; at most 500
-- result {'OK'} | {'UNKNOWN'} | {'MISMATCH', identity}
-- cost   O(n log N), 7 commands and one for each id; 3 for each message that is put back, and a PUBLISH
--
-- It acts on messages that this move has taken only, which their deliveries say. The delivery is written before the schedule,
-- so that no claim reads one that names the move. If the script stops in between, moves.lua finds the rest in the schedule.
--@include keys
--@include signals
--@include clock
--@include taken
--@include firstdue
--@include head
local identity = redis.call('HGET', metaKey, 'identity')
--@include identity
--@include order
--@include putback
local move = ARGV[2]
--@include move
local last = 3 + tonumber(ARGV[3])
local deliveries = #ARGV > 3 and redis.call('HMGET', deliveriesKey, unpack(ARGV, 4)) or {}
local removed, back = {}, {}
for i = 4, #ARGV do
  local place = tonumber(redis.call('ZSCORE', scheduleKey, ARGV[i]) or -1)
  local by, _, before = takenBy(deliveries[i - 3])
  if by == move and i > last then
    back[#back + 1] = {ARGV[i], before, place}
  elseif by == move and (place >= TAKEN or place < 0) then
    removed[#removed + 1] = ARGV[i]
  end
end
-- Redis permits all further writes of a script after one that uses no memory, even if memory is full
redis.call('HDEL', metaKey, '')
if #removed > 0 then
  redis.call('HDEL', messagesKey, unpack(removed))
  redis.call('HDEL', deliveriesKey, unpack(removed))
  redis.call('ZREM', scheduleKey, unpack(removed))
end
local firstBefore = #back > 0 and readFirstDue()
for _, message in ipairs(back) do
  local id, before, place = unpack(message)
  if before == '' then
    redis.call('HDEL', deliveriesKey, id)
  else
    redis.call('HSET', deliveriesKey, id, before)
  end
  if place >= TAKEN then
    putBack(id, place)
  end
end
local firstDue = #back > 0 and readFirstDue()
if firstDue and firstDue ~= firstBefore then
  signal('h', firstDue)
end
return {'OK'}
