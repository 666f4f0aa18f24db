-- Deletes a shard that holds neither messages nor dead letters, with its lane of deaths, or only tells what it holds. Runs
-- also when memory is full.
--
-- KEYS[1..5]  schedule, leases, messages, deliveries, meta
-- KEYS[6..7]  dead, letters
-- KEYS[8..12] deaths.schedule, deaths.leases, deaths.messages, deaths.deliveries, deaths.meta
-- KEYS[13]    ended (STRING, the last epoch that was deleted, and 'n' if notices were kept of its deaths)
-- ARGV[1] identity  ARGV[2] sentinel
-- ARGV[3] for how many ms it is remembered which epoch was deleted; 0: deletes nothing
-- result {'OK', 'd' deleted, or it wasn't there, epoch} | {'OK', 'h' what it holds, messages, letters}
--        | {'MISMATCH', identity}
-- cost   O(1) but for what scripts that stopped midway left, at most 10 commands
--
-- That the epoch is over is written first. From then on open.lua refuses whoever has it from the registry, where it
-- stands for a moment longer, so that nothing is sent into a shard that the registry is about to forget. Stopped
-- between, the shard goes on as it is, until it is deleted or opened by a later epoch.
local meta = redis.call('HMGET', KEYS[5], 'identity', 'notices')
if meta[1] and meta[1] ~= ARGV[1] then
  return {'MISMATCH', meta[1]}
end
local function held(key)
  return redis.call('HLEN', key) - redis.call('HEXISTS', key, ARGV[2])
end
local messages, letters = held(KEYS[3]), held(KEYS[7])
if messages + letters > 0 or ARGV[3] == '0' then
  return {'OK', 'h', messages, letters}
end
local epoch = string.match(ARGV[1], '(%d+)$')
local ended = string.match(redis.call('GET', KEYS[13]) or '', '^%d+')
-- a write that is not refused when memory is full lets the others pass
redis.call('HDEL', KEYS[5], '')
if not ended or tonumber(ended) < tonumber(epoch) then
  redis.call('SET', KEYS[13], epoch .. (meta[2] and 'n' or ''), 'PX', ARGV[3])
end
redis.call('DEL', unpack(KEYS, 1, 12))
return {'OK', 'd', epoch}
