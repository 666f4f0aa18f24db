-- Reads what unfinished moves left in a shard: reservations in the target, and taken messages in the source. Puts back what
-- a movetake or moveend that stopped midway left in the schedule without its move, and removes ids whose message a moveend
-- has removed. Also runs when memory is full.
--
-- KEYS[1..5] schedule, leases, messages, deliveries, meta
-- ARGV[1] identity  ARGV[2] most taken messages to read
-- result {'OK', for each reservation: move, source topic, ids; for each taken message: move, target topic, id}
--        | {'UNKNOWN'} | {'MISMATCH', identity}
-- cost   O(log N + n), 4 commands, one for each reservation, and at most 5 for each id that is put back or removed
--@include keys
--@include clock
--@include taken
--@include firstdue
--@include recurring
--@include head
local identity = redis.call('HGET', metaKey, 'identity')
--@include identity
--@include order
--@include putback
local move = '0-0'
--@include move
local reservations, taken = {}, {}
for _, field in ipairs(redis.call('HKEYS', metaKey)) do
  if string.sub(field, 1, 2) == 'm:' then
    local record = cmsgpack.unpack(redis.call('HGET', metaKey, field))
    local ids = record[2]
    for _, id in ipairs(record[3]) do
      ids[#ids + 1] = id
    end
    local at = #reservations
    reservations[at + 1], reservations[at + 2], reservations[at + 3] = string.sub(field, 3), record[1], ids
  end
end
local ids = redis.call('ZRANGEBYSCORE', scheduleKey, placeText(TAKEN), '(' .. recurring.UNARMED, 'LIMIT', '0', ARGV[2])
local deliveries = #ids > 0 and redis.call('HMGET', deliveriesKey, unpack(ids)) or {}
for i, id in ipairs(ids) do
  local by, target = takenBy(deliveries[i])
  if by then
    local at = #taken
    taken[at + 1], taken[at + 2], taken[at + 3] = by, target, id
  else
    -- Redis permits all further writes of a script after one that uses no memory, even if memory is full
    redis.call('HDEL', metaKey, '')
    if redis.call('HEXISTS', messagesKey, id) == 0 then
      redis.call('ZREM', scheduleKey, id)
    else
      putBack(id, tonumber(redis.call('ZSCORE', scheduleKey, id)))
    end
  end
end
return {'OK', reservations, taken}
