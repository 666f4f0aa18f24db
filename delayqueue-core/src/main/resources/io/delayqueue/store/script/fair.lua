-- fragment: the claims of a fair topic, whose keys share the starts of deliveries equally.
--
-- active      ZSET key → turn: of these keys, all scheduled messages are parked, and the first one was due at its last turn. A key
--             that has reached the per-key limit has its turn plus AT_LIMIT: it is not claimed from until one of its leases ends.
--             The other keys have their first message in the schedule, see order.lua
--
-- Start-time fair queueing (Goyal, Vin, Cheng: SIGCOMM 1996) without weights: each delivery moves the turn of its key on by one,
-- and the key with the least turn is next. A key that becomes active starts at the least turn, or, if that is later, at the turn
-- of the last key that ended, which the field 'turn' of meta keeps. So a key without messages saves nothing up, a key whose next
-- message arrives when the one before has started does not get each turn, and no key waits for more than two deliveries of each
-- other one.
--
-- Order of writes: a message is parked before its key becomes active, and its key is active before it leaves the schedule. When
-- none of a key's messages is due, the first one is in the schedule before the key leaves active. So each parked message has its
-- key in active, or a message of its key in the schedule.
--
-- needs: order, AT_LIMIT, claim, limits, now, nowText. assigns: pick, endTurns, suspectToClaim, and
-- order.perKey, whether there is a per-key limit
-- the most messages of the schedule whose keys become active in one poll
local MOST_ACTIVATED = 500
-- the per-key limit, 0 for none
local perKey = tonumber(limits and string.match(limits, '^%d+ %d+ %d+ %d+ (%d+)$') or 0)

order.perKey = perKey > 0

