-- Returns the topics in which an id may be live.
--
-- KEYS[1] bucket
-- ARGV[1] id
-- result {'OK', version, current topic, other topics ..., newest first} | {'OK'} if there is no entry
--        | {'UNREADABLE', entry}
-- cost   O(others), 2 commands
--@include entry
local text = redis.call('HGET', KEYS[1], ARGV[1])
local entry = text and parsed(text)
if not entry then
  return text and {'UNREADABLE', text} or {'OK'}
end
local reply = {'OK', entry.version, entry.current}
for i = #entry.others, 1, -1 do
  reply[#reply + 1] = entry.others[i].topic
end
return reply
