-- fragment: reclaims leases that have ended. The attempt counts; after the last permitted attempt the message is
-- dead-lettered.

local function reclaim(max, reclaimed, newDeadLetters)
  local ended = redis.call('ZRANGEBYSCORE', leasesKey, '-inf', leaseTimeText, 'LIMIT', 0, max)
  for i = 1, fitting(ended, maxBytes) do
    local id = ended[i]
    local message = redis.call('HGET', messagesKey, id)
    local delivery = redis.call('HGET', deliveriesKey, id)
    local token, attempts, due, failure = parsed(delivery)
    local deadLetterId = id .. '@' .. token
    local deadAt = deadKey and redis.call('ZSCORE', deadKey, deadLetterId)
    local record = deadAt and redis.call('HGET', deadLettersKey, deadLetterId)
    if not message then
      forget(id)
    elseif record then
      -- a script stopped while it dead-lettered the message
      local cause = string.match(record, '^%S+ %S+ (%S+)') or 'UNKNOWN'
      store(id, deadLetterId, deadAt, cause, record, message, newDeadLetters)
    elseif token == '-' then
      -- a script stopped while it claimed, retried or released the message
      if not redis.call('ZSCORE', scheduleKey, id) then
        redis.call('ZADD', scheduleKey, nowText, id)
      end
      redis.call('ZREM', leasesKey, id)
    elseif deadAt or tonumber(attempts) >= permitted(message) then
      toDeadLetters(id, token, 'LEASE_OVER', attempts, due, '', failure, message, newDeadLetters)
    else
      toSchedule(id, nowText, attempts, failure)
      reclaimed[#reclaimed + 1] = id
    end
  end
end
