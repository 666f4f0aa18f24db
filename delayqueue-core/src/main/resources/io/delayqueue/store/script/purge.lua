-- Removes dead letters: by id, or by the retention limits. Retention also removes consumers without a poll for
-- a day, and expired outcomes of sends. Also runs when memory is full.
--
-- KEYS[1..5] schedule, leases, messages, deliveries, meta  KEYS[6] dead  KEYS[7] deadLetters
-- KEYS[8..12] notifications.schedule, notifications.leases, notifications.messages, notifications.deliveries,
-- notifications.meta
-- KEYS[13..14] sent, sent.until
-- ARGV[1] identity  ARGV[2] 'n' by id | 'r' retention
-- by id: ARGV[3..] dead letter ids, at most 500
-- retention: ARGV[3] largest age in ms  ARGV[4] largest count  ARGV[5] most removals  ARGV[6] largest size in bytes
-- result {'OK', now in µs, number removed} | {'UNKNOWN'} | {'MISMATCH', identity}
-- cost   O(k log N) for k removed, at most 500; retention also O(consumers), and, if the size limit may be exceeded, at
--        most 2,000 commands to determine the size
--
-- The size is the number of bytes of the records. It is exact for up to 500 dead letters. For more it is estimated from
-- 500 dead letters, one chosen at random from each of 500 equal parts of their order. No total is stored, because a
-- script that stops midway would make it wrong permanently.
--@include keys
local deadKey, deadLettersKey = KEYS[6], KEYS[7]
local notificationsScheduleKey, notificationsLeasesKey = KEYS[8], KEYS[9]
local notificationsMessagesKey, notificationsDeliveriesKey, notificationsMetaKey = KEYS[10], KEYS[11], KEYS[12]
local sentKey, sentUntilKey = KEYS[13], KEYS[14]
--@include clock
--@include sent
local identity = redis.call('HGET', metaKey, 'identity')
--@include identity

local function sizeAt(rank)
  return redis.call('HSTRLEN', deadLettersKey, redis.call('ZRANGE', deadKey, rank, rank)[1])
end

-- the number of dead letters to remove from a rank on, so that the remaining ones have at most the given bytes
local function oldestBeyond(bytes, from, to, most)
  local n = to - from
  -- a dead letter has at most 20,480 bytes in addition to its message, because the failure text is limited
  if n * (tonumber(redis.call('HGET', metaKey, 'largest') or 0) + 20480) <= bytes then
    return 0
  end
  local sampled, size = math.min(n, 500), 0
  for i = 0, sampled - 1 do
    size = size + sizeAt(from + math.floor((i + math.random()) * n / sampled))
  end
  local excess, drop = size * n / sampled - bytes, 0
  while excess > 0 and drop < most do
    excess = excess - sizeAt(from + drop)
    drop = drop + 1
  end
  return drop
end

local ids = {}
if ARGV[2] == 'n' then
  for i = 3, #ARGV do
    ids[#ids + 1] = ARGV[i]
  end
else
  local count = redis.call('ZCARD', deadKey) - 1
  local oldest = string.format('%.0f', now - tonumber(ARGV[3]))
  local drop = math.max(redis.call('ZCOUNT', deadKey, '-inf', oldest), count - tonumber(ARGV[4]))
  local most = math.min(count, tonumber(ARGV[5]))
  if drop < most then
    drop = drop + oldestBeyond(tonumber(ARGV[6]), drop, count, most - drop)
  end
  if drop > 0 then
    ids = redis.call('ZRANGE', deadKey, 0, math.min(drop, most) - 1)
  end
  forgetSent(sentKey, sentUntilKey, ARGV[5])
  for _, key in ipairs({metaKey, notificationsMetaKey}) do
    for _, field in ipairs(redis.call('HKEYS', key)) do
      local seen = string.sub(field, 1, 2) == 'c:' and string.match(redis.call('HGET', key, field), '^%d+i?[ %d]* (%d+)')
      if seen and tonumber(seen) < now - 86400000 then
        redis.call('HDEL', key, field)
      end
    end
  end
end
local removed = 0
if #ids > 0 then
  redis.call('HDEL', notificationsMessagesKey, unpack(ids))
  redis.call('HDEL', notificationsDeliveriesKey, unpack(ids))
  redis.call('ZREM', notificationsScheduleKey, unpack(ids))
  redis.call('ZREM', notificationsLeasesKey, unpack(ids))
  redis.call('HDEL', deadLettersKey, unpack(ids))
  removed = redis.call('ZREM', deadKey, unpack(ids))
end
return {'OK', nowMicros, removed}
