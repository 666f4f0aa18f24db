-- fragment: claiming. A delivery is "<token> <attempts>[<counts>] <due ms> <last failure>", its token '-' while
-- scheduled. Counts are "p<postponements>", then "/<leases that ended without a settlement>/<those in isolation>" since the
-- last attempt, and then, while the message is leased, '!' in isolation or '+' if the end of the lease counts as an
-- attempt. A foreign client may have written a delivery without any of these parts. It must not make the poll fail.

-- token, attempts, due, last failure, counts or ''
local function parsed(delivery)
  local token, attempts, counts, due, failure = string.match(delivery or '', '^(%S+) (%d+)([p/%d]*[!+]?) (%d+) ?(.*)$')
  return token or '-', attempts or '0', due or nowText, failure or '', counts or ''
end

-- whether a message with these counts is a suspect
local function isSuspect(counts)
  return tonumber(string.match(counts, '/(%d+)') or 0) >= isolateAfter
end

-- the part of the counts for postponements, or ''
local function postponed(counts)
  return string.match(counts, '^p?%d*')
end

-- the counts of a message that is no longer leased
local function unmarked(counts)
  return (string.gsub(counts, '[!+]$', ''))
end

-- the first line from byte 14 on if the message has limits of its own, else ''
local function limitsOf(message)
  return string.byte(message, 14) == 43 and hasHead(message) and string.match(message, '^[^\n]*', 14) or ''
end

-- the number of attempts that a message may have
local function permitted(message)
  return tonumber(string.match(limitsOf(message), ' a=(%d+)') or usualAttempts)
end

-- the number of ids whose messages fit into the byte bound, at least one. The lengths are read only if messages of the
-- largest size in the queue's history could exceed the bound. In the queue of notifications they are always read,
-- because the largest size is not recorded there.
local function fitting(ids, bound)
  local n = #ids
  if deadKey and n * tonumber(largest or 0) <= bound then
    return n
  end
  local bytes = 0
  for i = 1, n do
    bytes = bytes + redis.call('HSTRLEN', messagesKey, ids[i])
    if bytes > bound and i > 1 then
      return i - 1
    end
  end
  return n
end

-- whether no message is missing or has limits of its own
local function allUsual(messages, n)
  for i = 1, n do
    if not messages[i] or string.byte(messages[i], 14) == 43 then
      return false
    end
  end
  return true
end

-- for a claimed message: the end of its lease, and, if the message is expired, the token in the id of its dead letter.
-- This token consists of nonce and time of the send, so that the repeat of a script that stopped midway writes the same
-- dead letter
local function byItsLimits(message, usualEnd)
  local line = limitsOf(message)
  if line == '' then
    return usualEnd
  end
  local lease, expiry = string.match(line, ' l=(%d+)'), string.match(line, ' e=(%d+)')
  local afterDue = string.match(line, ' x=(%d+)')
  local expired = (expiry and now > tonumber(expiry)) or (afterDue and now > timeAt(message, 8) + tonumber(afterDue))
  return lease and leaseEnd(tonumber(lease)) or usualEnd,
    expired and (string.match(line, '^%+(%S+)') or '-') .. '.' .. string.format('%.0f', timeAt(message, 2))
end

