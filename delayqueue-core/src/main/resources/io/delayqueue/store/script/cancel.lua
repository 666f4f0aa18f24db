-- Cancels a message, scheduled or leased, and its successor. Of a recurring message it cancels the occurrence: the message is
-- then unarmed, see recurring.lua. With a version, cancels them unless one has a greater version. With an empty version, only
-- reads the greater version of both. With a nonce, does so once: a repeat changes nothing.
--
-- KEYS[1..5] schedule, leases, messages, deliveries, meta
-- KEYS[6..7] sent, sent.until: remembered outcomes; only with a nonce
-- ARGV[1] identity  ARGV[2] id
-- optional ARGV[3] version: a message is kept if it or its successor has a greater version; empty: every message is kept
-- optional ARGV[4] '1': only a message that was handled since it was sent is ended, and its successor, whatever its version,
--         takes over
-- optional ARGV[5] a message is kept, too, if it or its successor was sent after this time, in ms since 1970
-- instead of these, with KEYS[6]: ARGV[3] nonce of this cancel  ARGV[4] time to remember it, in ms
-- result {'OK', 'c' cancelled | 'h' cancelled while leased | 'l' kept | 'n' not found, or being moved, or a repeat,
--         the version that decided or '' (read only if ARGV[3] is given)} | {'UNKNOWN'} | {'MISMATCH', identity}
-- cost   O(log N), at most 9 commands, 11 with a version, 16 with a nonce, 15 if a successor takes over, and 18 more in a topic with
--        keys; three more if the message recurs; two PUBLISH if the message was leased, one if the successor is the first of the
--        schedule, and one if the message recurs. Also runs when memory is full
--
-- In a topic with keys, the next message of the key becomes its head if the cancelled one was, even if that is being handled.
--
-- The message is removed first. If the script then stops, the next claim or reclaim removes the id from schedule and
-- leases. A cancel is remembered after that, so that none is remembered that was not executed because the script stopped.
-- It is remembered even if it finds nothing, because a repeat may find a later message.
--@include keys
--@include signals
--@include head
--@include version
--@include taken
local identity = redis.call('HGET', metaKey, 'identity')
--@include identity
--@include order
local firstBefore = keyed and firstOfSchedule()
local limits, recurs
if special then
  limits, recurs = unpack(redis.call('HMGET', metaKey, 'limits', 'recurring'))
end
local upTo, remember = ARGV[3], nil
if #KEYS - (fair and 4 or keyed and 3 or 0) > 5 then
  --@include clock
  --@include sent
  local field = ARGV[3] .. ' ' .. ARGV[2]
  local expiry = string.match(redis.call('HGET', KEYS[6], field) or '', ' (%d+)$')
  if expiry and tonumber(expiry) > now then
    return {'OK', 'n', ''}
  end
  upTo = nil
  remember = function()
    local expiresAt = textOf(now + tonumber(ARGV[4]))
    redis.pcall('ZADD', KEYS[7], expiresAt, field)
    redis.pcall('HSET', KEYS[6], field, 'C0 ' .. expiresAt)
    forgetSent(KEYS[6], KEYS[7], 2)
  end
end
local found, version = nil, ''
local scheduled = redis.call('ZSCORE', scheduleKey, ARGV[2])
if scheduled and tonumber(scheduled) >= TAKEN then
  return {'OK', 'n', ''}
end
local leased, takesOver = redis.call('ZSCORE', leasesKey, ARGV[2]), false
if upTo then
  --@include clock
  --@include successor
  local message = redis.call('HGET', messagesKey, ARGV[2])
  local delivery, successor = divided(redis.call('HGET', deliveriesKey, ARGV[2]))
  successor = successor and string.byte(successor) ~= 64 and successor or nil
  local onlyHandled = ARGV[4] == '1'
  local last = message and not onlyHandled and successor or message
  found = message and true
  version = message and greatestVersion(message, not onlyHandled and successor) or ''
  if upTo == '' or version > upTo
    or last and ARGV[5] and hasHead(last) and timeAt(last, 2) > tonumber(ARGV[5])
    or found and onlyHandled and (not delivery or string.find(delivery, '^%- 0 ')) then
    return {'OK', found and 'l' or 'n', version}
  end
  takesOver = found and onlyHandled and successor and not slotOf(successor)
  if takesOver then
    -- Redis permits all further writes of a script after one that uses no memory, even if memory is full
    redis.call('HDEL', metaKey, '')
    takeOver(ARGV[2], successor)
    if redis.call('ZRANK', scheduleKey, ARGV[2]) == 0 then
      signal('h', redis.call('ZSCORE', scheduleKey, ARGV[2]))
    end
  end
else
  found = redis.call('HEXISTS', messagesKey, ARGV[2]) == 1
end
if recurs and not takesOver and slotOf(redis.call('HGET', messagesKey, ARGV[2])) then
  --@include clock
  --@include recurring
  --@include successor
  -- as above
  redis.call('HDEL', metaKey, '')
  local _, successor = divided(redis.call('HGET', deliveriesKey, ARGV[2]))
  local planned = string.match(successor or '', '^@%S+ %d+ (%d+)$')
  if planned then
    -- a rearm.lua stopped before it stored the message with the slot that is cancelled
    local message = redis.call('HGET', messagesKey, ARGV[2])
    redis.call('HSET', messagesKey, ARGV[2],
      string.sub(message, 1, 13) .. string.gsub(string.sub(message, 14), ' r=%+?%d+', ' r=' .. planned, 1))
    successor = '@'
  end
  recurring.endOccurrence(ARGV[2], successor or '@', 'c', nowText)
  signal('h', nowText)
elseif not takesOver then
  if keyed then
    -- as above: the next message of the key gets a place in the schedule
    redis.call('HDEL', metaKey, '')
  end
  local message = keyed and redis.call('HGET', messagesKey, ARGV[2])
  if fair and leased then
    -- its token is no longer valid
    redis.call('HDEL', deliveriesKey, ARGV[2])
    order.uncountLeases({ARGV[2]}, {message})
  end
  local parked = keyed and depart({ARGV[2]}, {message})
  redis.call('HDEL', messagesKey, ARGV[2])
  redis.call('HDEL', deliveriesKey, ARGV[2])
  redis.call('ZREM', scheduleKey, ARGV[2])
  redis.call('ZREM', leasesKey, ARGV[2])
  if parked then
    unpark(parked)
  end
end
if remember then
  remember()
end
if keyed and firstOfSchedule() ~= firstBefore then
  signal('h', firstOfSchedule())
end
if not found then
  return {'OK', 'n', ''}
end
if not leased or scheduled then
  return {'OK', 'c', version}
end
signal('r', ARGV[2])
if limits then
  -- a place became free
  signal('s', '-')
end
return {'OK', 'h', version}
