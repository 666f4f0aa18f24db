-- fragment: remembered outcomes of sends: a HASH nonce → "<outcome><due ms> <until ms>", and a ZSET nonce → until ms.

-- removes outcomes that have expired, at most the given number
local function forgetSent(hash, untils, most)
  local over = redis.call('ZRANGEBYSCORE', untils, '-inf', nowText, 'LIMIT', 0, most)
  if #over > 0 then
    redis.call('HDEL', hash, unpack(over))
    redis.call('ZREM', untils, unpack(over))
  end
end
