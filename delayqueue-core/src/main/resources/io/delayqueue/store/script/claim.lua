-- fragment: claiming. A delivery is "<token> <attempts>[<counts>] <due ms> <failed attempts>", its token '-' while
-- scheduled. A first attempt without counts is "<token>" or "<token>+"; its due time is that of the message. Counts are
-- "p<postponements>", then "/<leases that ended without a settlement>/<those in isolation>" since the last attempt, and
-- then, while the message is leased, '!' in isolation or '+' if the end of the lease counts as an attempt. A foreign
-- client may have written a delivery without any of these parts. It must not make the poll fail. A zero byte and a successor
-- may follow, see successor.lua. needs: successor

-- token, attempts, due, failed attempts, counts or '', successor or nil; the due time of a first attempt is now unless the message
-- is given
local function parsed(whole, message)
  local delivery, successor = divided(whole)
  local token, attempts, counts, due, failures = string.match(delivery or '', '^(%S+) (%d+)([p/%d]*[!+]?) (%d+) ?(.*)$')
  if not token then
    token, counts = string.match(delivery or '', '^([%w.]+%-%w+)(%+?)$')
    attempts = token and '1'
    due = message and hasHead(message) and textOf(timeAt(message, 8))
  end
  return token or '-', attempts or '0', due or nowText, failures or '', counts or '', successor
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

-- the number of ids whose messages and deliveries, which may contain successors, fit into the byte bound, at least one. The
-- lengths are read only if messages of the largest size in the queue's history could exceed the bound. The queue of
-- notifications has no successors, and does not record the largest size: the lengths of its messages are always read.
local function fitting(ids, bound)
  local n = #ids
  if deadKey and n * tonumber(largest or 1024) <= bound then
    return n
  end
  local bytes = 0
  for i = 1, n do
    bytes = bytes + redis.call('HSTRLEN', messagesKey, ids[i])
    if deadKey then
      bytes = bytes + redis.call('HSTRLEN', deliveriesKey, ids[i])
    end
    if bytes > bound and i > 1 then
      return i - 1
    end
  end
  return n
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

-- the most messages that a claim reads
local MOST_READ = 1000

