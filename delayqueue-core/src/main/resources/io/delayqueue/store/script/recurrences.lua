-- Reads recurring messages, in the order of the bytes of their ids.
--
-- KEYS[1..5] schedule, leases, messages, deliveries, meta  KEYS[6..7] recurring, recurrences
-- ARGV[1] identity  ARGV[2] the id, or '' to read several  ARGV[3] the id after which to start, or ''  ARGV[4] count (1..500)
-- ARGV[5] most bytes  ARGV[6] sentinel
-- result {'OK', now in µs, the last id if more follow, else '', {id, recurrence, message as in live.lua} of each} | {'UNKNOWN'}
--        | {'MISMATCH', identity}
-- cost   O(log N + count), 4 commands and 6 for each message. Reads at least one, and stops at the byte bound
--@include keys
--@include clock
local recurringKey, recurrencesKey = KEYS[6], KEYS[7]
local identity, polledText = unpack(redis.call('HMGET', metaKey, 'identity', 'polled'))
--@include identity
--@include polled
--@include live
local ids = {ARGV[2]}
if ARGV[2] == '' then
  local after = ARGV[3] == '' and '-' or '(' .. ARGV[3]
  ids = redis.call('ZRANGEBYLEX', recurringKey, after, '+', 'LIMIT', '0', ARGV[4] + 2)
end
local found, bytes, last = {}, 0, ''
for _, id in ipairs(ids) do
  local recurrence = id ~= ARGV[6] and redis.call('HGET', recurrencesKey, id)
  if recurrence then
    bytes = bytes + redis.call('HSTRLEN', messagesKey, id) + redis.call('HSTRLEN', deliveriesKey, id)
    if #found == tonumber(ARGV[4]) or #found > 0 and bytes > tonumber(ARGV[5]) then
      last = found[#found][1]
      break
    end
    found[#found + 1] = {id, recurrence, live(id)}
  end
end
if last == '' and ARGV[2] == '' and #ids == ARGV[4] + 2 then
  -- some of them were removed by scripts that stopped midway
  last = ids[#ids]
end
return {'OK', nowMicros, last, found}
