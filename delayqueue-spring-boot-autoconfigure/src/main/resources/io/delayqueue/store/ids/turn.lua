-- Takes a turn at sweeping a bucket: tells a page of its old entries.
--
-- KEYS[1] bucket
-- ARGV[1] '' (no id)  ARGV[2] cursor, '0' to begin  ARGV[3] about how many  ARGV[4] how old, ms
-- ARGV[5] how much time is to pass between two beginnings, whoever made the other one, ms
-- result {next cursor, '0' at the end, {id, number, current topic, other topics ...}, ...}
-- cost   O(page), at most 5 commands. Runs also when memory is full
--
-- The field '' holds when somebody began last; it goes with the last entry.
--@include entry
if ARGV[2] == '0' then
  local began = redis.call('HGET', KEYS[1], '')
  local entries = redis.call('HLEN', KEYS[1]) - (began and 1 or 0)
  if entries == 0 then
    if began then
      redis.call('HDEL', KEYS[1], '')
    end
    return {'0'}
  end
  if began and nowMs - began < tonumber(ARGV[5]) then
    return {'0'}
  end
  letPass()
  redis.call('HSET', KEYS[1], '', nowMs)
end
local page = redis.call('HSCAN', KEYS[1], ARGV[2], 'COUNT', ARGV[3])
local reply = {page[1]}
for i = 1, #page[2], 2 do
  local entry = page[2][i] ~= '' and parsed(page[2][i + 1])
  if entry and nowMicros / 1000 - tonumber(entry.number) / 1000 >= tonumber(ARGV[4]) then
    local found = {page[2][i], entry.number, entry.current}
    for _, other in ipairs(entry.others) do
      found[#found + 1] = other.topic
    end
    reply[#reply + 1] = found
  end
end
return reply
