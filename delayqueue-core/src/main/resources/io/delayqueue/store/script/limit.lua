-- Sets limits in the registration of a topic. Registers the topic with one shard if it is not registered, unless limits
-- are removed. Also runs when memory is full.
--
-- KEYS[1] topics
-- ARGV[1] topic  ARGV[2] 'c': limits that nodes declare | 's': limits that are set at run time
-- ARGV[3] limits; '' removes them
-- ARGV[4] limits of the topic if it is not registered, as in a registration, see register.lua; '' for none
-- ARGV[5] shape with one shard of the topic if it is not registered, see register.lua
-- result {shape, epoch, limits, limits before}, the limits as in a registration. A topic that cannot have the limits is unchanged:
--        one with several shards, or, for a per-key limit, one that is not fair. If it is not registered, the epoch is '0'
--        | {'0', '0', '', ''}: the topic is not registered, and limits are removed | {registration in another format}
-- cost   O(1), at most 4 commands
local known = redis.call('HGET', KEYS[1], ARGV[1])
if not known and ARGV[3] == '' then
  return {'0', '0', '', ''}
end
local shape, epoch, before = ARGV[5], nil, ARGV[4]
if known then
  shape, epoch, before = string.match(known, '^(%w+):(%d+)(.*)$')
  if not shape then
    return {known}
  end
end
local usable = string.find(shape, '^1%a?$') and (shape == '1f' or not string.find(ARGV[3], '^%d+/'))
if not usable and ARGV[3] ~= '' then
  return {shape, epoch or '0', before, before}
end
local declared, set = string.match(before, '^ c%S+ %S+ %S+') or '', string.match(before, ' s%S+ %S+ %S+$') or ''
if declared .. set ~= before then
  return {known}
end
local limits = ARGV[3] == '' and '' or ' ' .. ARGV[2] .. ARGV[3]
if ARGV[2] == 'c' then
  declared = limits
else
  set = limits
end
limits = declared .. set
if not epoch then
  local clock = redis.call('TIME')
  epoch = string.format('%.0f', clock[1] * 1000000 + clock[2])
end
-- Redis permits all further writes of a script after one that uses no memory, even if memory is full
redis.call('HDEL', KEYS[1], '')
redis.call('HSET', KEYS[1], ARGV[1], shape .. ':' .. epoch .. limits)
return {shape, epoch, limits, known and before or ''}
