-- Enables notifications of dead letters, for dead-letter listeners. Each new dead letter then gets a notification.
--
-- KEYS[1..5] schedule, leases, messages, deliveries, meta
-- ARGV[1] identity
-- result {'OK'} | {'UNKNOWN'} | {'MISMATCH', identity}
-- cost   O(1), at most 3 commands. Also runs when memory is full
--@include keys
local identity, notifying = unpack(redis.call('HMGET', metaKey, 'identity', 'notifications'))
--@include identity
if notifying then
  return {'OK'}
end
-- Redis permits all further writes of a script after one that uses no memory, even if memory is full
redis.call('HDEL', metaKey, '')
redis.call('HSET', metaKey, 'notifications', '1')
return {'OK'}
