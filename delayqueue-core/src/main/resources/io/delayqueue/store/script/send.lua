-- Stores messages. A repeat is recognised by its nonce and gets the outcome of the first send. If the live message or its
-- successor has a greater version than the new message, that one arrived late, and both are kept. Modes a and b are described
-- in coalesce.lua. A topic whose limit of messages is reached is full: it rejects what would add a message. That a topic was
-- full is never remembered.
--
-- KEYS[1..5] schedule, leases, messages, deliveries, meta
-- KEYS[6..7] sent, sent.until: remembered outcomes; only if an outcome is to be remembered
-- ARGV[1] identity  ARGV[2] n
-- ARGV[3] n modes in one text, a letter each: r reject, k keep, p replace, a after running, b debounce; '': r for all, and
--         no outcome is to be remembered
-- then n ids; n due times (ms since 1970, or '+' and a delay in ms; below 2^48), or one for all if ARGV[3] is ''; n stored
-- messages from the due time on, or, for a delay, after the due time; for each outcome to remember the index of the
-- message (1..n), its nonce, and the time to remember in ms
-- result {'OK', now in µs}: all messages were accepted | {'OK', now in µs, outcomes, numbers} | {'UNKNOWN'} | {'MISMATCH',
--         identity}. An outcome is a letter: a accepted, s accepted by an earlier execution, r replaced, k kept, d duplicate,
--         f rejected because the topic is full, l accepted and m replaced, but due later than given, see arrived in
--         order.lua; an upper-case letter is the remembered outcome of an earlier execution. The numbers are, in the order of the
--         messages, the topic's limit for an f; the due time for an s, l, m, an upper-case letter, and any other outcome of mode b
-- cost O(n log N), 7 commands, two more for several messages, two more if one has over 1,024 bytes, three more if the topic
--        has a limit of messages and one for each message that it has no room for, a PUBLISH if the first due time became
--        earlier and one if leased messages were replaced; n is at most 500; 6 more commands if outcomes are remembered;
--        one more for each live message with mode a, b or p, and two more if there are successors; in an ordered topic whose
--        clock was set back, 2 to 53 more for each key of messages without a delay
--
-- Order of writes: the schedule is written first, because the next claim repairs an id without a message, while a
-- message without an entry in the schedule would never be delivered. An earlier delivery of the id is removed before
-- the message is written, so that no old token is valid for the new message. A replaced message with a successor first gets
-- the new message as the one that takes over, see successor.lua: otherwise a stop could leave it without a successor. A lease
-- without a delivery has no effect; the next reclaim removes it. Outcomes are remembered last, so that no outcome is
-- remembered for a message that was not stored because the script stopped. If remembering fails, the send still succeeds. A
-- full topic accepts an id that is in the schedule without a message: this send may have stopped there, and it needs no more
-- room.
--
-- The functions below are created in each call and cost as much as a command. So a call creates only those that it needs.
--@include keys
--@include signals
local identity = redis.call('HGET', metaKey, 'identity')
--@include identity
local limits = special and redis.call('HGET', metaKey, 'limits')
--@include clock
--@include packedtime
--@include room
local n, modes, sent = tonumber(ARGV[2]), ARGV[3], '1' .. packedTime(now)

-- A single message takes this way: the tables below would cost as much as all commands.
if n == 1 and modes == '' and not keyed and #ARGV[6] <= 1000 and redis.call('HEXISTS', messagesKey, ARGV[4]) == 0 then
  if room and room < 1 and not redis.call('ZSCORE', scheduleKey, ARGV[4]) then
    return {'OK', nowMicros, 'f', {limit}}
  end
  local id, due, times = ARGV[4], ARGV[5], sent
  if string.byte(due) == 43 then
    local millis = now + due
    due, times = textOf(millis), sent .. packedTime(millis)
  end
  redis.call('ZADD', scheduleKey, due, id)
  redis.call('HDEL', deliveriesKey, id)
  redis.call('HSET', messagesKey, id, times .. ARGV[6])
  if redis.call('ZRANK', scheduleKey, id) == 0 then
    signal('h', due)
  end
  return {'OK', nowMicros}
end

--@include head
--@include order
-- ARGV[dueOffset + i] is the due time of message i, ARGV[restOffset + i] is what follows in the stored message
local dueOffset = 3 + n
local oneDue = modes == '' and #ARGV == dueOffset + 1 + n
local restOffset = dueOffset + (oneDue and 1 or n)
local stored = redis.call('HMGET', messagesKey, unpack(ARGV, 4, dueOffset))

