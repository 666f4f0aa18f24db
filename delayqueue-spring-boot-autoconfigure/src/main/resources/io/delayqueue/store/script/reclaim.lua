-- fragment: taking back leases that are over. Their attempts are spent; the last one permitted was the last.

local function permitted(message)
  if string.byte(message, 2) == 43 then
    local line = string.sub(message, 1, string.find(message, '\n', 1, true) - 1)
    local own = string.match(line, ' a=(%d+)')
    if own then
      return tonumber(own)
    end
  end
  return tonumber(ARGV[10])
end

local function reclaim(max, deaths)
  local reclaimed = {}
  local over = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', nowText, 'LIMIT', 0, max)
  for i = 1, fitting(over, tonumber(ARGV[8])) do
    local id = over[i]
    local message = redis.call('HGET', KEYS[3], id)
    local delivery = redis.call('HGET', KEYS[4], id)
    local token, attempts, due, failure = string.match(delivery or '', '^(%S+) (%d+) (%d+) ?(.*)$')
    if not message then
      redis.call('HDEL', KEYS[4], id)
      redis.call('ZREM', KEYS[1], id)
      redis.call('ZREM', KEYS[2], id)
    elseif not token or token == '-' then
      -- a claim or a hand-back that stopped midway
      if not redis.call('ZSCORE', KEYS[1], id) then
        redis.call('ZADD', KEYS[1], nowText, id)
      end
      redis.call('ZREM', KEYS[2], id)
    elseif tonumber(attempts) >= permitted(message) then
      die(id, token, 'LEASE_OVER', attempts, due, failure, message, deaths)
    else
      back(id, nowText, attempts, failure)
      reclaimed[#reclaimed + 1] = id
    end
  end
  return reclaimed
end
