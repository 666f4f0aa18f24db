-- Cancels a message, scheduled or leased, unless it was sent under a later number; or only tells of it.
--
-- KEYS[1..5] schedule, leases, messages, deliveries, meta
-- ARGV[1] identity  ARGV[2] id  ARGV[3] number: a message under a greater one stays; empty: any stays
-- result {'OK', 'c' cancelled | 'h' cancelled while handled | 'l' left as it is | 'n' not found, its number or ''}
--        | {'UNKNOWN'} | {'MISMATCH', identity}
-- cost   O(log N), at most 9 commands. Runs also when memory is full
--
-- The message goes first: the places that outlive it for a moment are swept by the next claim or reclaim.
--@include head
--@include number
local identity = redis.call('HGET', KEYS[5], 'identity')
if identity ~= ARGV[1] then
  return identity and {'MISMATCH', identity} or {'UNKNOWN'}
end
local message = redis.call('HGET', KEYS[3], ARGV[2])
local number = message and hasHead(message) and numberAt(message, 14) or ''
if ARGV[3] == '' or number > ARGV[3] then
  return {'OK', message and 'l' or 'n', number}
end
local scheduled = redis.call('ZSCORE', KEYS[1], ARGV[2])
local leased = redis.call('ZSCORE', KEYS[2], ARGV[2])
redis.call('HDEL', KEYS[3], ARGV[2])
redis.call('HDEL', KEYS[4], ARGV[2])
redis.call('ZREM', KEYS[1], ARGV[2])
redis.call('ZREM', KEYS[2], ARGV[2])
if not message then
  return {'OK', 'n', ''}
end
return {'OK', (leased and not scheduled) and 'h' or 'c', number}