-- the heads of the keys of messages, by key
local function headsOfMessages(messages, n)
  local keys, byKey = {}, {}
  for i = 1, n do
    local key = keyOf(messages[i])
    keys[#keys + 1] = key
  end
  for i, head in ipairs(#keys > 0 and order.headsOf(keys) or {}) do
    byKey[keys[i]] = head
  end
  return byKey
end

-- whether a message of the schedule is the head of its key
local function startsNext(id, message, key, heads, leaving)
  local head = heads[key]
  local headId = head and string.sub(head, 14)
  local first = not head or headId == id or leaving[headId] or redis.call('HEXISTS', messagesKey, headId) == 0
  if not first and string.byte(head) ~= 33 then
    -- neither holds the key: a script stopped before it recorded an earlier head
    local _, sequence = keyOf(message)
    local due, of = timeAt(message, 8), timeAt(head, 2)
    first = due < of or due == of and sequence < timeAt(head, 8)
  end
  if first then
    heads[key] = '!' .. string.sub(message, 8, 13) .. '000000' .. id
  end
  return first
end

-- reads the messages to claim: ids, messages, before (deliveries before the claim), ends of the leases. Given are the first
-- ids of the schedule, with their deliveries and messages if they were already read. Expired messages and ids without a
-- message (orphans) go to separate lists, and so do suspects that were rescheduled or postponed, with their due times, and
-- messages that have ended, with the successors that are to take over.
-- In an ordered topic, the next messages of keys whose head has ended or is expired are claimed, too: leaving are the ids of heads
-- that end, promoted are those that follow. A message that is not the head of its key, or of a fair topic has another key, because
-- a script stopped midway, is misplaced.
-- In a fair topic, picked are the messages of parked, see fair.lua. One that is leased, because a script stopped before it removed
-- the message from parked, goes to the list leased.
-- A suspect is claimed first; isolated is its id. The claim ends before a message with a crash that would wait for a
-- handler: at the next crash of the process that message would be counted a crash for its neighbours.
local function plannedClaim(ids, before, messages, suspect, handlers, leaving, promoted, picked)
  local plan = {ids = {}, messages = {}, before = {}, orphans = {}, expired = {}, ends = {}, suspects = {}}
  plan.takeovers, plan.successors, plan.misplaced, plan.leased = {}, {}, {}, {}
  local handled = math.max(1, handlers)
  if suspect then
    plan.isolated = fair and order.suspect
      or redis.call('ZRANGEBYSCORE', scheduleKey, FROM_SUSPECT, TO_SUSPECT, 'LIMIT', '0', '1')[1]
    handled = handled + 1
    table.insert(ids, 1, plan.isolated)
  end
  if #ids == 0 then
    return plan
  end
  local n = fitting(ids, maxBytes)
  before = before or redis.call('HMGET', deliveriesKey, unpack(ids, 1, n))
  plan.leaseEnd = leaseEnd(usualLease)
  local ended, successors, leased = {}, {}, {}
  for i = 1, n do
    local delivery, successor = divided(before[i])
    local counts = delivery and string.match(delivery, '^%S+ %d+([p/%d]*[!+]?) %d+')
    ended[i], successors[i] = hasEnded(before[i]), successor
    leased[i] = picked and picked.members[ids[i]] and delivery and string.find(delivery, '^[%w.]+%-%w')
      and redis.call('ZSCORE', leasesKey, ids[i])
    before[i] = counts and delivery or false
    if i > handled and counts and string.find(counts, '/', 1, true) then
      n = i - 1
      break
    end
  end
  messages = messages or redis.call('HMGET', messagesKey, unpack(ids, 1, n))
  local heads = ordered and n > 0 and headsOfMessages(messages, n)
  local i, seen = 0, {}
  while i < n do
    i = i + 1
    local message, key, again = messages[i], nil, false
    if keyed then
      -- a script that stopped midway may have left a message in schedule and parked
      key, again = ordered and keyOf(message) or nil, seen[ids[i]]
      seen[ids[i]] = true
    end
    local ending, expiredToken = plan.leaseEnd, nil
    if message then
      ending, expiredToken = byItsLimits(message, plan.leaseEnd)
      successors[i] = successors[i] or slotOf(message) and '@'
    end
    if again then
      -- it is planned
    elseif not message then
      plan.orphans[#plan.orphans + 1] = ids[i]
    elseif picked and picked.of[ids[i]] and picked.of[ids[i]].key ~= keyOf(message) then
      plan.misplaced[#plan.misplaced + 1] = {ids[i], message, picked.members[ids[i]]}
    elseif leased[i] then
      plan.leased[#plan.leased + 1] = ids[i]
    elseif ended[i] then
      plan.takeovers[#plan.takeovers + 1] = {ids[i], successors[i]}
    elseif expiredToken then
      plan.expired[#plan.expired + 1] = {ids[i], message, before[i], expiredToken, successors[i]}
      if key and n < MOST_READ and not successors[i] and (n + 1) * (largest or 1024) <= maxBytes
        and startsNext(ids[i], message, key, heads, leaving) then
        leaving[ids[i]] = true
        local id, nextDue, member, following = nextOf(key, leaving)
        if id and tonumber(nextDue) <= now then
          n = n + 1
          ids[n], messages[n] = id, following
          order.addNext(promoted, key, id, nextDue, member)
          local delivery, successor = divided(redis.call('HGET', deliveriesKey, id))
          before[n] = delivery and string.find(delivery, '^%S+ %d+[p/%d]*[!+]? %d+') and delivery or false
          successors[n] = successor
        end
      end
    elseif key and not startsNext(ids[i], message, key, heads, leaving) then
      plan.misplaced[#plan.misplaced + 1] = {ids[i], message}
    elseif before[i] and ids[i] ~= plan.isolated and isSuspect(select(5, parsed(before[i]))) then
      local at = #plan.suspects + 1
      plan.suspects[at], plan.suspects[at + 1] = select(3, parsed(before[i])), ids[i]
    else
      local at = #plan.messages + 1
      plan.ids[at], plan.messages[at], plan.before[at], plan.ends[at] = ids[i], message, before[i], ending
      plan.successors[at] = successors[i]
    end
  end
  return plan
end

-- the claim of the first execution, without the messages that are no longer, or not yet, leased by it
local function recordedClaim()
  local ids, rejectedSettlements, rejectedRenewals, reclaimed, newDeadLetters =
    cmsgpack.unpack(string.sub(lastPollText, string.find(lastPollText, '\n', 1, true) + 1))
  local claim = {ids = {}, messages = {}, before = {}, suspects = {}, unclaimed = {}}
  claim.rejectedSettlements, claim.rejectedRenewals = rejectedSettlements or {}, rejectedRenewals or {}
  claim.reclaimed, claim.newDeadLetters = reclaimed or {}, newDeadLetters or {}
  for _, id in ipairs(ids) do
    local delivery = divided(redis.call('HGET', deliveriesKey, id))
    local message = redis.call('HGET', messagesKey, id)
    local token, attempts, due, failures, counts = parsed(delivery, message)
    if message and token == claimToken then
      local at = #claim.messages + 1
      claim.ids[at], claim.messages[at] = id, message
      counts = string.gsub(counts, '%+$', '')
      claim.before[at] = delivery ~= token and delivery ~= token .. '+'
        and '- ' .. (attempts - 1) .. counts .. ' ' .. due .. ' ' .. failures
    else
      claim.unclaimed[#claim.unclaimed + 1] = id
    end
  end
  return claim
end

-- Leases are counted before they are written, and written before the ids are removed from the schedule. If the script stops in
-- between, a message is in both, and the next claim or the repeat of this poll repairs it.
local function writeClaim(claim)
  local ids = claim.ids
  local n = #ids
  if not repeated then
    for _, id in ipairs(claim.orphans) do
      forget(id)
    end
    for _, takeover in ipairs(claim.takeovers) do
      takeOver(unpack(takeover))
    end
    for _, expired in ipairs(claim.expired) do
      local id, message, delivery, token, successor = unpack(expired, 1, 5)
      local _, attempts, due, failures = parsed(delivery, message)
      toDeadLetters(id, token, 'EXPIRED', attempts, due, '', '', failures, message, successor)
    end
    for _, misplaced in ipairs(claim.misplaced) do
      local id, message, member = unpack(misplaced)
      if member then
        order.correct(id, member, message)
      else
        local key, sequence = keyOf(message)
        occupy(enter({{id, key, sequence, timeAt(message, 8)}}))
      end
    end
    for i = 1, #claim.suspects, 2 do
      redis.call('ZADD', scheduleKey, score(claim.suspects[i], true), claim.suspects[i + 1])
    end
    if n > 0 then
      if fair then
        order.countLeases(ids, claim.messages)
      end
      local before, leases, deliveries = claim.before, {}, {}
      for i = 1, n do
        local at, id = 2 * i, ids[i]
        leases[at - 1], leases[at] = claim.ends[i], id
        deliveries[at - 1], deliveries[at] = id, claimToken .. mark
        if before[i] then
          local _, attempts, due, failures, counts = parsed(before[i])
          local isolated = id == claim.isolated and mark == ''
          counts = unmarked(counts) .. (isolated and '!' or mark)
          if isolated then
            before[i] = '- ' .. attempts .. counts .. ' ' .. due .. ' ' .. failures
          end
          deliveries[at] = claimToken .. ' ' .. (attempts + 1) .. counts .. ' ' .. due .. ' ' .. failures
        end
        deliveries[at] = withSuccessor(deliveries[at], claim.successors[i])
      end
      redis.call('ZADD', leasesKey, unpack(leases))
      redis.call('HSET', deliveriesKey, unpack(deliveries))
    end
  end
  if n > 0 then
    redis.call('ZREM', scheduleKey, unpack(ids))
  end
end
