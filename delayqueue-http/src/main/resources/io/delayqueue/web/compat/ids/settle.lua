-- Settles a push after its message was sent and the messages in other topics were cancelled: removes the other topics
-- from the entry, unless another push has started meanwhile.
--
-- KEYS[1] bucket
-- ARGV[1] id  ARGV[2] topic of the push, escaped  ARGV[3] version of the push
-- ARGV[4] time for which another topic is kept, ms: an interrupted push may still store a message there
-- ARGV[5] maximum number of other topics that are kept, the newest
-- result {'OK'}: this push is current, or a later push to the same topic
--        | {'LATER'}: a later push to another topic is current; the caller must cancel the message of this push
--        | {'EARLIER', other topics ...}: the entry was lost and recreated by an earlier push; it now has this push,
--        and the caller must cancel the messages in the other topics and settle again
--        | {'UNREADABLE', entry}
-- cost   O(others), at most 4 commands. Runs also when memory is full
--@include entry
local text = redis.call('HGET', KEYS[1], ARGV[1])
local entry = text and parsed(text)
if text and not entry then
  return {'UNREADABLE', text}
end
passMemoryCheck()
if not entry then
  written({version = ARGV[3], state = 's', current = ARGV[2], others = {}})
  return {'OK'}
end
if entry.version > ARGV[3] then
  local known = entry.current == ARGV[2]
  for _, other in ipairs(entry.others) do
    known = known or other.topic == ARGV[2]
  end
  if not known then
    entry.others[#entry.others + 1] = {since = nowMs, topic = ARGV[2]}
    written(entry)
  end
  return entry.current == ARGV[2] and {'OK'} or {'LATER'}
end
if entry.version < ARGV[3] then
  local reply, others = {'EARLIER'}, {}
  for _, other in ipairs(entry.others) do
    if other.topic ~= ARGV[2] then
      others[#others + 1] = other
      reply[#reply + 1] = other.topic
    end
  end
  if entry.current ~= ARGV[2] then
    others[#others + 1] = {since = nowMs, topic = entry.current}
    reply[#reply + 1] = entry.current
  end
  written({version = ARGV[3], state = 'p', current = ARGV[2], others = others})
  return reply
end
local young = {}
local from = math.max(1, #entry.others - tonumber(ARGV[5]) + 1)
for i = from, #entry.others do
  if nowMs - entry.others[i].since < tonumber(ARGV[4]) then
    young[#young + 1] = entry.others[i]
  end
end
if entry.state == 'p' or #young < #entry.others then
  entry.state, entry.others = 's', young
  written(entry)
end
return {'OK'}
