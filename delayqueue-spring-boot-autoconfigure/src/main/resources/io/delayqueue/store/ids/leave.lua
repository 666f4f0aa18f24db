-- Removes an entry whose id is live nowhere, unless a push came since it was looked, or one that is under way, or stopped
-- midway a short time ago, may still put a message somewhere.
--
-- KEYS[1] bucket
-- ARGV[1] id  ARGV[2] number that was looked under  ARGV[3] how long such a push may take, ms
-- ARGV[4] how old the entry must be, ms
-- result {1} if it was removed, else {0}
-- cost   O(others), at most 3 commands. Runs also when memory is full
--@include entry
local text = redis.call('HGET', KEYS[1], ARGV[1])
local entry = text and parsed(text)
if not entry or entry.number ~= ARGV[2] then
  return {0}
end
local age, grace = nowMicros / 1000 - tonumber(entry.number) / 1000, tonumber(ARGV[3])
if age < tonumber(ARGV[4]) or (entry.state == 'p' and age < grace) then
  return {0}
end
for _, other in ipairs(entry.others) do
  if nowMs - other.since < grace then
    return {0}
  end
end
return {redis.call('HDEL', KEYS[1], ARGV[1])}
