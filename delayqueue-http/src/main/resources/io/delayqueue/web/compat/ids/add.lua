-- Adds a topic in which an id is live and that its entry does not have, because the message was not pushed through the
-- index or because the entry was lost.
--
-- KEYS[1] bucket
-- ARGV[1] id  ARGV[2] topic, escaped
-- result {'OK'} | {'UNREADABLE', entry}
-- cost   O(others), at most 4 commands. Runs also when memory is full
--@include entry
local text = redis.call('HGET', KEYS[1], ARGV[1])
if not text then
  passMemoryCheck()
  written({version = versionText(nowMicros), state = 's', current = ARGV[2], others = {}})
  return {'OK'}
end
local entry = parsed(text)
if not entry then
  return {'UNREADABLE', text}
end
local known = entry.current == ARGV[2]
for _, other in ipairs(entry.others) do
  known = known or other.topic == ARGV[2]
end
if not known then
  passMemoryCheck()
  entry.others[#entry.others + 1] = {since = nowMs, topic = ARGV[2]}
  written(entry)
end
return {'OK'}
