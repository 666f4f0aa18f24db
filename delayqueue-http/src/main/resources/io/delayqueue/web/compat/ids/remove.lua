-- Removes an entry whose id is not live in any topic. Keeps it if a push has started since the topics were checked, or
-- if a pending or recently interrupted push may still store a message.
--
-- KEYS[1] bucket
-- ARGV[1] id  ARGV[2] version of the entry when the topics were checked  ARGV[3] maximum duration of a push, ms
-- ARGV[4] minimum age of the entry, ms
-- result {1} if the entry was removed, otherwise {0}
-- cost   O(others), at most 3 commands. Runs also when memory is full
--@include entry
local text = redis.call('HGET', KEYS[1], ARGV[1])
local entry = text and parsed(text)
if not entry or entry.version ~= ARGV[2] then
  return {0}
end
local age, grace = nowMicros / 1000 - tonumber(entry.version) / 1000, tonumber(ARGV[3])
if age < tonumber(ARGV[4]) or (entry.state == 'p' and age < grace) then
  return {0}
end
for _, other in ipairs(entry.others) do
  if nowMs - other.since < grace then
    return {0}
  end
end
return {redis.call('HDEL', KEYS[1], ARGV[1])}
