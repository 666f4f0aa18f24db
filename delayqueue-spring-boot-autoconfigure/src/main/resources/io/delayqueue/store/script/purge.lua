-- Removes dead letters: the named ones, or those that retention gives up. Forgets consumers that have been silent
-- for a day. Runs also when memory is full.
--
-- KEYS[1..5] schedule, leases, messages, deliveries, meta  KEYS[6] dead  KEYS[7] letters
-- KEYS[8..12] deaths.schedule, deaths.leases, deaths.messages, deaths.deliveries, deaths.meta
-- ARGV[1] identity  ARGV[2] 'n' named | 'o' those that died at or before ARGV[3] | 'r' retention
-- named: ARGV[3..] letter ids, at most 500;  older: ARGV[3] ms, ARGV[4] at most so many
-- retention: ARGV[3] largest age in ms  ARGV[4] largest count  ARGV[5] at most so many
-- result {'OK', now in µs, number removed} | {'UNKNOWN'} | {'MISMATCH', identity}
-- cost   O(k log N) for k removed, at most 500; retention also O(consumers)
--@include guard
local identity = redis.call('HGET', KEYS[5], 'identity')
if identity ~= ARGV[1] then
  return identity and {'MISMATCH', identity} or {'UNKNOWN'}
end
local ids = {}
if ARGV[2] == 'n' then
  for i = 3, #ARGV do
    ids[#ids + 1] = ARGV[i]
  end
elseif ARGV[2] == 'o' then
  ids = redis.call('ZRANGEBYSCORE', KEYS[6], '-inf', ARGV[3], 'LIMIT', 0, ARGV[4])
else
  local oldest = string.format('%.0f', now - tonumber(ARGV[3]))
  ids = redis.call('ZRANGEBYSCORE', KEYS[6], '-inf', oldest, 'LIMIT', 0, ARGV[5])
  if #ids == 0 then
    local surplus = redis.call('ZCARD', KEYS[6]) - 1 - tonumber(ARGV[4])
    if surplus > 0 then
      ids = redis.call('ZRANGE', KEYS[6], 0, math.min(surplus, tonumber(ARGV[5])) - 1)
    end
  end
  for _, meta in ipairs({KEYS[5], KEYS[12]}) do
    for _, field in ipairs(redis.call('HKEYS', meta)) do
      local seen = string.sub(field, 1, 2) == 'c:' and string.match(redis.call('HGET', meta, field), '%d+$')
      if seen and tonumber(seen) < now - 86400000 then
        redis.call('HDEL', meta, field, 'r:' .. string.sub(field, 3))
      end
    end
  end
end
local removed = 0
if #ids > 0 then
  redis.call('HDEL', KEYS[10], unpack(ids))
  redis.call('HDEL', KEYS[11], unpack(ids))
  redis.call('ZREM', KEYS[8], unpack(ids))
  redis.call('ZREM', KEYS[9], unpack(ids))
  redis.call('HDEL', KEYS[7], unpack(ids))
  removed = redis.call('ZREM', KEYS[6], unpack(ids))
end
return {'OK', nowMicros, removed}
