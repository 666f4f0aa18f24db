-- Lets a notice be kept of each death from now on, for dead-letter listeners.
--
-- KEYS[1..5] schedule, leases, messages, deliveries, meta
-- ARGV[1] identity
-- result {'OK'} | {'UNKNOWN'} | {'MISMATCH', identity}
-- cost   O(1), at most 3 commands. Runs also when memory is full
local meta = redis.call('HMGET', KEYS[5], 'identity', 'notices')
if meta[1] ~= ARGV[1] then
  return meta[1] and {'MISMATCH', meta[1]} or {'UNKNOWN'}
end
if meta[2] then
  return {'OK'}
end
-- a write that is not refused when memory is full lets the other pass
redis.call('HDEL', KEYS[5], '')
redis.call('HSET', KEYS[5], 'notices', '1')
return {'OK'}
