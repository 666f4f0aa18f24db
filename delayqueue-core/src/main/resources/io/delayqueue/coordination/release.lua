-- Requests the release of leases from the processes that gave them, which read the request with their next reports. Also runs
-- when memory is full.
--
-- KEYS[1] requests (HASH holder → time in ms)
-- ARGV[1] holder: client or node, and topic  ARGV[2] time in ms for which the request is kept
-- result {}
-- cost   O(requests), 5 commands and one for each request that is removed
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
-- Redis permits all further writes of a script after one that uses no memory, even if memory is full
redis.call('HDEL', KEYS[1], '')
local all = redis.call('HGETALL', KEYS[1])
for i = 1, #all, 2 do
  if math.abs(now - tonumber(string.match(all[i + 1], '^%d+$') or 0)) > tonumber(ARGV[2]) then
    redis.call('HDEL', KEYS[1], all[i])
  end
end
redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f', now))
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return {}