-- reads the messages to claim: ids, claimed (id, due, ...), messages, before (deliveries before the claim). If a
-- message is missing or has limits of its own, each one is checked: expired messages and ids without a message
-- (orphans) go to separate lists, and ends has the end of each lease. Suspects that were rescheduled or postponed are
-- listed, too, with their due times. Without such exceptions, and if all messages fit, the replies of Redis are used
-- unchanged.
-- A suspect is claimed first; isolated is its id. The claim ends before a message with a crash that would wait for a
-- handler: at the next crash of the process that message would be counted a crash for its neighbours.
local function plannedClaim(max, suspect, handled)
  local plan = {
    ids = {}, claimed = {}, messages = {}, before = {}, orphans = {}, expired = {}, ends = {}, suspects = {}
  }
  local due = max == 0 and {}
    or redis.call('ZRANGEBYSCORE', scheduleKey, 0, nowText, 'WITHSCORES', 'LIMIT', 0, max)
  if suspect then
    local first = redis.call('ZRANGE', scheduleKey, 0, 0, 'WITHSCORES')
    plan.isolated = first[1]
    handled = handled + 1
    table.insert(due, 1, string.format('%.0f', first[2] + SUSPECT))
    table.insert(due, 1, first[1])
  end
  if #due == 0 then
    return plan
  end
  local ids = {}
  for i = 1, #due, 2 do
    ids[(i + 1) / 2] = due[i]
  end
  local n = fitting(ids, maxBytes)
  local before = redis.call('HMGET', deliveriesKey, unpack(ids, 1, n))
  plan.leaseEnd = leaseEnd(usualLease)
  local crashed = false
  for i = 1, n do
    local counts = before[i] and string.match(before[i], '^%S+ %d+([p/%d]*[!+]?) %d+')
    before[i] = counts and before[i] or false
    local hasCrash = counts and string.find(counts, '/', 1, true)
    crashed = crashed or hasCrash
    if i > handled and hasCrash then
      n = i - 1
      break
    end
  end
  local messages = redis.call('HMGET', messagesKey, unpack(ids, 1, n))
  if n == #ids and not crashed and allUsual(messages, n) then
    plan.ids, plan.claimed, plan.messages, plan.before = ids, due, messages, before
    return plan
  end
  for i = 1, n do
    local message = messages[i]
    local ending, expiredToken = plan.leaseEnd, nil
    if message then
      ending, expiredToken = byItsLimits(message, plan.leaseEnd)
    end
    if not message then
      plan.orphans[#plan.orphans + 1] = ids[i]
    elseif expiredToken then
      plan.expired[#plan.expired + 1] = {ids[i], due[2 * i], message, before[i], expiredToken}
    elseif ids[i] ~= plan.isolated and isSuspect(select(5, parsed(before[i]))) then
      plan.suspects[#plan.suspects + 1], plan.suspects[#plan.suspects + 2] = score(due[2 * i], true), ids[i]
    else
      local at = #plan.messages + 1
      plan.ids[at], plan.claimed[2 * at - 1], plan.claimed[2 * at] = ids[i], ids[i], due[2 * i]
      plan.messages[at], plan.before[at] = message, before[i]
      plan.ends[at] = ending
    end
  end
  return plan
end

-- the claim of the first execution, without the messages that are no longer leased by it
local function recordedClaim()
  local record = cmsgpack.unpack(redis.call('HGET', metaKey, 'r:' .. consumer))
  local claim = {ids = {}, claimed = {}, messages = {}, before = {}, suspects = {}, rejectedSettlements = record[2]}
  claim.rejectedRenewals, claim.reclaimed, claim.newDeadLetters = record[3], record[4] or {}, record[5] or {}
  for _, id in ipairs(record[1]) do
    local delivery = redis.call('HGET', deliveriesKey, id)
    local message = redis.call('HGET', messagesKey, id)
    local token, attempts, due, failure, counts = parsed(delivery)
    if message and token == claimToken then
      local at = #claim.messages + 1
      claim.ids[at], claim.claimed[2 * at - 1], claim.claimed[2 * at] = id, id, due
      claim.messages[at] = message
      counts = string.gsub(counts, '%+$', '')
      claim.before[at] = (tonumber(attempts) > 1 or counts ~= '')
        and '- ' .. (attempts - 1) .. counts .. ' ' .. due .. ' ' .. failure
    end
  end
  return claim
end

-- The leases are written before the ids are removed from the schedule. If the script stops in between, a message is in
-- both, and the next claim or the repeat of this poll repairs it.
local function writeClaim(claim, newDeadLetters)
  local ids = claim.ids
  local n = #ids
  if not repeated then
    for _, id in ipairs(claim.orphans) do
      forget(id)
    end
    for _, expired in ipairs(claim.expired) do
      local _, attempts, _, failure = parsed(expired[4])
      toDeadLetters(expired[1], expired[5], 'EXPIRED', attempts, expired[2], '', failure, expired[3], newDeadLetters)
    end
    if #claim.suspects > 0 then
      redis.call('ZADD', scheduleKey, unpack(claim.suspects))
    end
    if n > 0 then
      local claimed, before, ends = claim.claimed, claim.before, claim.ends
      local mark = ARGV[23] == '1' and '+' or ''
      local leases, deliveries, first = {}, {}, claimToken .. ' 1' .. mark .. ' '
      for i = 1, n do
        local at, id, due = 2 * i, ids[i], claimed[2 * i]
        leases[at - 1], leases[at] = ends[i] or claim.leaseEnd, id
        deliveries[at - 1] = id
        if before[i] then
          local _, attempts, _, failure, counts = parsed(before[i])
          counts = unmarked(counts) .. (id == claim.isolated and '!' or mark)
          if id == claim.isolated then
            before[i] = '- ' .. attempts .. counts .. ' ' .. due .. ' ' .. failure
          end
          deliveries[at] = claimToken .. ' ' .. (attempts + 1) .. counts .. ' ' .. due .. ' ' .. failure
        else
          deliveries[at] = first .. due .. ' '
        end
      end
      redis.call('ZADD', leasesKey, unpack(leases))
      redis.call('HSET', deliveriesKey, unpack(deliveries))
    end
  end
  if n > 0 then
    redis.call('ZREM', scheduleKey, unpack(ids))
  end
end
