-- Replaces the entry of a job if it is as expected. Also runs when memory is full.
--
-- KEYS[1] jobs (HASH id → entry)  KEYS[2] consumed topics and version of the heartbeat's reply (HASH)
-- ARGV[1] id  ARGV[2] expected entry, '' for none  ARGV[3] new entry, '' to remove the job
-- ARGV[4] '1': signal all nodes  ARGV[5] signal channel
-- result {now in µs, the entry that was found, '' for none}
-- cost   O(1), 4 commands, and a PUBLISH
local jobsKey, topicsKey = KEYS[1], KEYS[2]
local clock = redis.call('TIME')
-- Redis permits all further writes of a script after one that uses no memory, even if memory is full
redis.call('HDEL', jobsKey, '')
local found = redis.call('HGET', jobsKey, ARGV[1]) or ''
if found == ARGV[2] then
  if ARGV[3] == '' then
    redis.call('HDEL', jobsKey, ARGV[1])
  else
    redis.call('HSET', jobsKey, ARGV[1], ARGV[3])
  end
  if ARGV[4] == '1' then
    -- the reply to each node's next heartbeat says that there are jobs; '-' is no node name
    redis.call('HSET', topicsKey, '#version', clock[1] .. '.' .. clock[2])
    redis.pcall('PUBLISH', ARGV[5], 'm -')
  end
end
return {clock[1] .. string.format('%06d', clock[2]), found}
