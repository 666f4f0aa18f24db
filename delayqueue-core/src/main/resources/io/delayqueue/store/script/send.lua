-- Stores messages. A repeat is recognised by its nonce and gets the outcome of the first send. A message never replaces
-- one with a greater version: it arrived late, and the live message is kept.
--
-- KEYS[1..5] schedule, leases, messages, deliveries, meta
-- KEYS[6..7] sent, sent.until: remembered outcomes; only if an outcome is to be remembered
-- ARGV[1] identity  ARGV[2] signal channel  ARGV[3] queue's signal name  ARGV[4] n
-- ARGV[5] n modes in one text, a letter each: r reject, k keep, p replace
-- then n ids; n due times (ms since 1970, or '+' and a delay in ms; below 2^48); n stored messages from the due time
-- on, or, for a delay, after the due time; for each outcome to remember the index of the message (1..n), its nonce, and
-- the time to remember in ms
-- result {'OK', now in µs, outcomes, due times of repeats}. An outcome is a letter: a accepted, s accepted by an
--         earlier execution, r replaced, k kept, d duplicate; an upper-case letter is the remembered outcome of an
--         earlier execution. The due times are those of the messages with an s or an upper-case letter, in their order
--         | {'UNKNOWN'} | {'MISMATCH', identity}
-- cost O(n log N), 8 commands, a PUBLISH if the first due time became earlier and one if leased messages were replaced;
--        n is at most 500; 6 more commands if outcomes are remembered
--
-- Order of writes: the schedule is written first, because the next claim repairs an id without a message, while a
-- message without an entry in the schedule would never be delivered. An earlier delivery of the id is removed before
-- the message is written, so that no old token is valid for the new message. A lease without a delivery has no effect;
-- the next reclaim removes it. Outcomes are remembered last, so that no outcome is remembered for a message that was
-- not stored because the script stopped. If remembering fails, the send still succeeds.
--@include keys
local sentKey, sentUntilKey = KEYS[6], KEYS[7]
--@include clock
--@include firstdue
--@include head
--@include version
--@include sent
local identity, largestText = unpack(redis.call('HMGET', metaKey, 'identity', 'largest'))
if identity ~= ARGV[1] then
  return identity and {'MISMATCH', identity} or {'UNKNOWN'}
end
local n = tonumber(ARGV[4])
-- ARGV[dueOffset + i] is the due time of message i, ARGV[restOffset + i] is what follows in the stored message
local dueOffset = 5 + n
local restOffset = dueOffset + n
local stored = redis.call('HMGET', messagesKey, unpack(ARGV, 6, dueOffset))
local firstDue = readFirstDue()

local schedule, messages, ids, replaced = {}, {}, {}, {}
local outcomes, repeatDues, fresh = nil, {}, 0
local largest, earliest = tonumber(largestText or 0), nil
local sent = '1' .. packedTime(now)
local remembered, dues = {}, {}
-- after this argument follow the outcomes to remember
local rememberOffset = restOffset + n
local toRemember = (#ARGV - rememberOffset) / 3
if toRemember > 0 then
  local nonces = {}
  for m = 1, toRemember do
    nonces[m] = ARGV[rememberOffset + 3 * m - 1]
  end
  local known = redis.call('HMGET', sentKey, unpack(nonces))
  for m = 1, toRemember do
    local outcome, expiry = string.match(known[m] or '', '^(%u%d+) (%d+)$')
    if outcome and tonumber(expiry) > now then
      remembered[tonumber(ARGV[rememberOffset + 3 * m - 2])] = outcome
    end
  end
end
-- argument, due time, and, for a delay, packed due time of the last message; kept, because the next one often has the
-- same argument
local given, due, dueTime

-- the pattern includes the line feed, so that the whole rest of the line is compared
local function outcomeOf(i)
  local message = stored[i]
  local line = string.match(ARGV[restOffset + i], '^[^\n]*\n', string.byte(ARGV[dueOffset + i]) == 43 and 1 or 7)
  if hasHead(message) and string.sub(message, 14, 13 + #line) == line then
    dues[i] = string.format('%.0f', timeAt(message, 8))
    repeatDues[#repeatDues + 1] = dues[i]
    return 's'
  end
  local mode = string.sub(ARGV[5], i, i)
  if mode == 'p' then
    local version = versionAt(line, 1)
    local other = version and hasHead(message) and versionAt(message, 14)
    return other and other > version and 'k' or 'r'
  end
  return mode == 'k' and 'k' or 'd'
end

for i = 1, n do
  local outcome
  if remembered[i] then
    outcome = string.sub(remembered[i], 1, 1)
    repeatDues[#repeatDues + 1] = string.sub(remembered[i], 2)
  elseif stored[i] then
    outcome = outcomeOf(i)
  end
  if outcome then
    outcomes = outcomes or {}
    outcomes[i] = outcome
  end
  if not outcome or outcome == 'r' then
    local id = ARGV[5 + i]
    if ARGV[dueOffset + i] ~= given then
      given = ARGV[dueOffset + i]
      local relative = string.byte(given) == 43
      local millis = relative and now + tonumber(string.sub(given, 2)) or tonumber(given)
      due = relative and string.format('%.0f', millis) or given
      dueTime = relative and packedTime(millis) or ''
      if not earliest or millis < earliest then
        earliest = millis
      end
    end
    dues[i] = due
    local message = sent .. dueTime .. ARGV[restOffset + i]
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
  if largest > tonumber(largestText or 0) then
    local bound = 1024
    while bound < largest do
      bound = bound * 2
    end
    redis.call('HSET', metaKey, 'largest', bound)
  end
  redis.call('ZADD', scheduleKey, unpack(schedule))
  redis.call('HDEL', deliveriesKey, unpack(ids))
  redis.call('HSET', messagesKey, unpack(messages))
  if #replaced > 0 then
    local leases = redis.call('ZREM', leasesKey, unpack(replaced))
    if leases > 0 then
      redis.pcall('PUBLISH', ARGV[2], 'r ' .. ARGV[3] .. ' ' .. (#replaced == 1 and replaced[1] or ''))
    end
  end
  if not firstDue or earliest < tonumber(firstDue) then
    redis.pcall('PUBLISH', ARGV[2], 'h ' .. ARGV[3] .. ' ' .. string.format('%.0f', earliest))
  end
end
local untils, records = {}, {}
for m = 1, toRemember do
  local at = rememberOffset + 3 * m
  local i = tonumber(ARGV[at - 2])
  if not remembered[i] then
    local outcome = outcomes and outcomes[i] or 'a'
    local expiry = string.format('%.0f', now + tonumber(ARGV[at]))
    untils[#untils + 1], untils[#untils + 2] = expiry, ARGV[at - 1]
    records[#records + 1] = ARGV[at - 1]
    records[#records + 1] = (outcome == 's' and 'A' or string.upper(outcome)) .. (dues[i] or '0') .. ' ' .. expiry
  end
end
if #records > 0 then
  redis.pcall('ZADD', sentUntilKey, unpack(untils))
  redis.pcall('HSET', sentKey, unpack(records))
end
if toRemember > 0 then
  forgetSent(sentKey, sentUntilKey, 2 * toRemember)
end
if outcomes then
  for i = 1, n do
    outcomes[i] = outcomes[i] or 'a'
  end
end
return {'OK', nowMicros, outcomes and table.concat(outcomes) or string.rep('a', n), repeatDues}
