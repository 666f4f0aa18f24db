-- Stores messages. Its own repeat is recognised by the nonce and answered as the first time.
--
-- KEYS[1..5] schedule, leases, messages, deliveries, meta
-- ARGV[1] identity  ARGV[2] signal channel  ARGV[3] lane's signal name  ARGV[4] n
-- then n ids; n due times (ms since 1970, or '+' and a delay in ms); n modes (r refuse, k keep, p replace);
-- n heads ("1 <nonce>" without, "1+<nonce> <limits>" with limits); n bodies (headers, empty line, payload)
-- result {'OK', now in µs, outcomes, due times}, an outcome being a(ccepted), r(eplaced), k(ept), d(uplicate)
--        | {'UNKNOWN'} | {'MISMATCH', identity}
-- cost   O(n log N), 8 commands and a PUBLISH when the head became earlier; n is at most 500
--
-- A stored message is "<head> <sent ms> <due ms>\n<body>". The schedule is written first: an id there without a message
-- is put right by the next claim, a message without a place would be nobody's. What is left of an earlier message of
-- the id, by a script that stopped midway or since it is replaced, goes before the new one comes: no old token may ever
-- be good for it.
--@include guard
local meta = redis.call('HMGET', KEYS[5], 'identity', 'largest')
if meta[1] ~= ARGV[1] then
  return meta[1] and {'MISMATCH', meta[1]} or {'UNKNOWN'}
end
local n = tonumber(ARGV[4])
local stored = redis.call('HMGET', KEYS[3], unpack(ARGV, 5, 4 + n))
local head = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2]

local outcomes, dues, schedule, ids, messages = {}, {}, {}, {}, {}
local largest, first = tonumber(meta[2] or 0), nil
for i = 1, n do
  local id, due, prefix = ARGV[4 + i], ARGV[4 + n + i], ARGV[4 + 3 * n + i] .. ' '
  if string.byte(due) == 43 then
    due = string.format('%.0f', now + tonumber(string.sub(due, 2)))
  end
  local mode, outcome = ARGV[4 + 2 * n + i], 'a'
  if stored[i] then
    if string.sub(stored[i], 1, #prefix) == prefix then
      outcome = 's'
      due = string.match(string.sub(stored[i], 1, string.find(stored[i], '\n', 1, true) - 1), '%d+$')
    elseif mode == 'p' then
      outcome = 'r'
    else
      outcome = mode == 'k' and 'k' or 'd'
    end
  end
  if outcome == 'a' or outcome == 'r' then
    local message = prefix .. nowText .. ' ' .. due .. '\n' .. ARGV[4 + 4 * n + i]
    schedule[#schedule + 1] = due
    schedule[#schedule + 1] = id
    ids[#ids + 1] = id
    messages[#messages + 1] = id
    messages[#messages + 1] = message
    if #message > largest then
      largest = #message
    end
    local millis = tonumber(due)
    if not first or millis < first then
      first = millis
    end
  end
  outcomes[i] = outcome == 's' and 'a' or outcome
  dues[i] = due
end
if first then
  if largest > tonumber(meta[2] or 0) then
    local bound = 1024
    while bound < largest do
      bound = bound * 2
    end
    redis.call('HSET', KEYS[5], 'largest', bound)
  end
  redis.call('ZADD', KEYS[1], unpack(schedule))
  redis.call('HDEL', KEYS[4], unpack(ids))
  redis.call('HSET', KEYS[3], unpack(messages))
  redis.call('ZREM', KEYS[2], unpack(ids))
  if not head or first < tonumber(head) then
    redis.pcall('PUBLISH', ARGV[2], 'h ' .. ARGV[3] .. ' ' .. string.format('%.0f', first))
  end
end
return {'OK', nowMicros, table.concat(outcomes), dues}
