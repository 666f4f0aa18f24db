-- Creates a shard, or adopts an existing one with the same shard count and format. Every key gets a permanent sentinel.
-- It keeps the key in existence, as a migrating slot requires, and prevents the compact encoding, in which removal is
-- slow. The sentinel is longer than an id may be, and has no @, unlike the id of a dead letter.
--
-- KEYS[1..5]  schedule, leases, messages, deliveries, meta
-- KEYS[6..7]  dead, deadLetters
-- KEYS[8..12] notifications.schedule, notifications.leases, notifications.messages, notifications.deliveries,
-- notifications.meta
-- KEYS[13..14] sent, sent.until
-- KEYS[15]    ended (STRING: the last deleted epoch, then 'n' if its dead letters had notifications)
-- ARGV[1] identity  ARGV[2] the shard's topic  ARGV[3] its index  ARGV[4] sentinel
-- result {'OK'} | {'MISMATCH', identity}: the shard has another shard count or format
--        | {'ENDED', epoch}: the topic was deleted in this epoch or a later one; it must be registered with a later
--     epoch
-- cost   O(1), at most 19 commands
local known = redis.call('HGET', KEYS[5], 'identity')
if known then
  local format, count = string.match(known, '^(%d+):(%d+):')
  local wantedFormat, wantedCount = string.match(ARGV[1], '^(%d+):(%d+):')
  if format ~= wantedFormat or count ~= wantedCount then
    return {'MISMATCH', known}
  end
end
local ended, notifications = string.match(redis.call('GET', KEYS[15]) or '', '^(%d+)(n?)$')
if ended and tonumber(string.match(ARGV[1], '(%d+)$')) <= tonumber(ended) then
  return {'ENDED', ended}
end
local never = '9007199254740991'
for _, key in ipairs({1, 2, 6, 8, 9, 14}) do
  redis.call('ZADD', KEYS[key], never, ARGV[4])
end
for _, key in ipairs({3, 4, 7, 10, 11, 13}) do
  redis.call('HSET', KEYS[key], ARGV[4], '')
end
-- the deletion of the topic gave these keys a time to live
redis.call('PERSIST', KEYS[13])
redis.call('PERSIST', KEYS[14])
redis.call('HSET', KEYS[12], 'topic', ARGV[2], 'shard', ARGV[3], 'identity', ARGV[1])
if notifications == 'n' then
  -- dead-letter listeners may not be aware yet that the topic was deleted
  redis.call('HSET', KEYS[5], 'notifications', '1')
end
redis.call('HSET', KEYS[5], 'topic', ARGV[2], 'shard', ARGV[3], 'identity', ARGV[1])
return {'OK'}
