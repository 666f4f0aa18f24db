-- Cancels a message, scheduled or leased. With a version, cancels it unless it has a greater version. With an empty
-- version, only reads the message's version.
--
-- KEYS[1..5] schedule, leases, messages, deliveries, meta
-- ARGV[1] identity  ARGV[2] signal channel  ARGV[3] queue's signal name  ARGV[4] id
-- optional ARGV[5] version: a message with a greater version is kept; empty: every message is kept
-- optional ARGV[6] '1': a message that was not claimed since it was sent is kept, too
-- optional ARGV[7] a message that was sent after this time, in ms since 1970, is kept, too
-- result {'OK', 'c' cancelled | 'h' cancelled while leased | 'l' kept | 'n' not found, or being moved to another topic,
--         its version or '' (read only if ARGV[5] is given)} | {'UNKNOWN'} | {'MISMATCH', identity}
-- cost   O(log N), at most 10 commands, and a PUBLISH if it was leased. Also runs when memory is full
--
-- The message is removed first. If the script then stops, the next claim or reclaim removes the id from schedule and
-- leases.
--@include keys
--@include head
--@include version
--@include taken
local identity, limits = unpack(redis.call('HMGET', metaKey, 'identity', 'limits'))
if identity ~= ARGV[1] then
  return identity and {'MISMATCH', identity} or {'UNKNOWN'}
end
local found, version = nil, ''
local scheduled = redis.call('ZSCORE', scheduleKey, ARGV[4])
if scheduled and tonumber(scheduled) >= TAKEN then
  return {'OK', 'n', ''}
end
if ARGV[5] then
  local message = redis.call('HGET', messagesKey, ARGV[4])
  found = message and true
  version = message and hasHead(message) and versionAt(message, 14) or ''
  if ARGV[5] == '' or version > ARGV[5]
    or message and ARGV[7] and hasHead(message) and timeAt(message, 2) > tonumber(ARGV[7])
    or message and ARGV[6] == '1' and redis.call('HEXISTS', deliveriesKey, ARGV[4]) == 0 then
    return {'OK', found and 'l' or 'n', version}
  end
else
  found = redis.call('HEXISTS', messagesKey, ARGV[4]) == 1
end
local leased = redis.call('ZSCORE', leasesKey, ARGV[4])
redis.call('HDEL', messagesKey, ARGV[4])
redis.call('HDEL', deliveriesKey, ARGV[4])
redis.call('ZREM', scheduleKey, ARGV[4])
redis.call('ZREM', leasesKey, ARGV[4])
if not found then
  return {'OK', 'n', ''}
end
if not leased or scheduled then
  return {'OK', 'c', version}
end
redis.pcall('PUBLISH', ARGV[2], 'r ' .. ARGV[3] .. ' ' .. ARGV[4])
if limits then
  -- a place became free
  redis.pcall('PUBLISH', ARGV[2], 's ' .. ARGV[3] .. ' -')
end
return {'OK', 'h', version}
