-- Reports what a process sent and received within the last minute, and the holders of its old leases. Returns the requests to
-- release leases. Also runs when memory is full.
--
-- KEYS[1] throughput (HASH process → time in ms, line feed, report)  KEYS[2] requests to release leases (HASH holder → ms)
-- ARGV[1] process  ARGV[2] report; empty: the process sent and received nothing
-- ARGV[3] '1': remove the reports of processes that ended without a last report  ARGV[4] time in ms for which a request is kept
-- result {holder, age of the request in ms, holder, ...}
-- cost   O(size of the report + requests), 5 commands; O(size of all reports) and a command for each removed one with '1'
local key = KEYS[1]
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local remembered = 60000
-- Redis permits all further writes of a script after one that uses no memory, even if memory is full
redis.call('HDEL', key, '')
if ARGV[3] == '1' then
  local all = redis.call('HGETALL', key)
  for i = 1, #all, 2 do
    if math.abs(now - tonumber(string.match(all[i + 1], '^%d+') or 0)) > remembered then
      redis.call('HDEL', key, all[i])
    end
  end
end
if ARGV[2] == '' then
  redis.call('HDEL', key, ARGV[1])
else
  redis.call('HSET', key, ARGV[1], string.format('%.0f', now) .. '\n' .. ARGV[2])
  redis.call('PEXPIRE', key, remembered)
end
local requests, reply = redis.call('HGETALL', KEYS[2]), {}
for i = 1, #requests, 2 do
  local age = now - tonumber(string.match(requests[i + 1], '^%d+$') or 0)
  if math.abs(age) <= tonumber(ARGV[4]) then
    reply[#reply + 1] = requests[i]
    reply[#reply + 1] = math.max(0, age)
  end
end
return reply
