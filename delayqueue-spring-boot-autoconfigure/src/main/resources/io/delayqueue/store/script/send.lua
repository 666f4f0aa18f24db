-- Stores messages. Its own repeat is recognised by the nonce and answered as the first time. Of two whose nonces are
-- numbers, the one with the smaller never replaces the other: it came late, and the other one is kept.
--
-- KEYS[1..5] schedule, leases, messages, deliveries, meta
-- KEYS[6..] where the outcome of a send is remembered (STRING), of those messages of which it is
-- ARGV[1] identity  ARGV[2] signal channel  ARGV[3] lane's signal name  ARGV[4] n
-- ARGV[5] n modes in one text, a letter each: r refuse, k keep, p replace
-- then n ids; n due times (ms since 1970, or '+' and a delay in ms; below 2^48); n messages as they are
-- stored from the due time on, those with a delay from behind it on; for each of KEYS[6..] whose it is (1..n), and for how
-- many ms
-- result {'OK', now in µs, outcomes, due times of the first time}, an outcome being a(ccepted), s(ame: accepted the first
--         time), r(eplaced), k(ept), d(uplicate), or in upper case what is remembered of the first time; only those that
--         are the same or remembered have a due time there, in their order
--        | {'UNKNOWN'} | {'MISMATCH', identity}
-- cost   O(n log N), 8 commands and a PUBLISH when the head became earlier; n is at most 500; 2 more for each of KEYS[6..]
--
-- The schedule is written first: an id there without a message is put right by the next claim, a message without a place
-- would be nobody's. What is left of an earlier delivery of the id, by a script that stopped midway or since it is
-- replaced, goes before the new message comes: no old token may ever be good for it. A lease that is left over means
-- nothing without a delivery; the next reclaim removes it. What is remembered comes last: before, it would tell of a
-- message that a stop in between kept from being stored. It is lost rather than that the whole send fails for it.
--@include guard
--@include head
--@include number
local meta = redis.call('HMGET', KEYS[5], 'identity', 'largest')
if meta[1] ~= ARGV[1] then
  return meta[1] and {'MISMATCH', meta[1]} or {'UNKNOWN'}
end
local n = tonumber(ARGV[4])
local dueAt = 5 + n
local restAt = dueAt + n
local stored = redis.call('HMGET', KEYS[3], unpack(ARGV, 6, dueAt))
local head = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2]

local schedule, messages, ids, replaced = {}, {}, {}, {}
local outcomes, same, fresh = nil, {}, 0
local largest, first = tonumber(meta[2] or 0), nil
local sent = '1' .. packedTime(now)
local remembered, dues = {}, {}
for key = 6, #KEYS do
  remembered[tonumber(ARGV[restAt + n + 2 * (key - 6) + 1])] = redis.call('GET', KEYS[key])
end
local given, due, dueTime

-- the line feed within makes it the whole rest of the line that is compared
local function outcomeOf(i)
  local message = stored[i]
  local line = string.match(ARGV[restAt + i], '^[^\n]*\n', string.byte(ARGV[dueAt + i]) == 43 and 1 or 7)
  if hasHead(message) and string.sub(message, 14, 13 + #line) == line then
    dues[i] = string.format('%.0f', timeAt(message, 8))
    same[#same + 1] = dues[i]
    return 's'
  end
  local mode = string.sub(ARGV[5], i, i)
  if mode == 'p' then
    local number = numberAt(line, 1)
    local other = number and hasHead(message) and numberAt(message, 14)
    return other and other > number and 'k' or 'r'
  end
  return mode == 'k' and 'k' or 'd'
end

for i = 1, n do
  local outcome
  if remembered[i] then
    outcome = string.sub(remembered[i], 1, 1)
    same[#same + 1] = string.sub(remembered[i], 2)
  elseif stored[i] then
    outcome = outcomeOf(i)
  end
  if outcome then
    outcomes = outcomes or {}
    outcomes[i] = outcome
  end
  if not outcome or outcome == 'r' then
    local id = ARGV[5 + i]
    if ARGV[dueAt + i] ~= given then
      given = ARGV[dueAt + i]
      local relative = string.byte(given) == 43
      local millis = relative and now + tonumber(string.sub(given, 2)) or tonumber(given)
      due = relative and string.format('%.0f', millis) or given
      dueTime = relative and packedTime(millis) or ''
      if not first or millis < first then
        first = millis
      end
    end
    dues[i] = due
    local message = sent .. dueTime .. ARGV[restAt + i]
    fresh = fresh + 1
    ids[fresh] = id
    schedule[2 * fresh - 1], schedule[2 * fresh] = due, id
    messages[2 * fresh - 1], messages[2 * fresh] = id, message
    if #message > largest then
      largest = #message
    end
    if outcome then
      replaced[#replaced + 1] = id
    end
  end
end
if fresh > 0 then
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
  if #replaced > 0 then
    redis.call('ZREM', KEYS[2], unpack(replaced))
  end
  if not head or first < tonumber(head) then
    redis.pcall('PUBLISH', ARGV[2], 'h ' .. ARGV[3] .. ' ' .. string.format('%.0f', first))
  end
end
for key = 6, #KEYS do
  local argument = restAt + n + 2 * (key - 6) + 1
  local i = tonumber(ARGV[argument])
  if not remembered[i] then
    local outcome = outcomes and outcomes[i] or 'a'
    local told = outcome == 's' and 'A' or string.upper(outcome)
    redis.pcall('SET', KEYS[key], told .. (dues[i] or '0'), 'PX', ARGV[argument + 1])
  end
end
if outcomes then
  for i = 1, n do
    outcomes[i] = outcomes[i] or 'a'
  end
end
return {'OK', nowMicros, outcomes and table.concat(outcomes) or string.rep('a', n), same}
