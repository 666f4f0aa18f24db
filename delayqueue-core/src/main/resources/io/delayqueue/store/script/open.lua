-- Creates a shard, or adopts an existing one with the same shape and format. Each sorted set and each hash,
-- except the meta keys, gets a permanent sentinel. It keeps the key in existence, as a migrating slot requires, and
-- prevents the compact encoding, in which removal is slow. The sentinel is longer than an id may be, and has no @,
-- unlike the id of a dead letter.
--
-- KEYS[1..5]  schedule, leases, messages, deliveries, meta
-- KEYS[6..7]  dead, deadLetters
-- KEYS[8..12] notifications.schedule, notifications.leases, notifications.messages, notifications.deliveries,
-- notifications.meta
-- KEYS[13..14] recurring, recurrences
-- KEYS[15..16] sent, sent.until
-- KEYS[17]    ended (STRING: the last deleted epoch, then 'n' if its dead letters had notifications)
-- KEYS[18..20] parked, parked.due, heads; only of an ordered topic. Of a fair one, active is before them, as KEYS[18]
-- ARGV[1] identity  ARGV[2] the shard's topic  ARGV[3] its index  ARGV[4] sentinel
-- ARGV[5] the topic's limits, see keys.lua; '' if there are none
-- result {'OK'} | {'MISMATCH', identity}: the shard has another shape or format
--        | {'ENDED', epoch}: the topic was deleted in this epoch or a later one; it must be registered with a later
--     epoch
-- cost   O(1), at most 26 commands
--@include keys
local deadKey, deadLettersKey = KEYS[6], KEYS[7]
local notificationsScheduleKey, notificationsLeasesKey = KEYS[8], KEYS[9]
local notificationsMessagesKey, notificationsDeliveriesKey, notificationsMetaKey = KEYS[10], KEYS[11], KEYS[12]
local recurringKey, recurrencesKey, sentKey, sentUntilKey, endedKey = unpack(KEYS, 13, 17)
local known, limits, hold, recurs = unpack(redis.call('HMGET', metaKey, 'identity', 'limits', 'hold', 'recurring'))
recurs = recurs or redis.call('ZCARD', recurringKey) > (redis.call('ZSCORE', recurringKey, ARGV[4]) and 1 or 0)
if known then
  local format, shape = string.match(known, '^(%d+):(%w+):')
  local wantedFormat, wantedShape = string.match(ARGV[1], '^(%d+):(%w+):')
  if format ~= wantedFormat or shape ~= wantedShape then
    return {'MISMATCH', (string.match(known, '^%S*'))}
  end
end
local ended, notifications = string.match(redis.call('GET', endedKey) or '', '^(%d+)(n?)$')
if ended and tonumber(string.match(ARGV[1], '(%d+)$')) <= tonumber(ended) then
  return {'ENDED', ended}
end
local never = '9007199254740991'
local sortedSets = {
  scheduleKey, leasesKey, deadKey, notificationsScheduleKey, notificationsLeasesKey, sentUntilKey, recurringKey
}
local parkedKey = #KEYS > 17 and KEYS[#KEYS - 2]
if parkedKey then
  -- with active in a fair topic
  sortedSets[8], sortedSets[9], sortedSets[10] = parkedKey, KEYS[#KEYS - 1], #KEYS > 20 and KEYS[#KEYS - 3] or nil
end
for _, key in ipairs(sortedSets) do
  -- the recurring and the parked messages have equal scores, so that they are in the order of their members
  redis.call('ZADD', key, (key == parkedKey or key == recurringKey) and '0' or never, ARGV[4])
end
local hashes = {
  messagesKey, deliveriesKey, deadLettersKey, notificationsMessagesKey, notificationsDeliveriesKey, sentKey, recurrencesKey
}
hashes[8] = parkedKey and KEYS[#KEYS] or nil
for _, key in ipairs(hashes) do
  redis.call('HSET', key, ARGV[4], '')
end
-- the deletion of the topic gave these keys a time to live
redis.call('PERSIST', sentKey)
redis.call('PERSIST', sentUntilKey)
redis.call('HSET', notificationsMetaKey, 'topic', ARGV[2], 'shard', ARGV[3], 'identity', ARGV[1])
if notifications == 'n' then
  -- dead-letter listeners may not be aware yet that the topic was deleted
  redis.call('HSET', metaKey, 'notifications', '1')
end
local wanted = ARGV[5]
if wanted == '' and hold then
  -- polls read the hold only if there are limits
  wanted = '0 0 0 0'
end
local fields = {'topic', ARGV[2], 'shard', ARGV[3], 'identity', ARGV[1]}
if wanted ~= '' or parkedKey or recurs then
  fields[6] = ARGV[1] .. SPECIAL
end
if recurs then
  redis.call('HSET', metaKey, 'recurring', '1')
end
if wanted ~= '' then
  fields[7], fields[8] = 'limits', wanted
elseif limits then
  redis.call('HDEL', metaKey, 'limits')
end
redis.call('HSET', metaKey, unpack(fields))
return {'OK'}
