-- fragment: claiming. A delivery is "<token> <attempts> <due ms> <last failure>", its token '-' while scheduled.
-- What somebody else wrote may lack any part of it; that must not stop a step.

-- token, attempts, due, last failure
local function parsed(delivery)
  local token, attempts, due, failure = string.match(delivery or '', '^(%S+) (%d+) (%d+) ?(.*)$')
  return token or '-', attempts or '0', due or nowText, failure or ''
end

-- the rest of the head's line of a message that fixes limits for itself, else ''
local function limitsOf(message)
  return string.byte(message, 14) == 43 and hasHead(message) and string.match(message, '^[^\n]*', 14) or ''
end

-- how many of the ids fit into the byte bound; at least one. Lengths are asked for only if the largest message that
-- the lane ever held could break the bound; in the lane of deaths always, for nobody notes the largest notice.
local function fitting(ids, bound)
  local n = #ids
  if KEYS[6] and n * tonumber(meta[4] or 0) <= bound then
    return n
  end
  local bytes = 0
  for i = 1, n do
    bytes = bytes + redis.call('HSTRLEN', KEYS[3], ids[i])
    if bytes > bound and i > 1 then
      return i - 1
    end
  end
  return n
end

-- the first of them that is not there or fixes limits for itself, else nil
local function firstUnusual(messages, n)
  for i = 1, n do
    if not messages[i] or string.byte(messages[i], 14) == 43 then
      return i
    end
  end
end

-- when a message that fixes limits for itself is claimed: the end of its lease, and if it is expired, by what its letter
-- is named: its nonce and sending, so that a death that stopped midway is not told twice
local function byItsLimits(message, leaseEnd)
  local line = limitsOf(message)
  if line == '' then
    return leaseEnd
  end
  local own, at, late = string.match(line, ' l=(%d+)'), string.match(line, ' e=(%d+)'), string.match(line, ' x=(%d+)')
  local over = (at and now > tonumber(at)) or (late and now > timeAt(message, 8) + tonumber(late))
  return own and string.format('%.0f', now + tonumber(own)) or leaseEnd,
    over and (string.match(line, '^%+(%S+)') or '-') .. '.' .. string.format('%.0f', timeAt(message, 2))
end

-- reads what can be claimed: ids, taken (id, due, ...), messages, before; and aside what is expired or has no message.
-- What Redis replied is passed on as it is, but for a batch in which something is unusual.
local function plannedClaim(max)
  local plan = {ids = {}, taken = {}, messages = {}, before = {}, orphans = {}, expired = {}, ends = {}}
  if max == 0 then
    return plan
  end
  local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', nowText, 'WITHSCORES', 'LIMIT', 0, max)
  local ids = {}
  for i = 1, #due, 2 do
    ids[(i + 1) / 2] = due[i]
  end
  local n = fitting(ids, tonumber(ARGV[8]))
  local messages = redis.call('HMGET', KEYS[3], unpack(ids, 1, n))
  local before = redis.call('HMGET', KEYS[4], unpack(ids, 1, n))
  local leaseEnd = string.format('%.0f', now + tonumber(ARGV[9]))
  plan.leaseEnd = leaseEnd
  for i = 1, n do
    before[i] = before[i] and string.find(before[i], '^%S+ %d+ %d+') and before[i] or false
  end
  if n == #ids and not firstUnusual(messages, n) then
    plan.ids, plan.taken, plan.messages, plan.before = ids, due, messages, before
    return plan
  end
  for i = 1, n do
    local message = messages[i]
    local lease, over = leaseEnd, nil
    if message then
      lease, over = byItsLimits(message, leaseEnd)
    end
    if not message then
      plan.orphans[#plan.orphans + 1] = ids[i]
    elseif over then
      plan.expired[#plan.expired + 1] = {ids[i], due[2 * i], message, before[i], over}
    else
      local at = #plan.messages + 1
      plan.ids[at], plan.taken[2 * at - 1], plan.taken[2 * at] = ids[i], ids[i], due[2 * i]
      plan.messages[at], plan.before[at] = message, before[i]
      plan.ends[at] = lease
    end
  end
  return plan
end

-- the claim of the first time, as far as it is still held
local function recordedClaim()
  local record = cmsgpack.unpack(redis.call('HGET', KEYS[5], 'r:' .. ARGV[4]))
  local claim = {ids = {}, taken = {}, messages = {}, before = {}, gone = record[2], lost = record[3]}
  claim.reclaimed, claim.deaths = record[4] or {}, record[5] or {}
  for _, id in ipairs(record[1]) do
    local delivery = redis.call('HGET', KEYS[4], id)
    local message = redis.call('HGET', KEYS[3], id)
    local token, attempts, due, failure = parsed(delivery)
    if message and token == ARGV[6] then
      local at = #claim.messages + 1
      claim.ids[at], claim.taken[2 * at - 1], claim.taken[2 * at] = id, id, due
      claim.messages[at] = message
      claim.before[at] = tonumber(attempts) > 1 and '- ' .. (attempts - 1) .. ' ' .. due .. ' ' .. failure
    end
  end
  return claim
end

-- the lease comes first, the schedule is left last: stopped between, the message is in both, and the next claim or the
-- repeat of this one puts that right
local function takeClaim(claim, deaths)
  local ids = claim.ids
  local n = #ids
  if claim.ends then
    for _, id in ipairs(claim.orphans) do
      forget(id)
    end
    for _, expired in ipairs(claim.expired) do
      local _, attempts, _, failure = parsed(expired[4])
      die(expired[1], expired[5], 'EXPIRED', attempts, expired[2], failure, expired[3], deaths)
    end
    if n > 0 then
      local taken, before, ends, leaseEnd = claim.taken, claim.before, claim.ends, claim.leaseEnd
      local leases, deliveries, first = {}, {}, ARGV[6] .. ' 1 '
      for i = 1, n do
        local at, id, due = 2 * i, ids[i], taken[2 * i]
        leases[at - 1], leases[at] = ends[i] or leaseEnd, id
        deliveries[at - 1] = id
        if before[i] then
          local _, attempts, _, failure = parsed(before[i])
          deliveries[at] = ARGV[6] .. ' ' .. (attempts + 1) .. ' ' .. due .. ' ' .. failure
        else
          deliveries[at] = first .. due .. ' '
        end
      end
      redis.call('ZADD', KEYS[2], unpack(leases))
      redis.call('HSET', KEYS[4], unpack(deliveries))
    end
  end
  if n > 0 then
    redis.call('ZREM', KEYS[1], unpack(ids))
  end
end
