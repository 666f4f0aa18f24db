-- Registers a topic, or returns its existing registration, which may have another shape. With the shape 0
-- it only reads the registration and writes nothing.
--
-- A registration is '<shape>:<epoch>', the shape being the shard count, and 'o' if the topic is ordered, 'f' if it is fair; then
-- ' c' and the limits that nodes declare, if any, then ' s' and the limits that were set at run time, if any.
--
-- KEYS[1] topics
-- ARGV[1] topic  ARGV[2] shape wanted by the caller, or 0
-- ARGV[3] epoch that has ended according to a shard, 0 for none: if the registration has this epoch or an earlier one,
--         it gets a later epoch and keeps its shape and limits, because other shards may have messages
-- ARGV[4] number of topics from which on no topic is registered; 0 for no limit
-- ARGV[5] limits of the topic if it is not registered, as in a registration; '' for none
-- result {shape, epoch, limits}, both '0' if the topic is not registered and ARGV[2] is 0
--        | {registration in another format} | {'full'}: the topic is not registered, and the limit of topics is reached
-- cost   O(1), at most 4 commands
local known = redis.call('HGET', KEYS[1], ARGV[1])
local ended = tonumber(ARGV[3])
if not known and ARGV[2] == '0' then
  return {'0', '0', ''}
end
if not known and ARGV[4] ~= '0' and redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[4]) then
  return {'full'}
end
local shape, epoch, limits = ARGV[2], nil, ARGV[5]
if known then
  shape, epoch, limits = string.match(known, '^(%w+):(%d+)(.*)$')
  if not shape or (limits ~= '' and not string.find(limits, '^ [cs]%d')) then
    return {known}
  end
end
if not epoch or tonumber(epoch) <= ended then
  local clock = redis.call('TIME')
  epoch = string.format('%.0f', math.max(clock[1] * 1000000 + clock[2], ended + 1))
  redis.call('HSET', KEYS[1], ARGV[1], shape .. ':' .. epoch .. limits)
end
return {shape, epoch, limits}
