-- Creates a shard, or adopts one of the same shard count. Every key gets a sentinel that stays: it keeps the key in
-- being, which a slot that migrates needs, and out of the compact encoding, in which removal is slow. It is longer than
-- an id may be, and has no @, as every letter has.
--
-- KEYS[1..5]  schedule, leases, messages, deliveries, meta
-- KEYS[6..7]  dead, letters
-- KEYS[8..12] deaths.schedule, deaths.leases, deaths.messages, deaths.deliveries, deaths.meta
-- KEYS[13]    ended (STRING, the last epoch that was deleted, and 'n' if notices were kept of its deaths)
-- ARGV[1] identity  ARGV[2] the shard's topic  ARGV[3] its index  ARGV[4] sentinel
-- result {'OK'} | {'MISMATCH', identity}: the shard is of another count or format
--        | {'ENDED', epoch}: the topic was deleted in this epoch or after it; the registry has or wants another one
-- cost   O(1), at most 15 commands
local known = redis.call('HGET', KEYS[5], 'identity')
if known then
  local format, count = string.match(known, '^(%d+):(%d+):')
  local wantedFormat, wantedCount = string.match(ARGV[1], '^(%d+):(%d+):')
  if format ~= wantedFormat or count ~= wantedCount then
    return {'MISMATCH', known}
  end
end
local ended, notices = string.match(redis.call('GET', KEYS[13]) or '', '^(%d+)(n?)$')
if ended and tonumber(string.match(ARGV[1], '(%d+)$')) <= tonumber(ended) then
  return {'ENDED', ended}
end
local never = '9007199254740991'
for _, key in ipairs({1, 2, 6, 8, 9}) do
  redis.call('ZADD', KEYS[key], never, ARGV[4])
end
for _, key in ipairs({3, 4, 7, 10, 11}) do
  redis.call('HSET', KEYS[key], ARGV[4], '')
end
redis.call('HSET', KEYS[12], 'topic', ARGV[2], 'shard', ARGV[3], 'identity', ARGV[1])
if notices == 'n' then
  -- whoever attends to deaths may not hear for a while that the topic was deleted
  redis.call('HSET', KEYS[5], 'notices', '1')
end
redis.call('HSET', KEYS[5], 'topic', ARGV[2], 'shard', ARGV[3], 'identity', ARGV[1])
return {'OK'}
