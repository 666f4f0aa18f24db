-- fragment: dead-letters a message. Dead letter and notification are written before the message is removed: if the
-- script stops midway, the message is in two places instead of none. The id of a dead letter is "<message id>@<token
-- without its secret>", so that a repeat writes the same dead letter and does not change an existing notification.
-- A dead letter is "1 <dead-lettered ms> <cause> <attempts> <due ms>[ <handling ms>] <bytes of failure>\n<failure>\n<message>";
-- the handling time is that of the last attempt. A failure is "<type>: <text>[\n<stack>]", then a zero byte and the failed
-- attempts before, if any, see settle.lua. A notification is a message with the headers of the dead-lettered message and
-- without a payload. The queue of notifications has no dead letters: its messages are only removed.
-- needs: order, successor. gives: newDeadLetters (id, cause, ...)
local newDeadLetters = {}

local function forget(id)
  if fair then
    order.uncountLeases({id}, {redis.call('HGET', messagesKey, id)})
  end
  redis.call('HDEL', messagesKey, id)
  redis.call('HDEL', deliveriesKey, id)
  redis.call('ZREM', scheduleKey, id)
  redis.call('ZREM', leasesKey, id)
end

-- the headers of a message, from the end of its first line to the payload; no headers if one is malformed, because the
-- notification must be readable
local function headersOf(message)
  local first = hasHead(message) and string.find(message, '\n', 14, true)
  local last = first and string.find(message, '\n\n', first, true)
  for header in string.gmatch(last and string.sub(message, first, last) or '', '[^\n]+') do
    last = last and string.find(header, ': ', 1, true) and last
  end
  return last and string.sub(message, first, last + 1) or '\n\n'
end

local notifying

local function isNotifying()
  if notifying == nil then
    notifying = redis.call('HGET', metaKey, 'notifications')
  end
  return notifying
end

local function store(id, deadLetterId, deadLetteredAt, cause, record, message, successor)
  if deadKey then
    redis.call('ZADD', deadKey, deadLetteredAt, deadLetterId)
    redis.call('HSET', deadLettersKey, deadLetterId, record)
    if isNotifying() and redis.call('HEXISTS', notificationsMessagesKey, deadLetterId) == 0 then
      redis.call('ZADD', notificationsScheduleKey, nowText, deadLetterId)
      local time = packedTime(now)
      redis.call('HSET', notificationsMessagesKey, deadLetterId, '1' .. time .. time .. headersOf(message))
      signal('h', nowText, ':notifications')
    end
  end
  if successor then
    takeOver(id, successor, 'd')
  else
    local parked = keyed and depart({id}, {message})
    forget(id)
    if parked then
      unpark(parked)
    end
  end
  newDeadLetters[#newDeadLetters + 1] = id
  newDeadLetters[#newDeadLetters + 1] = cause
end

-- the id of a dead letter, without the secret of the token: other messages of the same poll may be leased
local function deadLetterIdOf(id, token)
  return id .. '@' .. (string.match(token, '^(.*%-' .. string.rep('%w', 13) .. ')' .. string.rep('%w', 25) .. '$') or token)
end

-- handling: ' ' and the time in ms, or ''. Without a failure of its own, a dead letter has that of the newest failed attempt
local function toDeadLetters(id, token, cause, attempts, due, handling, failure, failures, message, successor)
  if failures ~= '' then
    failure = (failure ~= '' and failure or string.match(failures, '^%d+ %d+ %S+ %S+ ([^\n]*)') or '') .. '\0' .. failures
  end
  store(id, deadLetterIdOf(id, token), nowText, cause, '1 ' .. nowText .. ' ' .. cause .. ' ' .. attempts .. ' ' .. due
    .. handling .. ' ' .. #failure .. '\n' .. failure .. '\n' .. message, message, successor)
end
