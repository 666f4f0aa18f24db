-- Lists the schedules that no process declares any more. Removes one of them on request.
--
-- KEYS[1] declared schedules (HASH topic, id → time of the last declaration in ms, timing)
-- ARGV[1] time in ms after which a declaration lapses, if it is not renewed
-- ARGV[2] entry to remove if it has lapsed: topic and id; '' for none
-- result {topic and id, time in ms, ...}
-- cost   O(declared schedules), 3 commands
local key, lapse = KEYS[1], tonumber(ARGV[1])
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local entries = redis.call('HGETALL', key)
local lapsed = {}
for i = 1, #entries, 2 do
  local at = string.match(entries[i + 1], '^%d+')
  if at and now - at >= lapse then
    if entries[i] == ARGV[2] then
      redis.call('HDEL', key, entries[i])
    else
      lapsed[#lapsed + 1] = entries[i]
      lapsed[#lapsed + 1] = at
    end
  end
end
return lapsed
