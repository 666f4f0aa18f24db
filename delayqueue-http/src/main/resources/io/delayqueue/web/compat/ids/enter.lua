-- fragment: starts a push: makes a topic the current topic of an id before the message is sent. The previous current
-- topic becomes one of the other topics.
--
-- arguments topic, escaped; version that the version of the push must exceed
-- result {'OK', version of the push, other topics ...} | {'UNREADABLE', entry}
-- cost   O(others), 2 commands
arguments.enter = 2
function operations.enter(key, id, topic, floor)
  local before, unreadable = stored(key, id)
  if unreadable then
    return unreadable
  end
  local last = math.max(tonumber(floor), before and tonumber(before.version) or 0)
  local entry = {version = versionText(math.max(nowMicros, last + 1)), state = 'p', current = topic, others = {}}
  local reply = {'OK', entry.version}
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
  return reply
end
