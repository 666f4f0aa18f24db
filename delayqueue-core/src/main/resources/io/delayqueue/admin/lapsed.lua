-- Lists the schedules that no process declares any more.
--
-- KEYS[1] declarations, see declare.lua
-- ARGV[1] time in ms since the last declaration
-- result {topic and id, time of the last declaration in ms, mark, ...}
-- cost   O(declarations), 2 commands
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local entries = redis.call('HGETALL', KEYS[1])
local lapsed = {}
for i = 1, #entries, 2 do
  local at, mark = string.match(entries[i + 1], '^(%d+) (%S+)')
  if at and now - at >= tonumber(ARGV[1]) then
    lapsed[#lapsed + 1] = entries[i]
    lapsed[#lapsed + 1] = at
    lapsed[#lapsed + 1] = mark
  end
end
return lapsed
