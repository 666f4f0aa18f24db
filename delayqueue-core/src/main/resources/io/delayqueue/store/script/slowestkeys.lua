-- Finds the keys of an ordered topic whose parked messages have been due for longest, and what each waits for.
--
-- KEYS[1..5] schedule, leases, messages, deliveries, meta
-- ARGV[1] identity  ARGV[2] most parked messages to look at  ARGV[3] most keys  ARGV[4] most bytes
-- result {'OK', now in µs, {{key, parked messages, due time of the one that has been due for longest, '1' if the head holds the
--        key, id of the head or '', head as in live.lua} of each key}}, no keys of a topic that is not ordered |
--        {'UNKNOWN'} | {'MISMATCH', identity}
-- cost   O(log N + parked messages to look at), 4 commands, 11 more for each key, and one for each of the parked messages that
--        has no message. Reads at least one key, and stops at the byte bound
--@include keys
--@include clock
--@include packedtime
--@include head
local identity, polledText = unpack(redis.call('HMGET', metaKey, 'identity', 'polled'))
--@include identity
--@include polled
--@include order
--@include live
local found, known, seen, bytes = {}, {}, {}, 0
if keyed and not fair then
  local due = redis.call('ZRANGEBYSCORE', parkedDueKey, '-inf', nowText, 'WITHSCORES', 'LIMIT', '0', ARGV[2])
  for i = 1, #due, 2 do
    if #found == tonumber(ARGV[3]) then
      break
    end
    local message = not seen[due[i]] and redis.call('HGET', messagesKey, due[i])
    local key = keyOf(message)
    if key and not known[key] then
      local head = order.headsOf({key})[1] or ''
      local id = string.sub(head, 14)
      bytes = bytes + #message + redis.call('HSTRLEN', messagesKey, id) + redis.call('HSTRLEN', deliveriesKey, id)
      if #found > 0 and bytes > tonumber(ARGV[4]) then
        break
      end
      known[key] = true
      local first = '[' .. key .. '\0'
      local parked = redis.call('ZLEXCOUNT', parkedKey, first, '(' .. key .. '\1')
      found[#found + 1] = {key, parked, due[i + 1], string.byte(head) == 33 and '1' or '0', id, live(id)}
      -- the others of the key are not read, so that the messages of one key do not hide other keys
      local last = '(' .. key .. '\0' .. packedTime(due[#due] + 1)
      for _, member in ipairs(redis.call('ZRANGEBYLEX', parkedKey, first, last, 'LIMIT', '0', ARGV[2])) do
        seen[string.sub(member, #key + 14)] = true
      end
    end
  end
end
return {'OK', nowMicros, found}
