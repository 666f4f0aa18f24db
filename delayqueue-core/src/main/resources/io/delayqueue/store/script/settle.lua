-- fragment: settlements and renewals. They change nothing unless the message is leased with their token. A message is
-- removed before its entries in schedule and leases; if the script stops in between, a repeat or a reclaim removes
-- them.

-- the token of the delivery if the given token or receipt opens it, else false or nil
local function heldBy(whole, token, id)
  local delivery = divided(whole)
  if not delivery or not string.find(token, TOKEN) then
    return false
  end
  local digest = digestOf(token)
  if digest then
    local held = string.match(delivery .. ' ', '^([%w.]+%-%w+)%+? ')
    return held and redis.sha1hex(held .. ' ' .. id) == digest and held
  end
  local rest = string.find(delivery, token, 1, true) == 1 and string.sub(delivery, #token + 1)
  return (rest == '' or rest == '+' or rest and string.byte(rest) == 32) and token
end

-- the ids of acknowledges whose message is leased with their token and has no successor, and id and successor of the others
-- that are leased with their token. Tokens are given as runs with lengths
local function checkedAcks(first, n, deliveries, runs, rejected)
  deliveries = deliveries or n > 0 and redis.call('HMGET', deliveriesKey, unpack(ARGV, first, first + n - 1))
  local held, takeovers, i = {}, {}, 0
  for run = 1, runs do
    local token = ARGV[first + n + 2 * run - 2]
    for _ = 1, tonumber(ARGV[first + n + 2 * run - 1]) do
      i = i + 1
      local id, _, successor = ARGV[first + i - 1], divided(deliveries[i])
      if not heldBy(deliveries[i], token, id) then
        rejected[#rejected + 1] = i
      elseif successor then
        takeovers[#takeovers + 1] = {id, successor}
      else
        held[#held + 1] = id
      end
    end
  end
  return held, takeovers
end

local function checkedRenewals(first, n, rejected)
  local deliveries = n > 0 and redis.call('HMGET', deliveriesKey, unpack(ARGV, first, first + n - 1))
  local held = {}
  for i = 1, n do
    local kept = heldBy(deliveries[i], ARGV[first + n + i - 1], ARGV[first + i - 1])
    local to = kept and held or rejected
    to[#to + 1] = i
  end
  return held
end

local function checkedOthers(first, n, offset, rejected)
  local held = {}
  for i = 1, n do
    local at = first + 5 * (i - 1)
    local delivery = redis.call('HGET', deliveriesKey, ARGV[at + 1])
    local token = heldBy(delivery, ARGV[at + 2], ARGV[at + 1])
    if token then
      held[#held + 1] = {at, delivery, token}
    else
      rejected[#rejected + 1] = offset + i
    end
  end
  return held
end

-- A message is in both schedule and leases only after a script stopped midway. The next claim then removes the id from
-- the schedule.
local function settleAcks(held, takeovers, handover)
  if #held > 0 then
    local parked = handover
    if keyed and repeated then
      local messages = redis.call('HMGET', messagesKey, unpack(held))
      parked = depart(held, messages)
      if fair then
        order.uncountLeases(held, messages)
      end
    end
    redis.call('HDEL', messagesKey, unpack(held))
    redis.call('HDEL', deliveriesKey, unpack(held))
    redis.call('ZREM', leasesKey, unpack(held))
    if parked then
      unpark(parked)
    end
  end
  for _, takeover in ipairs(takeovers) do
    takeOver(takeover[1], takeover[2], 'a')
  end
end

-- completes what a script that stopped midway has begun: removes the entries of a removed message, completes the takeover of a
-- message that has ended, or removes the lease of a scheduled one, which would take a place
local function completeRemains(id)
  local delivery = redis.call('HGET', deliveriesKey, id) or '-'
  if redis.call('HEXISTS', messagesKey, id) == 0 then
    forget(id)
  elseif hasEnded(delivery) then
    takeOver(id, string.sub(delivery, 2))
  elseif string.byte(delivery) == 45 and (redis.call('ZSCORE', scheduleKey, id) or fair and parkedDue(id)) then
    if fair then
      order.uncountLeases({id}, {redis.call('HGET', messagesKey, id)})
    end
    redis.call('ZREM', leasesKey, id)
  end
end

-- adds the message to the schedule before it removes the lease; a suspect that is not due is scheduled as any message, and
-- the claim that reads it makes it a suspect again. A message without attempts, counts, failures and successor needs no
-- delivery if it is scheduled at its own due time
local function toSchedule(id, due, attempts, failures, counts, successor, ownDue)
  local suspect, message, key, sequence = isSuspect(counts) and tonumber(due) <= now, nil, nil, nil
  if fair then
    message = redis.call('HGET', messagesKey, id)
    key, sequence = keyOf(message)
  end
  if key and not suspect then
    occupy(enter({{id, key, sequence, tonumber(due), message, due}}))
  else
    redis.call('ZADD', scheduleKey, score(due, suspect), id)
  end
  if attempts == 0 and failures == '' and counts == '' and not successor and due == ownDue then
    redis.call('HDEL', deliveriesKey, id)
  else
    local delivery = '- ' .. attempts .. counts .. ' ' .. due .. ' ' .. string.gsub(failures, '%z', '')
    redis.call('HSET', deliveriesKey, id, withSuccessor(delivery, successor))
  end
  if fair then
    order.uncountLeases({id}, {message})
  end
  redis.call('ZREM', leasesKey, id)
end

-- the failed attempts of a message, one per line, the newest first: "<ms> <attempt> <node, or -> <handling in ms, or ->
-- <failure>". The oldest are dropped beyond this number of bytes
local MAX_FAILURES = 2000

local function withFailure(failures, token, attempt, handling, failure)
  local node = string.match(token, '^(%w+)%.') or '-'
  local newest = table.concat({nowText, attempt, node, handling == '' and '-' or handling, failure}, ' ')
  local all = newest .. '\n' .. failures
  return #all <= MAX_FAILURES and failures ~= '' and all or string.match(string.sub(all, 1, MAX_FAILURES), '^(.*)\n') or newest
end

local function settleOthers(held)
  for _, other in ipairs(held) do
    local at, delivery, token = other[1], other[2], other[3]
    local verb, id, value, failure = ARGV[at], ARGV[at + 1], ARGV[at + 3], ARGV[at + 4]
    local _, attempts, _, failures, counts, successor = parsed(delivery)
    -- the second number is the handling time of a retry, and the permitted number of postponements
    local delay, second = string.match(value, '^(%d+) ?(%d*)$')
    local postponements = tonumber(string.match(counts, '^p(%d+)') or 0)
    -- 'pass': postponed, and others may pass
    local postponable = (verb == 'postpone' or verb == 'pass') and (second == '0' or postponements < tonumber(second))
    local needsMessage = verb ~= 'retry' and not postponable
    local message = redis.call(needsMessage and 'HGET' or 'HEXISTS', messagesKey, id)
    if not message or message == 0 then
      forget(id)
    elseif verb == 'retry' or (verb == 'retryIfAttemptsLeft' and tonumber(attempts) < permitted(message)) then
      toSchedule(id, textOf(now + delay), attempts, withFailure(failures, token, attempts, second, failure), postponed(counts),
        successor)
    elseif postponable then
      local rest = string.sub(unmarked(counts), #postponed(counts) + 1)
      toSchedule(id, textOf(now + delay), attempts - 1, failures, 'p' .. (postponements + 1) .. rest, successor)
      if ordered and verb == 'pass' then
        local letting = redis.call('HGET', messagesKey, id)
        local key, sequence = keyOf(letting)
        if key then
          occupy(enter({{id, key, sequence, now + delay, letting}}))
        end
      end
    elseif verb == 'release' or verb == 'hold' then
      if verb == 'hold' then
        holdTopic(tonumber(delay), id)
      end
      local due = delay and textOf(now + delay) or select(3, parsed(delivery, message))
      toSchedule(id, due, attempts - 1, failures, unmarked(counts), successor, select(3, parsed(nil, message)))
    else
      local cause, handling = verb ~= 'retryIfAttemptsLeft' and 'POSTPONEMENTS_SPENT' or 'ATTEMPTS_SPENT', ''
      if verb == 'deadLetter' then
        cause, handling = string.match(value, '^(%S+)(.*)$')
      end
      local due = select(3, parsed(delivery, message))
      toDeadLetters(id, token, cause, attempts, due, handling, failure, failures, message, successor)
    end
  end
end

-- a renewal never shortens a lease: an extension that another process requested may end later
local function renew(first, n, held)
  local leases = {}
  for i, index in ipairs(held) do
    leases[2 * i - 1] = leaseEnd(tonumber(ARGV[first + 2 * n + index - 1]))
    leases[2 * i] = ARGV[first + index - 1]
  end
  if #leases > 0 then
    redis.call('ZADD', leasesKey, 'XX', 'GT', unpack(leases))
  end
end
