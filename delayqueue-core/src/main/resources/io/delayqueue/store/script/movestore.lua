-- Third step of a move: stores taken messages in the target, each if its id is still reserved and not live, until the
-- target's limit of messages is reached. Also runs when memory is full: the source removes them next.
--
-- KEYS[1..5] schedule, leases, messages, deliveries, meta
-- ARGV[1] identity  ARGV[2] move
-- ARGV[3] which other ids of the move stay reserved or refused: 'a' all | 'r' those that are refused | 'n' none
-- then for each message id, due time in ms, and what is stored from byte 14 on; at most 500
-- result {'OK', a letter for each message: 's' stored, now or before | 'l' refused, because the id is live | 'f' refused,
--         because the target is full | 'k' refused, because the target is ordered and the message has no key} | {'UNKNOWN'} |
--         {'MISMATCH', identity}
-- cost   O(n log N), at most 15 commands, one for each message that the target has no room for, and a PUBLISH if the first
--        due time became earlier
--
-- The reservation is removed last. If the script stops before that, its repeat finds the stored message. The order of the
-- other writes is that of send.lua.
--@include keys
--@include signals
--@include clock
--@include packedtime
--@include head
local identity = redis.call('HGET', metaKey, 'identity')
--@include identity
--@include order
local firstBefore = keyed and firstOfSchedule()
local limits = special and redis.call('HGET', metaKey, 'limits')
--@include room
local field = 'm:' .. ARGV[2]
local found = redis.call('HGET', metaKey, field)
local record = found and cmsgpack.unpack(found) or {'', {}, {}}
-- 2 for a reserved id, 3 for a refused one; a refused one that the target had no room for is listed in record[4], too
local places, full, outcomes = {}, {}, {}
for place = 2, 3 do
  for _, id in ipairs(record[place]) do
    places[id] = place
  end
end
for _, id in ipairs(record[4] or {}) do
  full[id] = true
end
local ids = {}
for i = 4, #ARGV, 3 do
  ids[#ids + 1] = ARGV[i]
end
local entries = {}
local live = #ids > 0 and redis.call('HMGET', messagesKey, unpack(ids)) or {}
local sent, largest, earliest = '1' .. packedTime(now), 0, nil
local schedule, messages, stored = {}, {}, {}
for i, id in ipairs(ids) do
  local due, rest = ARGV[2 + 3 * i], ARGV[3 + 3 * i]
  local reserved, message, sequence, key = places[id] == 2, nil, nil, nil
  local stands = live[i] and string.sub(live[i], 14)
  if keyed then
    sequence = arrived(tonumber(due))
    message = sequenced(sent .. packedTime(tonumber(due)) .. rest, sequence)
    key, rest, stands = keyOf(message), unsequenced(rest), stands and unsequenced(stands)
    -- in a fair topic, a message without a key has an empty one
    key = (fair or key ~= '') and key or nil
  end
  if reserved and not live[i] and room then
    room = room - 1
    -- an id that is in the schedule without a message needs no more room: this script may have stopped there
    full[id] = room < 0 and not redis.call('ZSCORE', scheduleKey, id) or nil
  end
  if keyed and not key then
    places[id], outcomes[i] = 3, 'k'
  elseif places[id] == 3 or full[id] or (reserved and stands and stands ~= rest) then
    places[id], outcomes[i] = 3, full[id] and 'f' or 'l'
  else
    if reserved and not live[i] then
      local n = #stored + 1
      stored[n] = id
      schedule[2 * n - 1], schedule[2 * n] = due, id
      messages[2 * n - 1], messages[2 * n] = id, message or sent .. packedTime(tonumber(due)) .. rest
      entries[n] = keyed and {id, key, sequence, tonumber(due)}
      largest = math.max(largest, #rest + 13)
      earliest = math.min(earliest or tonumber(due), tonumber(due))
    end
    places[id], outcomes[i] = nil, 's'
  end
end
-- Redis permits all further writes of a script after one that uses no memory, even if memory is full
redis.call('HDEL', metaKey, '')
if #stored > 0 then
  --@include largest
  local changes
  if keyed then
    recordArrivals()
    changes = enter(entries)
  else
    redis.call('ZADD', scheduleKey, unpack(schedule))
  end
  redis.call('HDEL', deliveriesKey, unpack(stored))
  redis.call('ZREM', leasesKey, unpack(stored))
  redis.call('HSET', messagesKey, unpack(messages))
  if keyed then
    occupy(changes)
  end
end
local reserved, refused, refusedAsFull = {}, {}, {}
for id, place in pairs(places) do
  if place == 2 and ARGV[3] == 'a' then
    reserved[#reserved + 1] = id
  elseif place == 3 and ARGV[3] ~= 'n' then
    refused[#refused + 1] = id
    if full[id] then
      refusedAsFull[#refusedAsFull + 1] = id
    end
  end
end
if #reserved + #refused > 0 then
  redis.call('HSET', metaKey, field, cmsgpack.pack({record[1], reserved, refused, refusedAsFull}))
else
  redis.call('HDEL', metaKey, field)
end
if keyed then
  if firstOfSchedule() ~= firstBefore then
    signal('h', firstOfSchedule())
  end
elseif earliest and tonumber(redis.call('ZRANGE', scheduleKey, '0', '0', 'WITHSCORES')[2]) == earliest then
  signal('h', textOf(earliest))
end
return {'OK', table.concat(outcomes)}
