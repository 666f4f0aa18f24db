-- One poll of a consumer: claims due messages, settles deliveries, renews leases, reclaims leases that have ended, and
-- returns the next due time and lease end. Also runs when memory is full.
--
-- KEYS[1..5] schedule, leases, messages, deliveries, meta
-- KEYS[6..7] dead, deadLetters KEYS[8..9] notifications.schedule, notifications.messages; KEYS[6..9] only in the queue
--            of messages
-- ARGV[1] identity  ARGV[2] consumer  ARGV[3] its sequence number  ARGV[4] token of this poll's claim
-- ARGV[5] most claims (<= 500)
-- ARGV[6] four numbers, separated by blanks: ms since the consumer's last poll on this shard, by its own clock, -1: unknown;
--         gap in ms: if there are leases, a longer time between polls, or a clock that went back, suspends reclaiming; lease
--         in ms; most bytes of claimed messages and of their deliveries. Then '+' if it claims for a receiver, so that the
--         end of a lease counts as an attempt and not as a crash
-- ARGV[7] eight numbers, separated by blanks: 1 to publish a signal if due messages are left behind, else 0; 1 to claim a
--         suspect, too, to be handled in isolation, else 0; permitted attempts of messages without their own limit; most
--         reclaims (<= 500); time in ms for which reclaiming is suspended; crashes of a message from which on it is a suspect;
--         crashes in isolation after which a message is dead-lettered; number of messages that can be handled at once: only
--         so many are claimed of a topic that is fair or has limits, and messages with crashes only as the first or among them
-- ARGV[8] four numbers, separated by blanks: a acknowledges (<= 500), r runs of acknowledges with the same token, b renewals
--         (<= 500), c other settlements (<= 500); only a if b and c are 0, then r follows from the number of arguments
-- then a ids, r times token and length of the run; b ids, b tokens, b leases in ms;
-- c times: verb, id, token, value, failure; a verb is 'retry' | 'retryIfAttemptsLeft' (dead-letters after the last
-- permitted attempt) | 'postpone' (dead-letters with the failure after the last permitted postponement) | 'pass' (a postponement
-- that lets others of its key pass) | 'deadLetter' | 'release' | 'hold' (a release, and nothing is claimed until then); the value
-- is the delay of a retry, release or hold in ms, followed by ' ' and the handling time in ms of a retry if it is known; the delay
-- and the most postponements or 0; or the cause of a dead letter, followed by ' ' and the handling time in ms if it is known
-- result {'OK', now in µs, next due in ms, next lease end in ms, 1 if suspects are left that may be claimed,
--         plus 2 if the topic has limits, is held or is fair, plus 4 if recurring messages are unarmed, see recurring.lua, claimed
--         ids, their messages, their deliveries before the claim or false, indices of rejected settlements, indices of rejected
--         renewals, reclaimed ids, dead letters (id, cause, ...)}; lists at the end are omitted if they are empty
--        | {'UNKNOWN'} | {'MISMATCH', identity} | {'STALE'}: a later poll of this consumer has run
-- indices count from 1, acknowledges before other settlements
-- cost   idle: 5 commands. Else O((claimed + settled + renewed + reclaimed) log N): 12 commands with claims, 10 if only one
--        message is due; 11 with acknowledges; 18 with both; at most 6 more if something is unusual; up to 13 more for each
--        other settlement, reclaim or expiry; up to 5 more for each successor that takes over; two more for each message if
--        the claim could exceed the byte bound, and always one in the queue of notifications
--
-- The repeat of a poll (same consumer and sequence) returns the claims of the first execution that are still leased,
-- and the same results of settlements. Therefore no message is lost to the consumer after a lost reply or a script that
-- stopped midway. To achieve this, the poll records its claims and rejected settlements before it writes anything else, except
-- for what only decides about turns in a fair topic.
-- It records reclaimed messages and dead letters last; a repeat reclaims no further messages. An idle poll is recorded,
-- too: a connection that hung could deliver it a second time, and it would then claim messages of which the consumer is
-- never informed.
--
-- A usual poll takes a short way: it is idle, or only acknowledges first attempts and claims messages without limits of
-- their own that were never delivered. It changes and returns the same as the long way, which starts after it.
--@include keys
--@include clock
--@include signals
--@include firstdue
local consumer, claimToken, most = ARGV[2], ARGV[4], ARGV[5]
local consumerField = 'c:' .. consumer
local identity, polledText, lastPollText, largest, suspectsMarked =
  unpack(redis.call('HMGET', metaKey, 'identity', 'polled', consumerField, 'largest', 'suspects'))
