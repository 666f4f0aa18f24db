-- Starts pushes: makes a topic the current topic of an id before the message is sent. The previous current topic becomes
-- one of the other topics.
--
-- KEYS[1..n] buckets
-- ARGV   for each push: 'enter', number of its key, id, topic (escaped), version that the version of the push must exceed,
--        version that the entry had when the caller read it, '-' if there was none, or '' if it may have any
-- result for each push {'OK', version of the push, other topics ...} | {'UNREADABLE', entry} | {'CHANGED'}: a push to another
--        topic has started since the caller read the entry
-- cost   TIME, and for each push O(others), 2 commands
--@include entry
local replies = {}
for at = 1, #ARGV, 6 do
  local key, id, topic, floor = KEYS[tonumber(ARGV[at + 1])], ARGV[at + 2], ARGV[at + 3], tonumber(ARGV[at + 4])
  local before, unreadable = stored(key, id)
  local read = ARGV[at + 5]
  local reply = unreadable
  if before and read ~= '' and before.version ~= read and before.current ~= topic then
    reply = {'CHANGED'}
  elseif not unreadable then
    local last = math.max(floor, before and tonumber(before.version) or 0)
    local entry = {version = versionText(math.max(nowMicros, last + 1)), state = 'p', current = topic, others = {}}
    reply = {'OK', entry.version}
    for _, other in ipairs(before and before.others or {}) do
      if other.topic ~= topic then
        entry.others[#entry.others + 1] = other
        reply[#reply + 1] = other.topic
      end
    end
    if before and before.current ~= topic then
      entry.others[#entry.others + 1] = {since = nowMs, topic = before.current}
      reply[#reply + 1] = before.current
    end
    written(key, id, entry)
  end
  replies[#replies + 1] = reply
end
return replies
