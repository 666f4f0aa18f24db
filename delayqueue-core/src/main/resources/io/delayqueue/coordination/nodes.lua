-- Returns the live nodes, the topics that they consume and their reports, the pauses, and the nodes that left or failed
-- within the last hour.
--
-- KEYS[1] last heartbeats (ZSET node → ms)  KEYS[2] consumed topics (HASH node → topics)
-- KEYS[3] pauses (HASH topic, listener, node → author, time)  KEYS[4] reports (HASH node → report)
-- KEYS[5] former nodes (HASH node → last heartbeat in ms, 'left' or 'failed', line feed, last report)
-- ARGV[1] node timeout in ms
-- result {now in µs, {pause, value, pause, ...}, {node, last heartbeat in ms, topics, report, node, ...},
--        {node, entry, node, ...}}
-- cost   O(nodes + former nodes + pauses), 4 commands and two more for each node
local heartbeatsKey, topicsKey, pausesKey, reportsKey, formerKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local clock = redis.call('TIME')
local nowMicros = clock[1] .. string.format('%06d', clock[2])
local deadline = clock[1] * 1000 + math.floor(clock[2] / 1000) - tonumber(ARGV[1])
local live, former = {}, redis.call('HGETALL', formerKey)
local beats = redis.call('ZRANGE', heartbeatsKey, 0, -1, 'WITHSCORES')
for i = 1, #beats, 2 do
  local node, beat = beats[i], beats[i + 1]
  local report = redis.call('HGET', reportsKey, node) or ''
  if tonumber(beat) > deadline then
    local at = #live
    live[at + 1], live[at + 2] = node, beat
    live[at + 3], live[at + 4] = redis.call('HGET', topicsKey, node) or '', report
  else
    -- no other node has sent a heartbeat since this one failed
    former[#former + 1] = node
    former[#former + 1] = string.format('%.0f', tonumber(beat)) .. ' failed\n' .. report
  end
end
return {nowMicros, redis.call('HGETALL', pausesKey), live, former}
