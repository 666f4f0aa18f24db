-- fragment: remembered outcomes of sends and cancels: a HASH "<nonce> <id>" → "<outcome><due ms> <until ms>", for a cancel
-- "C0 <until ms>", and a ZSET of the same → until ms.

-- removes outcomes that have expired, at most the given number
local function forgetSent(hash, untils, most)
  local expired = redis.call('ZRANGEBYSCORE', untils, '-inf', nowText, 'LIMIT', 0, most)
  if #expired > 0 then
    redis.call('HDEL', hash, unpack(expired))
    redis.call('ZREM', untils, unpack(expired))
  end
end
