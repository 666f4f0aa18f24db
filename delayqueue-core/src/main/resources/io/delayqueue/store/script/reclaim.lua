-- fragment: reclaims leases that have ended. Such an end is a crash: it is counted apart from attempts, because the
-- handler may not have run. After the last permitted crash in isolation the message is dead-lettered. If a receiver got
-- the message, the attempt counts instead.

local function reclaim(max, reclaimed)
  local ended = redis.call('ZRANGEBYSCORE', leasesKey, '-inf', leaseTimeText, 'LIMIT', 0, max)
  for i = 1, fitting(ended, maxBytes) do
    local id = ended[i]
    local message = redis.call('HGET', messagesKey, id)
    local delivery = redis.call('HGET', deliveriesKey, id)
    local token, attempts, due, failures, counts, successor = parsed(delivery, message)
    local deadLetterId = deadLetterIdOf(id, token)
    local deadAt = deadKey and redis.call('ZSCORE', deadKey, deadLetterId)
    local record = deadAt and redis.call('HGET', deadLettersKey, deadLetterId)
    local all, isolated = string.match(counts, '/(%d+)/(%d+)')
    local mark = string.match(counts, '[!+]$')
    all = (all or 0) + 1
    isolated = (isolated or 0) + (mark == '!' and 1 or 0)
    if not message then
      forget(id)
    elseif hasEnded(delivery) then
      takeOver(id, successor)
    elseif record then
      -- a script stopped while it dead-lettered the message
      local cause = string.match(record, '^%S+ %S+ (%S+)') or 'UNKNOWN'
      store(id, deadLetterId, deadAt, cause, record, message, successor)
    elseif token == '-' then
      -- a script stopped while it claimed, retried, postponed or released the message
      if not (redis.call('ZSCORE', scheduleKey, id) or fair and parkedDue(id)) then
        redis.call('ZADD', scheduleKey, score(nowText, isSuspect(counts)), id)
      end
      if fair then
        order.uncountLeases({id}, {message})
      end
      redis.call('ZREM', leasesKey, id)
    elseif mark == '+' and not deadAt and tonumber(attempts) < permitted(message) then
      toSchedule(id, nowText, attempts, failures, unmarked(counts), successor)
      reclaimed[#reclaimed + 1] = id
    elseif mark == '+' then
      toDeadLetters(id, token, 'ATTEMPTS_SPENT', attempts, due, '', '', failures, message, successor)
    elseif deadAt or isolated >= crashLimit then
      toDeadLetters(id, token, 'CRASHED', attempts, due, '', '', failures, message, successor)
    else
      toSchedule(id, nowText, attempts - 1, failures, postponed(counts) .. '/' .. all .. '/' .. isolated, successor)
      reclaimed[#reclaimed + 1] = id
    end
  end
end
