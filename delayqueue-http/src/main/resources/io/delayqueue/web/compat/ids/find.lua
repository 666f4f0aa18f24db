-- fragment: returns the topics in which an id may be live.
--
-- result {'OK', version, current topic, other topics ..., newest first} | {'OK'} if there is no entry
--        | {'UNREADABLE', entry}
-- cost   O(others), 1 command
arguments.find = 0
function operations.find(key, id)
  local entry, unreadable = stored(key, id)
  if not entry then
    return unreadable or {'OK'}
  end
  local reply = {'OK', entry.version, entry.current}
  for i = #entry.others, 1, -1 do
    reply[#reply + 1] = entry.others[i].topic
  end
  return reply
end