--@include identity
-- claimsLimited: whether limits or a hold decide what may be claimed; a limit of messages does not
local graceText, limits, holdText, claimsLimited, recurs
if special then
  graceText, limits, holdText, recurs = unpack(redis.call('HMGET', metaKey, 'grace', 'limits', 'hold', 'recurring'))
  claimsLimited = holdText or limits and not string.find(limits, '^0 0 ')
end
-- the last poll of the consumer: its sequence number, -1 if there is none, and its steady time
local lastSequence, ownLastTime = string.match(lastPollText or '-1', '^(-?%d+)i? ?(%d*)')
local polls = ARGV[3] - lastSequence
if polls < 0 then
  return {'STALE'}
end
local repeated = polls == 0
local firstLease, firstLeaseEnd = unpack(redis.call('ZRANGE', leasesKey, '0', '0', 'WITHSCORES'))
if not firstLeaseEnd then
  return {'UNKNOWN'}
end
-- only the sentinel is in the leases if no message is leased
local leased = firstLeaseEnd ~= NEVER
local sinceLastPoll, maxGap, usualLease, maxBytes, mark = string.match(ARGV[6], '^(%S+) (%d+) (%d+) (%d+)(%+?)$')
sinceLastPoll, maxGap = sinceLastPoll + 0, maxGap + 0
local acks, runs, renewals, others = tonumber(ARGV[8]), 0, 0, 0
if acks then
  runs = (#ARGV - 8 - acks) / 2
else
  acks, runs, renewals, others = string.match(ARGV[8], '^(%d+) (%d+) (%d+) (%d+)$')
  acks, runs, renewals, others = acks + 0, runs + 0, renewals + 0, others + 0
end

-- records the poll. Redis permits all further writes of a script after one that uses no memory, even if memory is full
local function write(...)
  if type(redis.pcall('HSET', metaKey, ...)) == 'table' then
    redis.call('HDEL', metaKey, '')
    redis.call('HSET', metaKey, ...)
  end
end

local function signalDueMessagesLeft(nextDue, suspectsLeft, toAll)
  if (toAll or string.byte(ARGV[7]) == 49) and (suspectsLeft or tonumber(nextDue) <= now) then
    signal('s', consumer)
  end
end

-- the form of a token: the consumer, '-', the poll and a secret. It excludes the '-' of a scheduled message, and texts with a
-- blank, which would be compared with more of the delivery than its token
local TOKEN = '^[%w.]+%-%w+$'

-- instead of a token, a settlement may have the receipt of its message: 'r-' and the SHA-1 digest of token, ' ' and id. So
-- a client that got a message cannot settle another one of the same poll
local function digestOf(token)
  return string.byte(token, 2) == 45 and string.match(token, '^r%-(' .. string.rep('%x', 40) .. ')$')
end

-- whether so many messages, each of the largest size in the queue's history, are within the bound of bytes
local function fits(messages)
  return messages * (largest or 1024) <= maxBytes + 0
end

--@include head
--@include order
--@include recurring
--@include polled
local steady = now - jumped

-- the field polled after this poll
local function clocks()
  return jumped == 0 and behind == 0 and nowText or string.format('%s %.0f %.0f', nowText, jumped, behind)
end

-- the time of this poll in the field of the consumer
local function pollTime()
  return jumped == 0 and nowText or textOf(steady) .. ' ' .. nowText
end

-- adds the first messages of keys that become free to those to claim
local function addDue(ids, most, nexts)
  for i, id in ipairs(nexts.ids) do
    if #ids < most and tonumber(nexts.dues[i]) <= now then
      ids[#ids + 1] = id
    end
  end
end

-- no gap, no new jump, no lease to reclaim, and only acknowledges to settle; lease time is the steady clock
local usual = polledAt and polledAt <= now and behind == 0
  and not (claimsLimited or fair or repeated or suspectsMarked) and renewals + others == 0
  and (not leased or now - polledAt <= maxGap and tonumber(firstLeaseEnd) > steady)
  and (ownLastTime == '' or sinceLastPoll < 0 or math.abs(steady - ownLastTime - sinceLastPoll) <= 1000)
-- keys=ordered
local ordered = keyed and not fair
-- the first two messages of the schedule, with their scores: often only one is due
local first = redis.call('ZRANGE', scheduleKey, '0', '1', 'WITHSCORES')
local firstDue = first[2] and dueOf(first[2])
if not firstDue then
  return {'UNKNOWN'}
end
local function firstWithTurns(due)
  -- a key has a turn
  return fair and tonumber(due) > now and order.hasTurns() and nowText or due
end
firstDue = firstWithTurns(firstDue)
local isDue = tonumber(firstDue) <= now
-- nextDue is false if it is to be read after the claim
local due, nextDue, claimedDeliveries, claimedMessages, ackedDeliveries = {}, firstDue, nil, nil, nil
-- of an ordered topic: ids of heads that end, what their keys get next, and what holds the keys of the messages to claim
local leaving, handover, held = {}, nil, {}
if usual and isDue and most ~= '0' then
  nextDue = first[4] and tonumber(first[4]) > now and dueOf(first[4])
  due = nextDue and {first[1]} or redis.call('ZRANGEBYSCORE', scheduleKey, '-inf', nowText, 'LIMIT', '0', most)
end
if usual and acks > 0 then
  ackedDeliveries = redis.call('HMGET', deliveriesKey, unpack(ARGV, 9, 8 + acks))
  local i = 1
  for run = 1, runs do
    local token = ARGV[7 + acks + 2 * run]
    local marked, next, digest = nil, i + ARGV[8 + acks + 2 * run], digestOf(token)
    usual = usual and string.find(token, TOKEN)
    while usual and i < next do
      local delivery = ackedDeliveries[i]
      if delivery ~= token then
        marked = marked or token .. '+'
        usual = delivery == marked or (digest and delivery
          and redis.sha1hex((string.match(delivery, '^([^+]*)%+?$') or '') .. ' ' .. ARGV[8 + i]) == digest)
      end
      i = i + 1
    end
  end
end
if ordered and usual and acks > 0 then
  usual = fits(acks)
  if usual then
    local ids = {unpack(ARGV, 9, 8 + acks)}
    handover, nextDue = order.handoverOf(ids, redis.call('HMGET', messagesKey, unpack(ids)), leaving, true), false
    addDue(due, tonumber(most), handover.nexts)
  end
end
local n = usual and #due or 0
if n > 0 then
  -- without KEYS[6]: the queue of notifications, which does not record the largest size
  usual = KEYS[6] and fits(n)
  if usual then
    claimedDeliveries = redis.call('HMGET', deliveriesKey, unpack(due))
    claimedMessages = redis.call('HMGET', messagesKey, unpack(due))
    if ordered then
      held, usual = order.heldKeys(due, claimedMessages)
      usual = usual and order.areNext(due, held, leaving)
    end
    for i = 1, n do
      if claimedDeliveries[i] or not ordered and (not claimedMessages[i] or string.byte(claimedMessages[i], 14) == 43) then
        usual = false
        break
      end
    end
  end
end
if usual then
  write('polled', clocks(), consumerField,
    acks + n == 0 and ARGV[3] .. 'i ' .. pollTime() or ARGV[3] .. ' ' .. pollTime() .. '\n' .. cmsgpack.pack(due))
  -- the order of writes is that of the long way
  if handover then
    order.handOver(handover)
  end
  if ordered then
    order.hold(held)
  end
  if acks > 0 then
    redis.call('HDEL', messagesKey, unpack(ARGV, 9, 8 + acks))
    redis.call('HDEL', deliveriesKey, unpack(ARGV, 9, 8 + acks))
    redis.call('ZREM', leasesKey, unpack(ARGV, 9, 8 + acks))
  end
  if handover then
    unpark(handover)
  end
  local nextLeaseEnd = firstLeaseEnd
  for i = 9, 8 + acks do
    if ARGV[i] == firstLease then
      -- to read the score of the sentinel takes longer than to count
      local none = redis.call('ZCARD', leasesKey) == 1
      nextLeaseEnd = none and NEVER or redis.call('ZRANGE', leasesKey, '0', '0', 'WITHSCORES')[2]
      break
    end
  end
  if not nextLeaseEnd then
    return {'UNKNOWN'}
  end
  if n > 0 then
    local leases, deliveries, ending, token = {}, {}, textOf(steady + usualLease), claimToken .. mark
    for i = 1, n do
      local id, at = due[i], 2 * i
      leases[at - 1], leases[at] = ending, id
      deliveries[at - 1], deliveries[at] = id, token
    end
    redis.call('ZADD', leasesKey, unpack(leases))
    redis.call('HSET', deliveriesKey, unpack(deliveries))
    if ordered then
      redis.call('ZREM', scheduleKey, unpack(due))
    else
      -- a claim reads the first messages of the schedule
      redis.call('ZREMRANGEBYRANK', scheduleKey, '0', n - 1)
    end
    nextLeaseEnd = steady + usualLease < nextLeaseEnd + 0 and ending or nextLeaseEnd
  end
  if jumped ~= 0 and nextLeaseEnd ~= NEVER then
    nextLeaseEnd = textOf(nextLeaseEnd + jumped)
  end
  nextDue = nextDue or readFirstDue()
  if not nextDue then
    return {'UNKNOWN'}
  end
  if tonumber(nextDue) < tonumber(firstDue) then
    -- the head of a key
    signal('h', nextDue)
  end
  signalDueMessagesLeft(nextDue)
  return {'OK', nowMicros, nextDue, nextLeaseEnd, recurs and recurring.unarmed() or 0, due, claimedMessages}
end
if handover then
  leaving, handover, due, claimedDeliveries, claimedMessages = {}, nil, {}, nil, nil
end

--@include leasetime
local _, isolates, usualAttempts, maxReclaims, grace, isolateAfter, crashLimit, handlers =
  string.match(ARGV[7], '^(%d) (%d) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+)$')
usualLease, maxBytes, usualAttempts = usualLease + 0, maxBytes + 0, usualAttempts + 0
isolateAfter, crashLimit, handlers = isolateAfter + 0, crashLimit + 0, handlers + 0
-- in steady time, so that a jump of Redis' clock does not prolong it
if leased and not special then
  graceText = redis.call('HGET', metaKey, 'grace')
end
local suspendedBefore = tonumber(graceText or 0)
local suspendedUntil = suspendedBefore
local sincePolled = now - (polledAt or 0)
if leased and (math.max(sincePolled, steady - lastSteady) > maxGap or sincePolled < 0) then
  suspendedUntil = steady + grace
end
local reclaims = not repeated and steady >= suspendedUntil and tonumber(firstLeaseEnd) <= leaseTime
local suspects = suspectsMarked and countSuspects() > 0
if suspectsMarked and not suspects then
  redis.call('HDEL', metaKey, 'suspects')
end
local claimsSuspect = suspects and isolates == '1'
local claimsDue = not repeated and most ~= '0' and isDue
local limit, limitOf, placesAndTokens, claimable, holdTopic
if limits or others > 0 then
  --@include limiting
  limit = limits and limitOf(limits)
end
if limit and limit.concurrent + limit.interval == 0 and limit.heldUntil + 3600000 < steady then
  -- the topic is not limited in what may be claimed, and was not held in the last hour
  if limit.heldUntil > 0 then
    redis.call('HDEL', metaKey, 'hold')
    if limits == '0 0 0 0' then
      redis.call('HDEL', metaKey, 'limits')
      redis.call('HSET', metaKey, 'identity', ARGV[1] .. ((keyed or recurs) and SPECIAL or ''))
    end
  end
  limit = nil
end
if limit and acks + others == 0 and placesAndTokens(0) == 0 then
  claimsDue, claimsSuspect = false, false
end
local times = {'polled', clocks()}
if suspendedUntil ~= suspendedBefore then
  times[3], times[4] = 'grace', textOf(suspendedUntil)
end

if repeated and string.find(lastPollText, '^%d+i')
  or not (claimsDue or claimsSuspect or reclaims or repeated or acks + renewals + others > 0) then
  write(consumerField, ARGV[3] .. 'i ' .. pollTime(), unpack(times))
  if limit then
    firstDue, suspects = claimable(firstDue, suspects)
  end
  signalDueMessagesLeft(firstDue)
  return {
    'OK', nowMicros, firstDue, redisEnd(firstLeaseEnd),
    (suspects and 1 or 0) + ((limit or fair) and 2 or 0) + (recurs and recurring.unarmed() or 0)
  }
end

if limit or fair or not claimsDue then
  due = {}
elseif #due == 0 then
  due = redis.call('ZRANGEBYSCORE', scheduleKey, '-inf', nowText, 'LIMIT', '0', most)
end
local deadKey, deadLettersKey, notificationsScheduleKey, notificationsMessagesKey = unpack(KEYS, 6, 9)
--@include packedtime
--@include successor
--@include deadletter
local pick, endTurns, suspectToClaim
--@include claim
--@include settle
--@include reclaim
if fair then
  --@include fair
end

-- plans the poll without writing
local rejectedSettlements, rejectedRenewals = {}, {}
local ackFirst = 9
local renewFirst = ackFirst + acks + 2 * runs
local otherFirst = renewFirst + 3 * renewals
local heldAcks, takeovers = checkedAcks(ackFirst, acks, ackedDeliveries, runs, rejectedSettlements)
local heldOthers = checkedOthers(otherFirst, others, acks, rejectedSettlements)
local heldRenewals = checkedRenewals(renewFirst, renewals, rejectedRenewals)
local ending = #heldAcks + #takeovers + #heldOthers
if fair and #heldAcks > 0 and not repeated then
  local restored = order.uncountLeases(heldAcks, redis.call('HMGET', messagesKey, unpack(heldAcks)))
  claimsDue = claimsDue or restored and most ~= '0'
end
if fair and claimsSuspect and not repeated then
  order.suspect, order.suspectKey = suspectToClaim()
  claimsSuspect, order.suspectsWait = order.suspect ~= nil, not order.suspect
end
local holds, mostDue = false, tonumber(most)
for _, other in ipairs(heldOthers) do
  holds = holds or ARGV[other[1]] == 'hold'
end
if holds then
  due, claimsSuspect = {}, false
elseif limit and not repeated then
  -- nothing is claimed in advance: a place belongs to a message that is handled
  local permitted = placesAndTokens(ending)
  claimsSuspect = claimsSuspect and permitted > 0
  mostDue = math.max(0, math.min(tonumber(most), handlers, permitted - (claimsSuspect and 1 or 0)))
  if claimsDue and mostDue > 0 and not fair then
    due = redis.call('ZRANGEBYSCORE', scheduleKey, '-inf', nowText, 'LIMIT', '0', mostDue)
  end
end
local picked
if fair and claimsDue and mostDue > 0 and not holds then
  -- nothing is claimed in advance: a key that becomes active would wait for it
  due, picked = pick(math.min(mostDue, handlers))
end
-- what the keys of expired heads get next
local promoted = ordered and order.noNexts()
if ordered and #heldAcks > 0 and not repeated then
  handover = order.handoverOf(heldAcks, redis.call('HMGET', messagesKey, unpack(heldAcks)), leaving, fits(#heldAcks))
  addDue(due, holds and 0 or mostDue, handover.nexts)
end
local claim = repeated and recordedClaim()
  or plannedClaim(due, claimedDeliveries, claimedMessages, claimsSuspect, handlers, leaving, promoted, picked)

local reclaimed = {}
if repeated then
  -- Redis then permits all writes below, even if memory is full
  redis.call('HDEL', metaKey, '')
  -- the settlements that this execution rejects include those that the first execution completed
  for _, index in ipairs(rejectedSettlements) do
    completeRemains(ARGV[index <= acks and ackFirst + index - 1 or otherFirst + 5 * (index - acks - 1) + 1])
  end
  for _, id in ipairs(claim.unclaimed) do
    completeRemains(id)
  end
  rejectedSettlements, rejectedRenewals = claim.rejectedSettlements, claim.rejectedRenewals
  reclaimed, newDeadLetters = claim.reclaimed, claim.newDeadLetters
  if unmeasured > 0 then
    -- the leases written below depend on the new value of 'behind'; the time of the consumer's poll is unchanged
    redis.call('HSET', metaKey, consumerField, lastPollText, unpack(times))
  end
else
  if limit and limit.interval > 0 and #claim.ids > 0 then
    limit.arrival = limit.arrival + #claim.ids * limit.interval
    times[#times + 1], times[#times + 2] = 'arrival', string.format('%.0f', limit.arrival)
  end
  if picked then
    times[#times + 1], times[#times + 2] = 'turn', textOf(picked.turn)
  end
  local record = cmsgpack.pack(claim.ids, rejectedSettlements, rejectedRenewals)
  write(consumerField, ARGV[3] .. ' ' .. pollTime() .. '\n' .. record, unpack(times))
end
-- leases end before others begin, so that at no stop of the script there are more than a limit permits
if ordered and not repeated then
  -- before settlements give keys to others
  promote(promoted)
  handover = handover and order.handOver(handover)
  order.hold((order.heldKeys(claim.ids, claim.messages)))
end
settleAcks(heldAcks, takeovers, handover)
settleOthers(heldOthers)
writeClaim(claim)
if picked then
  endTurns(picked, claim)
end
renew(renewFirst, renewals, heldRenewals)
if reclaims then
  reclaim(maxReclaims, reclaimed)
end
if not repeated and #reclaimed + #newDeadLetters > 0 then
  local record = cmsgpack.pack(claim.ids, rejectedSettlements, rejectedRenewals, reclaimed, newDeadLetters)
  redis.call('HSET', metaKey, consumerField, ARGV[3] .. ' ' .. pollTime() .. '\n' .. record)
end

nextDue = readFirstDue()
nextDue = nextDue and firstWithTurns(nextDue)
local suspectsLeft = countSuspects() > 0
local nextLeaseEnd = redis.call('ZRANGE', leasesKey, '0', '0', 'WITHSCORES')[2]
if not (nextDue and nextLeaseEnd) then
  -- a foreign client removed a sentinel; the repeat, after the shard is opened again, returns the results of this poll
  return {'UNKNOWN'}
end
if tonumber(nextDue) < tonumber(firstDue) then
  signal('h', nextDue)
end
local opened = (order.perKey or limit and limit.concurrent > 0) and ending + #reclaimed + #newDeadLetters > 0
if limit then
  nextDue, suspectsLeft = claimable(nextDue, suspectsLeft)
  if opened and tonumber(nextDue) > now and nextDue ~= NEVER then
    signal('h', nextDue)
  end
end
signalDueMessagesLeft(nextDue, suspectsLeft and (opened or claimsSuspect or #reclaimed + #claim.suspects > 0), opened)
return {
  'OK', nowMicros, nextDue, redisEnd(nextLeaseEnd),
  (suspectsLeft and not order.suspectsWait and 1 or 0) + ((limit or fair) and 2 or 0) + (recurs and recurring.unarmed() or 0),
  claim.ids, claim.messages, claim.before, rejectedSettlements, rejectedRenewals, reclaimed, newDeadLetters
}
