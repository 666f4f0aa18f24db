-- Reads all jobs.
--
-- KEYS[1] jobs (HASH id → entry)
-- result {now in µs, id, entry, id, entry, ...}
-- cost   O(jobs), 2 commands
local clock = redis.call('TIME')
local reply = redis.call('HGETALL', KEYS[1])
table.insert(reply, 1, clock[1] .. string.format('%06d', clock[2]))
return reply
