-- Returns a page of the old entries of a bucket.
--
-- KEYS[1] bucket
-- ARGV[1] '' (no id)  ARGV[2] cursor, '0' to start a sweep  ARGV[3] approximate page size  ARGV[4] minimum age, ms
-- ARGV[5] minimum time between the starts of two sweeps of the bucket, by any process, ms
-- result {next cursor, '0' after the last page, {id, version, current topic, other topics ...}, ...}
-- cost   O(page), at most 6 commands. Runs also when memory is full
-- The field '' has the start of the last sweep. It is removed with the last entry.
--@include entry
if ARGV[2] == '0' then
  local started = redis.call('HGET', KEYS[1], '')
  local entries = redis.call('HLEN', KEYS[1]) - (started and 1 or 0)
  if entries == 0 then
    if started then
      redis.call('HDEL', KEYS[1], '')
    end
    return {'0'}
  end
  -- a start in the future was stored before the clock went back
  local since = started and nowMs - started
  if since and since >= 0 and since < tonumber(ARGV[5]) then
    return {'0'}
  end
  passMemoryCheck(KEYS[1])
  redis.call('HSET', KEYS[1], '', nowMs)
end
local page = redis.call('HSCAN', KEYS[1], ARGV[2], 'COUNT', ARGV[3])
local reply = {page[1]}
for i = 1, #page[2], 2 do
  local entry = page[2][i] ~= '' and parsed(page[2][i + 1])
  if entry and nowMicros / 1000 - tonumber(entry.version) / 1000 >= tonumber(ARGV[4]) then
    local found = {page[2][i], entry.version, entry.current}
    for _, other in ipairs(entry.others) do
      found[#found + 1] = other.topic
    end
    reply[#reply + 1] = found
  end
end
return reply
