-- fragment: settling and renewing. Each is guarded by the token; what is not live under it changes nothing. A message
-- goes before its places, which a repeat or a reclaim sweeps.

local function heldBy(delivery, token)
  return delivery and string.sub(delivery, 1, #token + 1) == token .. ' '
end

-- returns the ids that are held, or nil if all are
local function guarded(first, n, lost)
  if n == 0 then
    return nil
  end
  local deliveries = redis.call('HMGET', KEYS[4], unpack(ARGV, first, first + n - 1))
  local held, all = {}, true
  for i = 1, n do
    if heldBy(deliveries[i], ARGV[first + n + i - 1]) then
      held[#held + 1] = i
    else
      all = false
      lost[#lost + 1] = i
    end
  end
  return not all and held or nil
end

local function guardedAcks(first, n, gone)
  return guarded(first, n, gone)
end

local function guardedRenewals(first, n, lost)
  return guarded(first, n, lost)
end

local function guardedOthers(first, n, offset, gone)
  local held = {}
  for i = 1, n do
    local at = first + 5 * (i - 1)
    local delivery = redis.call('HGET', KEYS[4], ARGV[at + 1])
    if heldBy(delivery, ARGV[at + 2]) then
      held[#held + 1] = {at, delivery}
    else
      gone[#gone + 1] = offset + i
    end
  end
  return held
end

local function settleAcks(first, n, held)
  if n == 0 or (held and #held == 0) then
    return
  end
  if not held then
    redis.call('HDEL', KEYS[3], unpack(ARGV, first, first + n - 1))
    redis.call('HDEL', KEYS[4], unpack(ARGV, first, first + n - 1))
    redis.call('ZREM', KEYS[1], unpack(ARGV, first, first + n - 1))
    redis.call('ZREM', KEYS[2], unpack(ARGV, first, first + n - 1))
    return
  end
  local ids = {}
  for i, index in ipairs(held) do
    ids[i] = ARGV[first + index - 1]
  end
  redis.call('HDEL', KEYS[3], unpack(ids))
  redis.call('HDEL', KEYS[4], unpack(ids))
  redis.call('ZREM', KEYS[1], unpack(ids))
  redis.call('ZREM', KEYS[2], unpack(ids))
end

-- what the first time left of messages that it removed
local function sweep(indices, acks, ackFirst, otherFirst)
  for _, index in ipairs(indices) do
    local id = ARGV[index <= acks and ackFirst + index - 1 or otherFirst + 5 * (index - acks - 1) + 1]
    if redis.call('HEXISTS', KEYS[3], id) == 0 then
      forget(id)
    end
  end
end

-- back into the schedule before the lease is given up
local function back(id, due, attempts, failure)
  redis.call('ZADD', KEYS[1], due, id)
  if attempts == 0 and failure == '' then
    redis.call('HDEL', KEYS[4], id)
  else
    redis.call('HSET', KEYS[4], id, '- ' .. attempts .. ' ' .. due .. ' ' .. failure)
  end
  redis.call('ZREM', KEYS[2], id)
end

local function settleOthers(first, held, deaths)
  for _, other in ipairs(held) do
    local at, delivery = other[1], other[2]
    local verb, id, token, value, failure = ARGV[at], ARGV[at + 1], ARGV[at + 2], ARGV[at + 3], ARGV[at + 4]
    local _, attempts, due, before = parsed(delivery)
    local message = redis.call(verb == 'b' and 'HGET' or 'HEXISTS', KEYS[3], id)
    if not message or message == 0 then
      forget(id)
    elseif verb == 't' then
      back(id, string.format('%.0f', now + tonumber(value)), attempts, failure)
    elseif verb == 'l' then
      back(id, due, attempts - 1, before)
    else
      die(id, token, value, attempts, due, failure, message, deaths)
    end
  end
end

local function renew(first, n, held)
  if n == 0 then
    return
  end
  local leases = {}
  for i = 1, held and #held or n do
    local index = held and held[i] or i
    leases[#leases + 1] = string.format('%.0f', now + tonumber(ARGV[first + 2 * n + index - 1]))
    leases[#leases + 1] = ARGV[first + index - 1]
  end
  if #leases > 0 then
    redis.call('ZADD', KEYS[2], 'XX', unpack(leases))
  end
end
