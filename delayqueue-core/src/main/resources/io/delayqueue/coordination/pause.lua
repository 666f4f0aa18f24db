-- Pauses or resumes a topic on all nodes. Also runs when memory is full.
--
-- KEYS[1] consumed topics and version of the heartbeat's reply (HASH)  KEYS[2] paused topics (SET)
-- ARGV[1] topic  ARGV[2] '1' pause | '0' resume  ARGV[3] signal channel
-- result {1} if this changed the set, else {0}
-- cost   O(1), 4 commands and a PUBLISH
--
-- The version is written first. If the script stops after it, nodes only read the same list once more. In the other
-- order a stop would leave a pause that no node reads. The version is also written if the set does not change, because
-- an earlier call may have stopped midway.
local topicsKey, pausedKey = KEYS[1], KEYS[2]
local clock = redis.call('TIME')
-- Redis permits all further writes of a script after one that uses no memory, even if memory is full
redis.call('HDEL', topicsKey, '')
redis.call('HSET', topicsKey, '#version', clock[1] .. '.' .. clock[2])
local changed = redis.call(ARGV[2] == '1' and 'SADD' or 'SREM', pausedKey, ARGV[1])
-- '-' is no node name, so that every node treats this as a change of another node
redis.pcall('PUBLISH', ARGV[3], 'm -')
return {changed}
