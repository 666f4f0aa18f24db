-- Lets a notice be kept of each death from now on, for dead-letter listeners.
--
-- KEYS[1..5] schedule, leases, messages, deliveries, meta
-- ARGV[1] identity
-- result {'OK'} | {'UNKNOWN'} | {'MISMATCH', identity}
-- cost   O(1), 2 commands
local identity = redis.call('HGET', KEYS[5], 'identity')
if identity ~= ARGV[1] then
  return identity and {'MISMATCH', identity} or {'UNKNOWN'}
end
redis.call('HSET', KEYS[5], 'notices', '1')
return {'OK'}
