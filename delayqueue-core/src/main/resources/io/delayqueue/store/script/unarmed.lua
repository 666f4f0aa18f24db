-- Reads the recurring messages that are unarmed.
--
-- KEYS[1..5] schedule, leases, messages, deliveries, meta  KEYS[6..7] recurring, recurrences
-- ARGV[1] identity  ARGV[2] how many to skip  ARGV[3] count (1..500)  ARGV[4] most bytes of messages
-- result {'OK', now in µs, {id, slot as in the message or '', '<how it ended> <end in ms> <next slot or empty>', recurrence or ''}
--         of each} | {'UNKNOWN'} | {'MISMATCH', identity}
-- cost   O(log N + count), 4 commands and one for each message. Reads at least one, and stops at the byte bound
--@include keys
--@include clock
--@include head
--@include recurring
local recurrencesKey = KEYS[7]
local identity = redis.call('HGET', metaKey, 'identity')
--@include identity
local ids = redis.call('ZRANGEBYSCORE', scheduleKey, recurring.UNARMED, recurring.UNARMED, 'LIMIT', ARGV[2], ARGV[3])
local found, bytes = {}, 0
if #ids > 0 then
  local recurrences = redis.call('HMGET', recurrencesKey, unpack(ids))
  local deliveries = redis.call('HMGET', deliveriesKey, unpack(ids))
  for i, id in ipairs(ids) do
    local message = redis.call('HGET', messagesKey, id) or ''
    bytes = bytes + #message
    if i > 1 and bytes > tonumber(ARGV[4]) then
      break
    end
    -- a foreign client may have removed the delivery
    local ending = string.match(deliveries[i] or '', '^%z@(.*)$') or '- ' .. nowText .. ' '
    found[i] = {id, slotOf(message) or '', ending, recurrences[i] or ''}
  end
end
return {'OK', nowMicros, found}
