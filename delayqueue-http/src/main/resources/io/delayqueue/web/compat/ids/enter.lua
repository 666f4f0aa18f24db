-- Starts a push: makes a topic the current topic of an id before the message is sent. The previous current topic
-- becomes one of the other topics.
--
-- KEYS[1] bucket
-- ARGV[1] id  ARGV[2] topic, escaped  ARGV[3] version that the version of the push must exceed
-- result {'OK', version of the push, other topics ...} | {'UNREADABLE', entry}
-- cost   O(others), 3 commands
--@include entry
local text = redis.call('HGET', KEYS[1], ARGV[1])
local before = text and parsed(text)
if text and not before then
  return {'UNREADABLE', text}
end
local last = math.max(tonumber(ARGV[3]), before and tonumber(before.version) or 0)
local entry = {version = versionText(math.max(nowMicros, last + 1)), state = 'p', current = ARGV[2], others = {}}
local reply = {'OK', entry.version}
for _, other in ipairs(before and before.others or {}) do
  if other.topic ~= ARGV[2] then
    entry.others[#entry.others + 1] = other
    reply[#reply + 1] = other.topic
  end
end
if before and before.current ~= ARGV[2] then
  entry.others[#entry.others + 1] = {since = nowMs, topic = before.current}
  reply[#reply + 1] = before.current
end
written(entry)
return reply
