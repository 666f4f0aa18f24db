-- Requests the stack of a listener's oldest handler from its node, which reads the request with its next heartbeat. Also runs
-- when memory is full.
--
-- KEYS[1] consumed topics and version of the heartbeat's reply (HASH)  KEYS[2] requests (HASH node → listener)
-- ARGV[1] node  ARGV[2] listener  ARGV[3] time in ms for which the request is kept  ARGV[4] signal channel
-- result {1}; {0} if the node is not known
-- cost   O(1), 6 commands and a PUBLISH
--
-- The version is written last: a node that has read it finds the request.
local topicsKey, stacksKey = KEYS[1], KEYS[2]
if redis.call('HEXISTS', topicsKey, ARGV[1]) == 0 then
  return {0}
end
local clock = redis.call('TIME')
-- Redis permits all further writes of a script after one that uses no memory, even if memory is full
redis.call('HDEL', topicsKey, '')
redis.call('HSET', stacksKey, ARGV[1], ARGV[2])
redis.call('PEXPIRE', stacksKey, ARGV[3])
redis.call('HSET', topicsKey, '#version', clock[1] .. '.' .. clock[2])
-- '-' is no node name, so that every node treats this as a change of another node
redis.pcall('PUBLISH', ARGV[4], 'm -')
return {1}