-- how many further messages of a key may be leased
local function freeLeases(key)
  local from, to = '[' .. key .. '\1', '(' .. key .. '\2'
  local taken = redis.call('ZLEXCOUNT', parkedKey, from, to)
  if taken >= perKey then
    local members, ids = redis.call('ZRANGEBYLEX', parkedKey, from, to, 'LIMIT', '0', '1000'), {}
    for i, member in ipairs(members) do
      ids[i] = string.sub(member, #key + 2)
    end
    for i, leaseEnd in ipairs(redis.call('ZMSCORE', leasesKey, unpack(ids))) do
      if not leaseEnd then
        -- a script stopped midway
        redis.call('ZREM', parkedKey, members[i])
        taken = taken - 1
      end
    end
  end
  return perKey - taken
end

-- the most suspects that a poll looks at
local MOST_SUSPECTS = 20

-- the first suspect whose key is below its limit, or nil, and its key
function suspectToClaim()
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', scheduleKey, FROM_SUSPECT, TO_SUSPECT, 'LIMIT', '0', MOST_SUSPECTS)) do
    local key = perKey > 0 and keyOf(redis.call('HGET', messagesKey, id))
    if not key or freeLeases(key) > 0 then
      return id, key
    end
  end
end

-- parks the due messages of the schedule and makes their keys active. Returns the ids of messages without a head, which a foreign
-- client wrote, and of removed messages: they are claimed from the schedule
local function activate(turn)
  local due = redis.call('ZRANGEBYSCORE', scheduleKey, '-inf', nowText, 'LIMIT', '0', MOST_ACTIVATED, 'WITHSCORES')
  local ids, others = {}, {}
  for i = 1, #due, 2 do
    ids[#ids + 1] = due[i]
  end
  local n = #ids > 0 and fitting(ids, maxBytes) or 0
  local messages = n > 0 and redis.call('HMGET', messagesKey, unpack(ids, 1, n)) or {}
  local members, dues, turns, keys, moved = {}, {}, {}, {}, {}
  for i, message in ipairs(messages) do
    local key, sequence = keyOf(message)
    if key then
      local at = #moved + 1
      moved[at], keys[at] = ids[i], key
      members[2 * at - 1], members[2 * at] = '0', order.memberOf(key, tonumber(due[2 * i]), sequence, ids[i])
      dues[2 * at - 1], dues[2 * at] = due[2 * i], ids[i]
      local atLimit = perKey > 0 and freeLeases(key) < 1
      turns[2 * at - 1], turns[2 * at] = atLimit and turn + AT_LIMIT or turn, key
    else
      others[#others + 1] = ids[i]
    end
  end
  if #moved > 0 then
    -- Redis permits all further writes of a script after one that uses no memory, even if memory is full
    redis.call('HDEL', metaKey, '')
    redis.call('ZADD', parkedKey, unpack(members))
    redis.call('ZADD', parkedDueKey, unpack(dues))
    redis.call('ZADD', activeKey, 'NX', unpack(turns))
    redis.call('HDEL', headsKey, unpack(keys))
    redis.call('ZREM', scheduleKey, unpack(moved))
  end
  return others
end

-- the messages to claim, and of those whose key has a turn: ids, by id its member in parked and its key, the keys, and the turn at
-- which a key becomes active
function pick(most)
  local line, first, picked = {}, 1, {ids = {}, members = {}, of = {}, keys = {}}
  local least = tonumber(redis.call('ZRANGE', activeKey, '0', '0', 'WITHSCORES')[2] or AT_LIMIT)
  picked.turn = math.max(tonumber(redis.call('HGET', metaKey, 'turn') or 0), least < AT_LIMIT and least or 0)
  local due = activate(picked.turn)
  for i = #due, most + 1, -1 do
    due[i] = nil
  end
  most = most - #due
  local turns = most > 0 and redis.call('ZRANGE', activeKey, '0', most - 1, 'WITHSCORES') or {}
  for i = 1, #turns, 2 do
    if tonumber(turns[i + 1]) < AT_LIMIT then
      line[#line + 1] = {key = turns[i], turn = tonumber(turns[i + 1]), read = 0}
    end
  end
  local stale = {}
  while #picked.ids < most and line[first] do
    local key, following = line[first], line[first + 1]
    first = first + 1
    if key.read == 0 then
      picked.keys[#picked.keys + 1] = key
      key.free = perKey > 0 and freeLeases(key.key) - (key.key == order.suspectKey and 1 or 0) or most
    end
    local n = math.min(most - #picked.ids, key.free, following and following.turn - key.turn + 1 or most)
    local members = n > 0
      and redis.call('ZRANGEBYLEX', parkedKey, '[' .. key.key .. '\0', '(' .. key.key .. '\1', 'LIMIT', key.read, n) or {}
    local ids = {}
    for i, member in ipairs(members) do
      ids[i] = string.sub(member, #key.key + 14)
    end
    local dues = #ids > 0 and redis.call('ZMSCORE', parkedDueKey, unpack(ids))
    local more = n > 0 and #ids == n
    for i, id in ipairs(ids) do
      local due = timeAt(members[i], #key.key + 2)
      if due > now then
        more = false
        break
      end
      key.read = key.read + 1
      -- a script that stopped midway may have left two members of a message
      if dues[i] and tonumber(dues[i]) == due and not picked.members[id] then
        picked.ids[#picked.ids + 1] = id
        picked.members[id], picked.of[id] = members[i], key
        key.turn, key.free = key.turn + 1, key.free - 1
      else
        stale[#stale + 1] = {id, members[i]}
      end
    end
    if more then
      local from, to = first, #line + 1
      while from < to do
        local middle = math.floor((from + to) / 2)
        if line[middle].turn > key.turn then
          to = middle
        else
          from = middle + 1
        end
      end
      table.insert(line, from, key)
    end
  end
  for _, entry in ipairs(stale) do
    order.correct(entry[1], entry[2], redis.call('HGET', messagesKey, entry[1]))
  end
  for _, id in ipairs(picked.ids) do
    due[#due + 1] = id
  end
  return due, picked
end

-- removes the messages that a claim has taken from parked, and gives each key that had a turn its place: those that were not
-- claimed have no part in its turn
function endTurns(picked, claim)
  local parked, taken = {members = {}, ids = {}}, {}
  local function take(ids)
    for _, id in ipairs(ids) do
      if picked.members[id] then
        local at = #parked.ids + 1
        parked.ids[at], parked.members[at], taken[id] = id, picked.members[id], true
      end
    end
  end
  take(claim.ids)
  for _, id in ipairs(picked.ids) do
    if not taken[id] then
      picked.of[id].turn = picked.of[id].turn - 1
    end
  end
  take(claim.orphans)
  for _, id in ipairs(claim.leased) do
    -- a settlement of this poll may have parked it again
    if redis.call('ZSCORE', leasesKey, id) then
      take({id})
    end
  end
  for i = 2, #claim.suspects, 2 do
    take({claim.suspects[i]})
  end
  unpark(parked)
  local turns, ended, nexts, last = {}, {}, order.noNexts(), picked.turn
  for _, key in ipairs(picked.keys) do
    local id, due, member = nextOf(key.key, {})
    if id and tonumber(due) <= now then
      local atLimit = perKey > 0 and freeLeases(key.key) < 1
      turns[#turns + 1], turns[#turns + 2] = atLimit and AT_LIMIT + key.turn or key.turn, key.key
    else
      ended[#ended + 1], last = key.key, math.max(last, key.turn)
      if id then
        order.addNext(nexts, key.key, id, due, member)
      end
    end
  end
  if #turns > 0 then
    redis.call('ZADD', activeKey, 'XX', unpack(turns))
  end
  if last > picked.turn then
    redis.call('HSET', metaKey, 'turn', textOf(last))
  end
  promote(nexts)
  if #ended > 0 then
    redis.call('ZREM', activeKey, unpack(ended))
  end
end
