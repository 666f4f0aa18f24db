-- Adds a pause, or ends pauses. Also runs when memory is full.
--
-- KEYS[1] consumed topics and version of the heartbeat's reply (HASH)
-- KEYS[2] pauses (HASH topic, listener, node → author, time)
-- ARGV[1] 'pause' | 'resume'  ARGV[2] signal channel  ARGV[3] author  ARGV[4] maximum number of pauses
-- ARGV[5...] pauses: topic, listener, node; one to add, any number to end
-- result {number of pauses that were added or ended}; {-1} if there would be too many
-- cost   O(number of given pauses), 5 commands, one for each given pause and a PUBLISH
--
-- The version is written first. If the script stops after it, nodes only read the same list once more. In the other
-- order a stop would leave a pause that no node reads. The version is also written if the hash does not change, because
-- an earlier call may have stopped midway. A pause that exists keeps its author and time.
local topicsKey, pausesKey = KEYS[1], KEYS[2]
local adds = ARGV[1] == 'pause'
local clock = redis.call('TIME')
local exists = adds and redis.call('HEXISTS', pausesKey, ARGV[5]) == 1
if adds and not exists and redis.call('HLEN', pausesKey) >= tonumber(ARGV[4]) then
  return {-1}
end
-- Redis permits all further writes of a script after one that uses no memory, even if memory is full
redis.call('HDEL', topicsKey, '')
redis.call('HSET', topicsKey, '#version', clock[1] .. '.' .. clock[2])
local changed = 0
if adds and not exists then
  local now = string.format('%.0f', clock[1] * 1000 + math.floor(clock[2] / 1000))
  changed = redis.call('HSET', pausesKey, ARGV[5], 'at=' .. now .. '&' .. ARGV[3])
end
for i = 5, adds and 0 or #ARGV do
  changed = changed + redis.call('HDEL', pausesKey, ARGV[i])
end
-- '-' is no node name, so that every node treats this as a change of another node
redis.pcall('PUBLISH', ARGV[2], 'm -')
return {changed}
