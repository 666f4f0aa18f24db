-- fragment: returns the topics in which an id may be live.
--
-- arguments maximum duration of a push, ms
-- result {'OK', version, 'p' if the last push is in progress or 's', current topic, other topics ..., newest first}
--        | {'OK'} if there is no entry
--        | {'UNREADABLE', entry}
-- cost   O(others), 1 command
arguments.find = 1
function operations.find(key, id, duration)
  local entry, unreadable = stored(key, id)
  if not entry then
    return unreadable or {'OK'}
  end
  local pushing = entry.state == 'p' and nowMicros - tonumber(entry.version) < duration * 1000
  local reply = {'OK', entry.version, pushing and 'p' or 's', entry.current}
  for i = #entry.others, 1, -1 do
    reply[#reply + 1] = entry.others[i].topic
  end
  return reply
end
