-- Reads recurring messages, in the order of the bytes of their ids.
--
-- KEYS[1..5] schedule, leases, messages, deliveries, meta  KEYS[6..7] recurring, recurrences
-- ARGV[1] identity  ARGV[2] the id, or '' to read several  ARGV[3] the id after which to start, or ''  ARGV[4] count (1..1000)
-- ARGV[5] most bytes, or 0 to read no messages  ARGV[6] sentinel
-- result {'OK', now in µs, the last id if more follow, else '', {id, recurrence, message as in live.lua} of each; without
--         messages {id, recurrence, '1' if its slot has passed or its occurrence has started, else '0'}} | {'UNKNOWN'}
--        | {'MISMATCH', identity}
-- cost   O(log N + count), 4 commands, and 6 for each message, or 3 without messages. Reads at least one, and stops at the byte bound
--@include keys
--@include clock
local recurringKey, recurrencesKey = KEYS[6], KEYS[7]
local identity, polledText = unpack(redis.call('HMGET', metaKey, 'identity', 'polled'))
--@include identity
--@include polled
--@include live
--@include firstdue
local maxBytes = tonumber(ARGV[5])
local messages = maxBytes > 0

local function passed(id)
  local due = redis.call('ZSCORE', scheduleKey, id) or keyed and redis.call('ZSCORE', parkedDueKey, id)
  return (not due or tonumber(due) <= now or redis.call('HSTRLEN', deliveriesKey, id) > 0 and tonumber(due) < 2 * SUSPECT)
    and '1' or '0'
end

local ids = {ARGV[2]}
if ARGV[2] == '' then
  local after = ARGV[3] == '' and '-' or '(' .. ARGV[3]
  ids = redis.call('ZRANGEBYLEX', recurringKey, after, '+', 'LIMIT', '0', ARGV[4] + 2)
end
local found, bytes, last = {}, 0, ''
for _, id in ipairs(ids) do
  local recurrence = id ~= ARGV[6] and redis.call('HGET', recurrencesKey, id)
  if recurrence then
    if messages then
      bytes = bytes + redis.call('HSTRLEN', messagesKey, id) + redis.call('HSTRLEN', deliveriesKey, id)
    end
    if #found == tonumber(ARGV[4]) or #found > 0 and bytes > maxBytes then
      last = found[#found][1]
      break
    end
    found[#found + 1] = {id, recurrence, messages and live(id) or passed(id)}
  end
end
if last == '' and ARGV[2] == '' and #ids == ARGV[4] + 2 then
  -- some of them were removed by scripts that stopped midway
  last = ids[#ids]
end
return {'OK', nowMicros, last, found}
