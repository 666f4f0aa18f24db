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
    local version = versionText(math.max(nowMicros, last + 1))
    reply = entered(key, id, before, topic, version, {'OK', version})
  end
  replies[#replies + 1] = reply
end
return replies
