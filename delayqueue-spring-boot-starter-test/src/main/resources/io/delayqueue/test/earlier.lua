-- Moves all scheduled messages of a shard to earlier due times, as if time had gone by; attempts are kept. For tests.
--
-- KEYS[1..2] schedule, messages
-- ARGV[1] signal channel  ARGV[2] lane's signal name  ARGV[3] by how much, ms
-- result {how many were moved}
-- cost   O(N log N): not for production
local moved = 0
local first = nil
local entries = redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')
for i = 1, #entries, 2 do
  local id = entries[i]
  local message = redis.call('HGET', KEYS[2], id)
  local line = message and string.find(message, '\n', 1, true)
  -- what is no message, such as the entry that keeps the key alive, stays
  if line and #id <= 256 then
    local due = string.format('%.0f', math.max(0, tonumber(entries[i + 1]) - tonumber(ARGV[3])))
    local head = string.gsub(string.sub(message, 1, line - 1), '%d+$', due)
    redis.call('HSET', KEYS[2], id, head .. string.sub(message, line))
    redis.call('ZADD', KEYS[1], due, id)
    first = first or due
    moved = moved + 1
  end
end
if first then
  redis.pcall('PUBLISH', ARGV[1], 'h ' .. ARGV[2] .. ' ' .. first)
end
return {moved}
