-- Returns the live nodes, the topics that they consume, and the topics that are paused on all nodes.
--
-- KEYS[1] last heartbeats (ZSET node → ms)  KEYS[2] consumed topics (HASH node → topics)
-- KEYS[3] topics that are paused on all nodes (SET)
-- ARGV[1] node timeout in ms
-- result {now in µs, paused topics, node, last heartbeat in ms, topics, node, ...}
-- cost   O(nodes + paused topics), 3 commands and one more for each node
local heartbeatsKey, topicsKey, pausedKey = KEYS[1], KEYS[2], KEYS[3]
local clock = redis.call('TIME')
local nowMicros = clock[1] .. string.format('%06d', clock[2])
local deadline = clock[1] * 1000 + math.floor(clock[2] / 1000) - tonumber(ARGV[1])
local reply = {nowMicros, redis.call('SMEMBERS', pausedKey)}
local living = redis.call('ZRANGEBYSCORE', heartbeatsKey, '(' .. string.format('%.0f', deadline), '+inf', 'WITHSCORES')
for i = 1, #living, 2 do
  local at = #reply
  reply[at + 1], reply[at + 2] = living[i], living[i + 1]
  reply[at + 3] = redis.call('HGET', topicsKey, living[i]) or ''
end
return reply
