-- fragment: taking back leases that are over. Their attempts are spent; the last one permitted was the last.

local function permitted(message)
  return tonumber(string.match(limitsOf(message), ' a=(%d+)') or ARGV[10])
end

local function reclaim(max, reclaimed, deaths)
  local over = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', nowText, 'LIMIT', 0, max)
  for i = 1, fitting(over, tonumber(ARGV[8])) do
    local id = over[i]
    local message = redis.call('HGET', KEYS[3], id)
    local delivery = redis.call('HGET', KEYS[4], id)
    local token, attempts, due, failure = parsed(delivery)
    local letter = id .. '@' .. token
    local dying = KEYS[6] and redis.call('ZSCORE', KEYS[6], letter)
    local record = dying and redis.call('HGET', KEYS[7], letter)
    if not message then
      forget(id)
    elseif record then
      -- a death that stopped midway
      lay(id, letter, dying, string.match(record, '^%S+ %S+ (%S+)'), record, message, deaths)
    elseif token == '-' then
      -- a claim or a hand-back that stopped midway
      if not redis.call('ZSCORE', KEYS[1], id) then
        redis.call('ZADD', KEYS[1], nowText, id)
      end
      redis.call('ZREM', KEYS[2], id)
    elseif dying or tonumber(attempts) >= permitted(message) then
      die(id, token, 'LEASE_OVER', attempts, due, failure, message, deaths)
    else
      back(id, nowText, attempts, failure)
      reclaimed[#reclaimed + 1] = id
    end
  end
end
