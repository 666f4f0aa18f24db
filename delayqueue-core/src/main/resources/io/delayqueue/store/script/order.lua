-- fragment: the order of a topic whose messages have keys. Of each key, at most one message is in schedule or leases: the head.
-- The others are parked: they become the head in the order of their due times, and of their sequence numbers, which count the
-- arrivals in Redis. A head that was claimed holds its key until it ends or lets go. A head that was not claimed changes places
-- with a message that is due earlier.
--
-- parked      ZSET of equal scores: '<key>\0<due><sequence><id>' for a parked message, due time and sequence number as times of a
--             message, see head.lua. Of a fair topic, too, '<key>\1<id>' for a leased message, which the limit of its key counts
-- parked.due  ZSET id → due ms
-- heads       HASH key → '<mark><due><sequence><id>', the mark '!' if the head holds its key, else '='
--
-- needs: keyed, fair, AT_LIMIT, parkedDueKey, activeKey, head. gives: order; if the messages have keys: parkedKey, headsKey, keyOf,
-- sequenced, unsequenced, arrived, recordArrivals, parkedDue, nextOf, promote, depart, unpark, enter, occupy, firstOfSchedule
--
-- Order of writes: a message becomes the head in the schedule first, is stored next, and heads is written last. So each stored
-- message is in schedule, leases or parked, and if a key has stored messages, one of them is in schedule or leases. The claim of
-- a message that heads does not name decides which one is the head, and nextOf corrects entries of parked that do not agree with
-- parked.due and the stored message.
local parkedKey, headsKey
local keyOf, sequenced, unsequenced, arrived, recordArrivals, parkedDue, nextOf
local promote, depart, unpark, enter, occupy, firstOfSchedule
-- what polls, and limits.lua, use outside of this fragment
local order = {}
if keyed then
  parkedKey, headsKey = KEYS[#KEYS - 2], KEYS[#KEYS]
  local lastSequence, lastDue
  -- due times as text, by their six bytes: to format a number takes longer than a command
  local dueTexts = {}

  local function packed(number)
    local low = number % 4294967296
    return struct.pack('>I2I4', (number - low) / 4294967296, low)
  end

  -- as in clock.lua, which a script may include later
  local function text(ms)
    return string.format('%d%06d', ms / 1000000, ms % 1000000)
  end

  -- a due time in six bytes as text
  local function dueText(six)
    local due = dueTexts[six]
    if not due then
      due = text(timeAt(six, 1))
      dueTexts[six] = due
    end
    return due
  end

  function order.memberOf(key, due, sequence, id)
    return key .. '\0' .. packed(due) .. packed(sequence) .. id
  end

  -- key and sequence number of a message, and whether it has no limits; nil if a foreign client wrote it without a key
  function keyOf(message)
    if not message or string.byte(message, 14) ~= 43 or not hasHead(message) then
      return nil
    end
    local sequence, key = string.match(message, '^%+%S* s=(%d+) k=(%S*)\n', 14)
    if key then
      return key, tonumber(sequence), true
    end
    sequence, key = string.match(message, '^[^\n]- s=(%d+) k=(%S*)', 14)
    return key, tonumber(sequence)
  end

  -- a message with a sequence number, instead of that which it may have. In a fair topic, a message without key gets the empty one
  function sequenced(message, sequence)
    if string.find(message, ' s=', 14, true) then
      message = string.sub(message, 1, 13) .. unsequenced(string.sub(message, 14))
    end
    local lineEnd = string.find(message, '\n', 14, true) or #message + 1
    local at = string.find(message, ' k=', 14, true) or lineEnd
    if at < lineEnd then
      return string.sub(message, 1, at - 1) .. ' s=' .. sequence .. string.sub(message, at)
    elseif not fair then
      return message
    end
    local line = string.gsub(string.sub(message, 14, lineEnd - 1), '^%+?', '+', 1)
    local before, after = string.match(line, '^(.-)( d=.*)$')
    return string.sub(message, 1, 13) .. (before or line) .. ' s=' .. sequence .. ' k=' .. (after or '')
      .. string.sub(message, lineEnd)
  end

  -- a text that begins with the first line of a message, as it was before it got a sequence number
  function unsequenced(line)
    local at = string.find(line, '\n', 1, true) or #line + 1
    local first, numbered = string.gsub(string.sub(line, 1, at - 1), ' s=%d+ k=', ' k=', 1)
    if numbered > 0 and fair then
      local empty
      first, empty = string.gsub(first .. ' ', ' k= ', ' ', 1)
      first = string.sub(first, 1, -2)
      if empty > 0 and not string.find(first, ' ', 1, true) then
        first = string.sub(first, 2)
      end
    end
    return first .. string.sub(line, at)
  end

  -- how many places of a key lastDueOf compares with their messages
  local MOST_COMPARED = 50
  -- by key, after the clock was set back
  local lastDues = {}

  -- the last due time of the messages without a delay that a key has beside this id, after now and up to lastDue; now if it has
  -- none. The due time of such a message is that of its send. The head, if it is free, comes before those that are parked
  local function lastDueOf(key, id, now)
    local members = redis.call('ZRANGE', parkedKey, '(' .. key .. '\0' .. packed(lastDue + 1),
      '[' .. key .. '\0' .. packed(now + 1), 'BYLEX', 'REV', 'LIMIT', '0', tostring(MOST_COMPARED))
    local more = #members == MOST_COMPARED
    local head = redis.call('HGET', headsKey, key)
    if head and string.byte(head) == 61 then
      members[#members + 1] = key .. '\0' .. string.sub(head, 2)
    end
    for _, member in ipairs(members) do
      local other = string.sub(member, #key + 14)
      local message = other ~= id and redis.call('HGET', messagesKey, other)
      if message and string.sub(message, 2, 7) == string.sub(member, #key + 2, #key + 7) then
        return math.max(timeAt(member, #key + 2), now)
      end
    end
    return more and timeAt(members[1], #key + 2) or now
  end

  -- the sequence number and the due time of a message that arrives; immediate is the message if it has no delay. After the clock
  -- was set back, such a message is not due before the last such one of its key, so that no key is reordered
  function arrived(due, immediate, id)
    if not lastSequence then
      local sequence, latest = string.match(redis.call('HGET', metaKey, 'arrivals') or '0 0', '^(%d+) (%d+)$')
      lastSequence, lastDue = tonumber(sequence or 0), tonumber(latest or 0)
    end
    lastSequence = lastSequence + 1
    local key = immediate and due < lastDue and string.match(immediate, '^[^\n]- k=(%S+)', 14)
    if key then
      lastDues[key] = lastDues[key] or lastDueOf(key, id, due)
      due = lastDues[key]
    elseif immediate then
      lastDue = math.max(due, lastDue)
    end
    return lastSequence, due
  end

  -- is called before messages with these numbers are stored
  function recordArrivals()
    if lastSequence then
      redis.call('HSET', metaKey, 'arrivals', string.format('%.0f %.0f', lastSequence, lastDue))
    end
  end

  -- the due time of a parked message as text; false if the message is not parked
  function parkedDue(id)
    return redis.call('ZSCORE', parkedDueKey, id)
  end

  -- the first entry of a key in parked, after those that are skipped
  function order.firstOf(key, skipped)
    return redis.call('ZRANGEBYLEX', parkedKey, '[' .. key .. '\0', '(' .. key .. '\1', 'LIMIT', skipped, '1')[1]
  end

  -- corrects a member of parked that contradicts parked.due and the message: a script stopped midway
  function order.correct(id, member, message)
    local of, sequence = keyOf(message)
    local isParked = of and not redis.call('ZSCORE', scheduleKey, id) and not redis.call('ZSCORE', leasesKey, id)
    -- in a fair topic, a retried message is parked, too
    local due = isParked and tonumber(fair and parkedDue(id) or timeAt(message, 8))
    -- Redis permits all further writes of a script after one that uses no memory, even if memory is full
    redis.call('HDEL', metaKey, '')
    if isParked then
      occupy(enter({{id, of, sequence, due}}))
    else
      if not message then
        redis.call('HDEL', deliveriesKey, id)
      end
      redis.call('ZREM', parkedDueKey, id)
    end
    if not isParked or order.memberOf(of, due, sequence, id) ~= member then
      redis.call('ZREM', parkedKey, member)
    end
  end

  -- the first parked message of a key, without those that leave it: its id, due time as text, member of parked, and message; nil
  -- if there is none
  function nextOf(key, leaving)
    local skipped = 0
    while true do
      local member = order.firstOf(key, skipped)
      if not member then
        return nil
      end
      local id = string.sub(member, #key + 14)
      local message = redis.call('HGET', messagesKey, id)
      local of, sequence = keyOf(message)
      local due = of and text(timeAt(message, 8))
      if of and (fair or order.memberOf(of, tonumber(due), sequence, id) ~= member) then
        -- it let others pass, or a script stopped midway; in a fair topic it may be leased
        due = parkedDue(id)
      end
      if of and due and order.memberOf(of, tonumber(due), sequence, id) == member then
        if not leaving[id] then
          return id, due, member, message
        end
        skipped = skipped + 1
      else
        order.correct(id, member, message)
      end
    end
  end

  -- removes entries of parked messages; in this order, the next use of the key corrects what a stop leaves in parked
  function unpark(entries)
    if #entries.ids > 0 then
      redis.call('ZREM', parkedDueKey, unpack(entries.ids))
      redis.call('ZREM', parkedKey, unpack(entries.members))
    end
  end

  -- keys and members of parked by which messages of a fair topic count as leased
  local function leasedMembers(ids, messages)
    local keys, members = {}, {}
    for i, id in ipairs(ids) do
      local key = keyOf(messages[i])
      if key then
        keys[#keys + 1], members[#members + 1] = key, key .. '\1' .. id
      end
    end
    return keys, members
  end

  -- counts messages of a fair topic that are about to be leased
  function order.countLeases(ids, messages)
    local _, members = leasedMembers(ids, messages)
    local scored = {}
    for i, member in ipairs(members) do
      scored[2 * i - 1], scored[2 * i] = '0', member
    end
    if #scored > 0 then
      redis.call('ZADD', parkedKey, unpack(scored))
    end
  end

  -- whether a key of a fair topic has a turn
  function order.hasTurns()
    return tonumber(redis.call('ZRANGE', activeKey, '0', '0', 'WITHSCORES')[2] or AT_LIMIT) < AT_LIMIT
  end

  -- restores the turns of keys of a fair topic that were at their limit. Returns whether there are such keys
  function order.restoreTurns(keys)
    local turns, least = {}, nil
    for i, turn in ipairs(#keys > 0 and redis.call('ZMSCORE', activeKey, unpack(keys)) or {}) do
      if turn and tonumber(turn) >= AT_LIMIT then
        least = least or tonumber(redis.call('HGET', metaKey, 'turn') or 0)
        turns[#turns + 1], turns[#turns + 2] = text(math.max(turn - AT_LIMIT, least)), keys[i]
      end
    end
    if #turns > 0 then
      -- Redis permits all further writes of a script after one that uses no memory, even if memory is full
      redis.call('HDEL', metaKey, '')
      redis.call('ZADD', activeKey, 'XX', unpack(turns))
    end
    return #turns > 0
  end

  function order.restoreAllTurns()
    for _, key in ipairs(redis.call('ZRANGEBYSCORE', activeKey, AT_LIMIT, '(9007199254740991')) do
      order.restoreTurns({key})
    end
  end

  -- messages of a fair topic are about to leave the leases, and are still stored with the keys by which they count. If they may be
  -- renewed, their tokens are not valid any more. Returns whether turns were restored
  function order.uncountLeases(ids, messages)
    local keys, members = leasedMembers(ids, messages)
    local restored = order.restoreTurns(keys)
    for i, id in ipairs(ids) do
      if not messages[i] and redis.call('ZSCORE', leasesKey, id) then
        -- a foreign client removed the message: its key is not known
        order.restoreAllTurns()
        restored = true
      end
    end
    if #keys > 0 then
      redis.call('ZREM', parkedKey, unpack(members))
    end
    return restored
  end

  -- what keys get next: key, id, due time as text, and member of parked, each in a list
  function order.noNexts()
    return {keys = {}, ids = {}, dues = {}, members = {}}
  end

  function order.addNext(nexts, key, id, due, member)
    local at = #nexts.ids + 1
    nexts.keys[at], nexts.ids[at], nexts.dues[at], nexts.members[at] = key, id, due, member
  end

  -- makes parked messages the heads of their keys. The last one of a key remains the head
  function promote(nexts)
    local schedule, heads = {}, {}
    for i, key in ipairs(nexts.keys) do
      schedule[2 * i - 1], schedule[2 * i] = nexts.dues[i], nexts.ids[i]
      heads[2 * i - 1], heads[2 * i] = key, '=' .. string.sub(nexts.members[i], #key + 2)
    end
    if #schedule > 0 then
      redis.call('ZADD', scheduleKey, unpack(schedule))
      redis.call('HSET', headsKey, unpack(heads))
      unpark(nexts)
    end
  end

  -- the first parked messages of keys; their messages are read by one command if together. free gets the keys without one
  local function nextsOf(keys, leaving, together, free)
    local nexts, found, members, ids = order.noNexts(), {}, {}, {}
    for i, key in ipairs(keys) do
      local member = order.firstOf(key, '0')
      if not member then
        free[#free + 1] = key
      else
        local at = #ids + 1
        found[at], members[at], ids[at] = key, member, string.sub(member, #key + 14)
      end
    end
    local messages = together and #ids > 0 and redis.call('HMGET', messagesKey, unpack(ids))
    for i, key in ipairs(found) do
      local id, member, message = ids[i], members[i], messages and messages[i]
      local of, sequence = keyOf(message)
      local six = of and string.sub(message, 8, 13)
      if of == key and not leaving[id] and member == key .. '\0' .. six .. packed(sequence) .. id then
        order.addNext(nexts, key, id, dueText(six), member)
      else
        local next, due, ofNext = nextOf(key, leaving)
        if next then
          order.addNext(nexts, key, next, due, ofNext)
        else
          free[#free + 1] = key
        end
      end
    end
    return nexts
  end

  -- plans that messages end or let go: nexts become the heads of their keys. Others that leave, too, do not. together: one command
  -- reads the messages of the nexts
  function order.handoverOf(ids, messages, others, together)
    local keys, sequences, those, leaving = {}, {}, {}, others or {}
    for i, id in ipairs(ids) do
      local key, sequence = keyOf(messages[i])
      if key then
        local at = #keys + 1
        keys[at], sequences[at], those[at], leaving[id] = key, sequence, id, true
      end
    end
    local plan, ending = {free = {}, members = {}, ids = {}}, {}
    for i, head in ipairs(#keys > 0 and order.headsOf(keys) or {}) do
      if head and string.sub(head, 14) == those[i] then
        ending[#ending + 1] = keys[i]
      else
        local due, at = parkedDue(those[i]), #plan.ids + 1
        if due then
          plan.members[at], plan.ids[at] = order.memberOf(keys[i], tonumber(due), sequences[i], those[i]), those[i]
        end
      end
    end
    plan.nexts = nextsOf(ending, leaving, together, plan.free)
    return plan
  end

  -- the places and messages of the heads that end remain. Returns what unpark removes when the messages have ended
  function order.handOver(plan)
    promote(plan.nexts)
    if #plan.free > 0 then
      redis.call('HDEL', headsKey, unpack(plan.free))
    end
    return plan
  end

  function depart(ids, messages, others)
    return order.handOver(order.handoverOf(ids, messages, others))
  end

  -- gives messages a place in schedule or parked. An entry is {id, key, sequence number, due time, message before or nil, due time
  -- as text or nil}.
  -- Returns the changes that occupy makes when the messages are stored
  function enter(entries)
    local keys, known, changes, leaving = {}, {}, {occupied = {}, parked = {}, members = {}, unparked = {}}, {}
    for _, entry in ipairs(entries) do
      leaving[entry[1]] = true
    end
    for _, entry in ipairs(entries) do
      local id, before = entry[1], entry[5]
      local key, sequence = keyOf(before)
      if key then
        local head = redis.call('HGET', headsKey, key)
        if head and string.sub(head, 14) == id then
          depart({id}, {before}, leaving)
        elseif parkedDue(id) then
          changes.members[#changes.members + 1] = order.memberOf(key, tonumber(parkedDue(id)), sequence, id)
        end
      end
      if not known[entry[2]] then
        keys[#keys + 1], known[entry[2]] = entry[2], true
      end
    end
    local heads, headOf = redis.call('HMGET', headsKey, unpack(keys)), {}
    for i, key in ipairs(keys) do
      local head = heads[i]
      local id = head and string.sub(head, 14)
      if head and redis.call('HEXISTS', messagesKey, id) == 1 then
        headOf[key] = {id, key, timeAt(head, 8), timeAt(head, 2), held = string.byte(head) == 33, known = true}
      end
    end
    -- of an active key all messages are parked
    for i, turn in ipairs(fair and redis.call('ZMSCORE', activeKey, unpack(keys)) or {}) do
      headOf[keys[i]] = turn and {held = true, known = true} or headOf[keys[i]]
    end
    local losing = {}
    for _, entry in ipairs(entries) do
      local head = headOf[entry[2]]
      local first = not head or head[1] == entry[1]
        or not head.held and (entry[4] < head[4] or entry[4] == head[4] and entry[3] < head[3])
      if first then
        losing[#losing + 1] = head and head[1] ~= entry[1] and head or nil
        headOf[entry[2]] = entry
      else
        losing[#losing + 1] = entry
      end
    end
    local schedule, dues, members = {}, {}, {}
    for key, head in pairs(headOf) do
      if not head.known then
        schedule[#schedule + 1], schedule[#schedule + 2] = head[6] or text(head[4]), head[1]
        local place = '=' .. packed(head[4]) .. packed(head[3]) .. head[1]
        changes.occupied[#changes.occupied + 1], changes.occupied[#changes.occupied + 2] = key, place
        changes.unparked[#changes.unparked + 1] = head[5] and head[1]
        if not changes.earliest or head[4] < changes.earliest then
          changes.earliest = head[4]
        end
      end
    end
    local kept = {}
    for i, entry in ipairs(losing) do
      local member = order.memberOf(entry[2], entry[4], entry[3], entry[1])
      dues[2 * i - 1], dues[2 * i] = entry[6] or text(entry[4]), entry[1]
      members[2 * i - 1], members[2 * i] = '0', member
      changes.parked[i], kept[member] = entry[1], true
    end
    -- an old entry in parked may be the new one
    for i = #changes.members, 1, -1 do
      if kept[changes.members[i]] then
        table.remove(changes.members, i)
      end
    end
    if #schedule > 0 then
      redis.call('ZADD', scheduleKey, unpack(schedule))
    end
    if #dues > 0 then
      -- in this order an entry that was there before remains valid until the new one is
      redis.call('ZADD', parkedKey, unpack(members))
      redis.call('ZADD', parkedDueKey, unpack(dues))
    end
    return changes
  end

  function occupy(changes)
    if #changes.occupied > 0 then
      redis.call('HSET', headsKey, unpack(changes.occupied))
    end
    if #changes.parked > 0 then
      redis.call('ZREM', scheduleKey, unpack(changes.parked))
    end
    if #changes.members > 0 then
      redis.call('ZREM', parkedKey, unpack(changes.members))
    end
    if #changes.unparked > 0 then
      redis.call('ZREM', parkedDueKey, unpack(changes.unparked))
    end
  end

  -- the heads of keys, false for none
  function order.headsOf(keys)
    return redis.call('HMGET', headsKey, unpack(keys))
  end

  -- the fields of heads by which messages hold their keys, and whether all have a key, each another one, and no limits
  function order.heldKeys(ids, messages)
    local held, usual, seen = {}, true, {}
    for i, id in ipairs(ids) do
      local key, sequence, unlimited = keyOf(messages[i])
      usual = usual and unlimited and not seen[key]
      if key then
        local at = #held + 1
        held[at], seen[key] = key, true
        held[at + 1] = '!' .. string.sub(messages[i], 8, 13) .. packed(sequence) .. id
      end
    end
    return held, usual
  end

  -- whether messages are the heads of their keys, or follow heads that leave
  function order.areNext(ids, held, leaving)
    local keys = {}
    for i = 1, #ids do
      keys[i] = held[2 * i - 1]
    end
    for i, head in ipairs(order.headsOf(keys)) do
      local id = head and string.sub(head, 14)
      if id ~= ids[i] and not leaving[id] then
        return false
      end
    end
    return true
  end

  function order.hold(held)
    if #held > 0 then
      redis.call('HSET', headsKey, unpack(held))
    end
  end

  -- the score of the first message of the schedule
  function firstOfSchedule()
    return redis.call('ZRANGE', scheduleKey, '0', '0', 'WITHSCORES')[2]
  end
end