-- after this argument follow the outcomes to remember
local rememberOffset = restOffset + n
local toRemember = (#ARGV - rememberOffset) / 3
-- outcomes other than 'a', and due times, by index; the numbers of the result
local outcomes, dues, numbers = {}, {}, {}
-- remembered outcomes, by index, and the fields that hold those to remember
local known, fields
-- see coalesce.lua
local prefixes, coalesced, debounced
local coalesces = string.find(modes, '[ab]')
-- whether the live message has a successor, by index
local hasSuccessor = {}
local unusual = toRemember > 0 or coalesces
for i = 1, n do
  if stored[i] then
    unusual = true
    break
  end
end
if unusual then
  --@include version
  -- whether the send stored this message before; then its due time is the result
  local function repeats(i, message, line)
    local stored = keyed and string.sub(unsequenced(string.sub(message, 14)), 1, #line) or string.sub(message, 14, 13 + #line)
    local same = hasHead(message) and stored == line
    dues[i] = same and textOf(timeAt(message, 8)) or nil
    return same
  end
  local function isOlder(line, message, successor)
    local version = versionAt(line, 1)
    return version and greatestVersion(message, successor) > version
  end
  local deliveryOf
  if string.find(modes, '[abp]') then
    --@include successor
    function deliveryOf(i)
      local delivery, successor = divided(redis.call('HGET', deliveriesKey, ARGV[3 + i]))
      hasSuccessor[i] = successor and true
      return delivery, successor
    end
  end
  if coalesces then
    --@include coalesce
  end
  known, fields = {}, {}
  if toRemember > 0 then
    for m = 1, toRemember do
      local at = rememberOffset + 3 * m
      -- messages with different ids may have the same nonce, for example a version
      fields[m] = ARGV[at - 1] .. ' ' .. ARGV[3 + tonumber(ARGV[at - 2])]
    end
    local records = redis.call('HMGET', KEYS[6], unpack(fields))
    for m = 1, toRemember do
      local outcome, expiry = string.match(records[m] or '', '^(%u%d+) (%d+)$')
      if outcome and tonumber(expiry) > now then
        known[tonumber(ARGV[rememberOffset + 3 * m - 2])] = outcome
      end
    end
  end
  local function outcomeOf(i, message)
    -- the pattern includes the line feed, so that the whole rest of the line is compared
    local relative = string.byte(ARGV[oneDue and restOffset or dueOffset + i]) == 43
    local line = string.match(ARGV[restOffset + i], '^[^\n]*\n', relative and 1 or 7)
    local mode = string.sub(modes, i, i)
    if slotOf(message) then
      -- the id belongs to the recurring message
      dues[i] = textOf(timeAt(message, 8))
      return mode == 'k' and 'k' or 'd'
    elseif mode == 'a' or mode == 'b' then
      return coalesced(i, mode, message, line)
    elseif repeats(i, message, line) then
      return 's'
    elseif mode == 'p' then
      local _, successor = deliveryOf(i)
      return isOlder(line, message, successor) and 'k' or 'r'
    end
    return mode == 'k' and 'k' or 'd'
  end
  for i = 1, n do
    if known[i] then
      outcomes[i], dues[i] = string.sub(known[i], 1, 1), string.sub(known[i], 2)
    elseif stored[i] then
      outcomes[i] = outcomeOf(i, stored[i])
    end
  end
end

-- to write: the schedule, the messages, and deliveries with a new successor; to remove: deliveries before the messages are
-- written (ids, their number is removed), deliveries after it (ended), and leases (replaced)
local schedule, messages, ids, replaced, deliveries, ended = {}, {}, {}, {}, {}, {}
-- the messages of replaced
local before = {}
local fresh, removed, largest, earliest, first = 0, 0, 0, nil, nil
local entries, changes, firstBefore = {}, nil, keyed and firstOfSchedule()
-- by index, the due times that are later than given; nil if there are none
local later
-- argument, due time, and stored times of the last message; kept, because the next one often has the same argument
local given, millis, due, times
for i = 1, n do
  local outcome = outcomes[i]
  if room and not outcome then
    room = room - 1
    if room < 0 and not (redis.call('ZSCORE', scheduleKey, ARGV[3 + i]) or keyed and parkedDue(ARGV[3 + i])) then
      outcome, outcomes[i], unusual = 'f', 'f', true
    end
  end
  local prefix = prefixes and prefixes[i]
  if not outcome or outcome == 'r' or prefix then
    local id, argument, rest = ARGV[3 + i], ARGV[oneDue and restOffset or dueOffset + i], ARGV[restOffset + i]
    if coalesces and string.sub(modes, i, i) == 'b' then
      argument, rest = debounced(i, argument, rest)
    end
    if argument ~= given then
      given, millis = argument, tonumber(argument)
      if string.byte(given) == 43 then
        millis = now + millis
        due, times = textOf(millis), sent .. packedTime(millis)
      else
        due, times = given, sent
      end
    end
    local message, own = times .. rest, due
    if keyed then
      local sequence, at = arrived(millis, argument == '+0' and message, id)
      if at ~= millis then
        -- sent when it is due, as all messages without a delay
        own, message = textOf(at), '1' .. packedTime(at) .. packedTime(at) .. rest
        later, unusual = later or {}, true
        later[i] = own
      end
      message = sequenced(message, sequence)
      if not prefix then
        entries[#entries + 1] = {id, (keyOf(message)), sequence, at, stored[i] or nil, own}
      end
    end
    if #message > largest then
      largest = #message
    end
    if unusual then
      dues[i] = own
    end
    if prefix then
      deliveries[#deliveries + 1], deliveries[#deliveries + 2] = id, prefix .. message
    else
      fresh = fresh + 1
      if unusual and hasSuccessor[i] then
        deliveries[#deliveries + 1], deliveries[#deliveries + 2] = id, '\0' .. message
        ended[#ended + 1] = id
      else
        removed = removed + 1
        ids[removed] = id
      end
      schedule[2 * fresh - 1], schedule[2 * fresh] = due, id
      messages[2 * fresh - 1], messages[2 * fresh] = id, message
      if outcome then
        replaced[#replaced + 1], before[#before + 1] = id, stored[i]
      end
      if not earliest or millis < earliest then
        earliest, first = millis, id
      end
    end
  end
end
if largest > 0 then
  --@include largest
end
if keyed then
  recordArrivals()
end
if #deliveries > 0 then
  redis.call('HSET', deliveriesKey, unpack(deliveries))
end
if fresh > 0 then
  if keyed then
    changes = enter(entries)
  else
    redis.call('ZADD', scheduleKey, unpack(schedule))
  end
  -- only the sentinel is left if no message was delivered
  if removed == 1 or removed > 0 and redis.call('HLEN', deliveriesKey) > 1 then
    redis.call('HDEL', deliveriesKey, unpack(ids))
  end
  if fair and #replaced > 0 then
    -- by the keys of the messages that are replaced
    order.uncountLeases(replaced, before)
  end
  redis.call('HSET', messagesKey, unpack(messages))
  if keyed then
    occupy(changes)
  end
  if #ended > 0 then
    redis.call('HDEL', deliveriesKey, unpack(ended))
  end
  if #replaced > 0 and redis.call('ZREM', leasesKey, unpack(replaced)) > 0 then
    signal('r', (#replaced == 1 and replaced[1] or ''))
    if limits then
      -- a place became free
      signal('s', '-')
    end
  end
  -- of the messages of this call with the same due time, up to n - 1 may come before the first in the order of ids
  if keyed then
    if firstOfSchedule() ~= firstBefore then
      signal('h', firstOfSchedule())
    end
  elseif redis.call('ZRANK', scheduleKey, first) < n
    and tonumber(redis.call('ZRANGE', scheduleKey, '0', '0', 'WITHSCORES')[2]) == earliest then
    signal('h', textOf(earliest))
  end
end
if toRemember > 0 then
  --@include sent
  local sentKey, sentUntilKey = KEYS[6], KEYS[7]
  local untils, records = {}, {}
  for m = 1, toRemember do
    local at = rememberOffset + 3 * m
    local i = tonumber(ARGV[at - 2])
    if not known[i] and outcomes[i] ~= 'f' then
      local outcome = outcomes[i] or 'a'
      local expiry = textOf(now + tonumber(ARGV[at]))
      untils[#untils + 1], untils[#untils + 2] = expiry, fields[m]
      records[#records + 1] = fields[m]
      records[#records + 1] = (outcome == 's' and 'A' or string.upper(outcome)) .. (dues[i] or '0') .. ' ' .. expiry
    end
  end
  if #records > 0 then
    redis.pcall('ZADD', sentUntilKey, unpack(untils))
    redis.pcall('HSET', sentKey, unpack(records))
  end
  forgetSent(sentKey, sentUntilKey, 2 * toRemember)
end
if not unusual then
  return {'OK', nowMicros}
end
for i = 1, n do
  local outcome = outcomes[i] or 'a'
  if outcome == 'f' then
    numbers[#numbers + 1] = limit
  elseif later and later[i] then
    outcome, numbers[#numbers + 1] = outcome == 'r' and 'm' or 'l', later[i]
  elseif outcome == 's' or string.byte(outcome) < 97 or string.sub(modes, i, i) == 'b' then
    numbers[#numbers + 1] = dues[i]
  end
  outcomes[i] = outcome
end
return {'OK', nowMicros, table.concat(outcomes), numbers}
