-- Applies the limits of a topic to its shard, and may lift the hold of the topic. Never creates a shard. Also runs when
-- memory is full.
--
-- KEYS[1..5] schedule, leases, messages, deliveries, meta
-- ARGV[1] identity
-- ARGV[2] limits, see keys.lua; '' if there are none
-- ARGV[3] '1': lifts the hold
-- result {'OK', '1' if a hold was lifted, else '0'} | {'UNKNOWN'} | {'MISMATCH', identity}
-- cost   O(1), at most 7 commands and a PUBLISH; of a fair topic, 4 more for each key at its limit
--@include keys
--@include signals
local identity, limits, hold, recurring = unpack(redis.call('HMGET', metaKey, 'identity', 'limits', 'hold', 'recurring'))
--@include identity
--@include clock
--@include firstdue
--@include head
--@include order
local lifted = hold and ARGV[3] == '1'
local wanted = ARGV[2]
if wanted == '' and hold and not lifted then
  -- polls read the hold only if there are limits
  wanted = '0 0 0 0'
end
-- Redis permits all further writes of a script after one that uses no memory, even if memory is full
redis.call('HDEL', metaKey, '')
local changed = lifted or wanted ~= (limits or '')
if changed and fair then
  -- before the limits are written: the repeat of a script that stopped after that finds no change
  order.restoreAllTurns()
end
if lifted then
  redis.call('HDEL', metaKey, 'hold')
end
if wanted == '' then
  redis.call('HDEL', metaKey, 'limits')
  redis.call('HSET', metaKey, 'identity', ARGV[1] .. ((keyed or recurring) and SPECIAL or ''))
elseif wanted ~= limits then
  redis.call('HSET', metaKey, 'limits', wanted, 'identity', ARGV[1] .. SPECIAL)
end
if changed then
  local firstDue = readFirstDue()
  if firstDue and tonumber(firstDue) <= now or fair and order.hasTurns() then
    signal('s', '-')
  end
end
return {'OK', lifted and '1' or '0'}
