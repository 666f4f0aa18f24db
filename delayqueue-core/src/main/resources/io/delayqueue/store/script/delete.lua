-- Deletes a shard and its queue of notifications if it has neither messages nor dead letters, or only counts its
-- messages and dead letters. Also runs when memory is full.
--
-- KEYS[1..5]  schedule, leases, messages, deliveries, meta
-- KEYS[6..7]  dead, deadLetters
-- KEYS[8..12] notifications.schedule, notifications.leases, notifications.messages, notifications.deliveries,
-- notifications.meta
-- KEYS[13..14] recurring, recurrences
-- KEYS[15..16] sent, sent.until; remembered outcomes of sends are kept until they expire
-- KEYS[17]    ended (STRING: the last deleted epoch, then 'n' if its dead letters had notifications)
-- KEYS[18..20] parked, parked.due, heads; only of an ordered topic. Of a fair one, active is before them, as KEYS[18]
-- ARGV[1] identity  ARGV[2] sentinel
-- ARGV[3] time in ms for which the deleted epoch is recorded; 0: deletes nothing
-- result {'OK', 'd' deleted or absent, epoch} | {'OK', 'h' not deleted, messages, dead letters} | {'MISMATCH',
--        identity}
-- cost   O(1), more only after scripts that stopped midway; at most 14 commands
--
-- The end of the epoch is written first. The registry still has the epoch for a moment, but open.lua now rejects
-- callers with this epoch, so that no message is sent to a shard that is about to be unregistered. If the script stops
-- after this write, the shard remains usable until it is deleted or opened by a later epoch.
--@include keys
local deadLettersKey, sentKey, sentUntilKey, endedKey = KEYS[7], KEYS[15], KEYS[16], KEYS[17]
local identity, notifying = unpack(redis.call('HMGET', metaKey, 'identity', 'notifications'))
if identity then
  --@include identity
end
local function held(key)
  return redis.call('HLEN', key) - redis.call('HEXISTS', key, ARGV[2])
end
local messages, deadLetters = held(messagesKey), held(deadLettersKey)
for _, field in ipairs(redis.call('HKEYS', metaKey)) do
  if string.sub(field, 1, 2) == 'm:' then
    messages = messages + 1 -- messages are about to be moved here
  end
end
if messages + deadLetters > 0 or ARGV[3] == '0' then
  return {'OK', 'h', messages, deadLetters}
end
local epoch = string.match(ARGV[1], '(%d+)$')
local ended = string.match(redis.call('GET', endedKey) or '', '^%d+')
-- Redis permits all further writes of a script after one that uses no memory, even if memory is full
redis.call('HDEL', metaKey, '')
if not ended or tonumber(ended) < tonumber(epoch) then
  redis.call('SET', endedKey, epoch .. (notifying and 'n' or ''), 'PX', ARGV[3])
end
if KEYS[18] then
  redis.call('DEL', unpack(KEYS, 18))
end
local last = redis.call('ZREVRANGEBYSCORE', sentUntilKey, '(9007199254740991', '-inf', 'WITHSCORES', 'LIMIT', 0, 1)[2]
redis.call('DEL', unpack(KEYS, 1, last and 14 or 16)) -- with sent and sent.until if no outcome is remembered
if last then
  redis.call('PEXPIREAT', sentKey, last)
  redis.call('PEXPIREAT', sentUntilKey, last)
end
return {'OK', 'd', epoch}
