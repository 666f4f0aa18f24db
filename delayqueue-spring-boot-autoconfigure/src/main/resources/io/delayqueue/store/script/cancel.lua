-- Cancels a message, scheduled or leased.
--
-- KEYS[1..5] schedule, leases, messages, deliveries, meta
-- ARGV[1] identity  ARGV[2] id
-- result {'OK', 'c' cancelled | 'h' cancelled while handled | 'n' not found} | {'UNKNOWN'} | {'MISMATCH', identity}
-- cost   O(log N), at most 9 commands
--
-- The message goes first: the places that outlive it for a moment are swept by the next claim or reclaim.
local identity = redis.call('HGET', KEYS[5], 'identity')
if identity ~= ARGV[1] then
  return identity and {'MISMATCH', identity} or {'UNKNOWN'}
end
local found = redis.call('HEXISTS', KEYS[3], ARGV[2]) == 1
local scheduled = redis.call('ZSCORE', KEYS[1], ARGV[2])
local leased = redis.call('ZSCORE', KEYS[2], ARGV[2])
redis.call('HDEL', KEYS[3], ARGV[2])
redis.call('HDEL', KEYS[4], ARGV[2])
redis.call('ZREM', KEYS[1], ARGV[2])
redis.call('ZREM', KEYS[2], ARGV[2])
if not found then
  return {'OK', 'n'}
end
return {'OK', (leased and not scheduled) and 'h' or 'c'}
