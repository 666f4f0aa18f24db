-- fragment: adds a topic in which an id is live and that its entry does not have, because the message was not pushed
-- through the index or because the entry was lost.
--
-- arguments topic, escaped
-- result {'OK'} | {'UNREADABLE', entry}
-- cost   O(others), at most 3 commands
arguments.add = 1
function operations.add(key, id, topic)
  local entry, unreadable = stored(key, id)
  if unreadable then
    return unreadable
  end
  if not entry then
    passMemoryCheck(key)
    written(key, id, {version = versionText(nowMicros), state = 's', current = topic, others = {}})
  elseif entry.current ~= topic and not findOther(entry, topic) then
    passMemoryCheck(key)
    entry.others[#entry.others + 1] = {since = nowMs, topic = topic}
    written(key, id, entry)
  end
  return {'OK'}
end
