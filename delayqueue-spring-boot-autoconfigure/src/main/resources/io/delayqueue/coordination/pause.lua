-- Pauses a topic on all nodes, or ends its pause. Runs also when memory is full.
--
-- KEYS[1] what each node consumes, with the version of what nodes hear (HASH)  KEYS[2] paused topics (SET)
-- ARGV[1] topic  ARGV[2] '1' pause | '0' resume  ARGV[3] signal channel
-- result {1} if it was not so before, else {0}
-- cost   O(1), 4 commands and a PUBLISH
--
-- The version comes first: stopped between, nodes hear once more what they know. After the set, it would leave a pause
-- that nobody heard of. It is written also if nothing changes, as nodes may have missed what an earlier call did.
local clock = redis.call('TIME')
-- a write that is not refused when memory is full lets the others pass
redis.call('HDEL', KEYS[1], '')
redis.call('HSET', KEYS[1], '#version', clock[1] .. '.' .. clock[2])
local changed = redis.call(ARGV[2] == '1' and 'SADD' or 'SREM', KEYS[2], ARGV[1])
-- '-' is no node, so that each one takes it for another's news
redis.pcall('PUBLISH', ARGV[3], 'm -')
return {changed}
