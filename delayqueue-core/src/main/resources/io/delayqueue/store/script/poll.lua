-- One poll of a consumer: claims due messages, settles deliveries, renews leases, reclaims leases that have ended, and
-- returns the next due time and lease end. Also runs when memory is full.
--
-- KEYS[1..5] schedule, leases, messages, deliveries, meta
-- KEYS[6..7] dead, deadLetters KEYS[8..9] notifications.schedule, notifications.messages; KEYS[6..9] only in the queue
--            of messages
-- ARGV[1]  identity               ARGV[2]  signal channel       ARGV[3]  queue's signal name
-- ARGV[4]  consumer               ARGV[5]  its sequence number  ARGV[6]  token of this poll's claim
-- ARGV[7]  most claims (<= 500)   ARGV[8]  most bytes of claimed messages and of their deliveries
-- ARGV[9]  lease in ms
-- ARGV[10] gap in ms: if there are leases, a longer time between polls, or a clock that went back, suspends reclaiming
-- ARGV[11] ms since the consumer's last poll on this shard, by its own clock; -1: unknown
-- ARGV[12] '1': publish a signal if due messages are left behind
-- ARGV[13] '1': claims a suspect, too, to be handled in isolation
-- ARGV[14] '1': claims for a receiver, so that the end of a lease counts as an attempt and not as a crash
-- ARGV[15] six numbers, separated by blanks: permitted attempts of messages without their own limit; most reclaims
--          (<= 500); time in ms for which reclaiming is suspended; crashes of a message from which on it is a suspect;
--          crashes in isolation after which a message is dead-lettered; number of messages that can be handled at once:
--          only so many are claimed of a topic with limits, and messages with crashes only as the first or among them
-- ARGV[16] a acknowledges (<= 500) ARGV[17] r runs of acknowledges with the same token
-- ARGV[18] b renewals (<= 500)     ARGV[19] c other settlements (<= 500)
-- then a ids, r times token and length of the run; b ids, b tokens, b leases in ms;
-- c times: verb, id, token, value, failure; a verb is 'retry' | 'retryIfAttemptsLeft' (dead-letters after the last
-- permitted attempt) | 'postpone' (dead-letters with the failure after the last permitted postponement) | 'deadLetter' |
-- 'release' | 'hold' (a release, and nothing is claimed until then); the value is the delay of a retry, release or hold in ms,
-- followed by ' ' and the handling time in ms of a retry if it is known; the delay and the most postponements or 0; or the cause of a dead letter, followed by ' ' and the handling time in ms if it
-- is known
-- result {'OK', now in µs, next due in ms, next lease end in ms, 1 if suspects are left plus 2 if the topic has limits or
--         is held, claimed ids, their messages, their deliveries before the claim or false, indices of rejected
--         settlements, indices of rejected renewals, reclaimed ids, dead letters (id, cause, ...)}; lists at the end are
--         omitted if they are empty
--        | {'UNKNOWN'} | {'MISMATCH', identity} | {'STALE'}: a later poll of this consumer has run
-- indices count from 1, acknowledges before other settlements
-- cost   idle: 5 commands. Else O((claimed + settled + renewed + reclaimed) log N): 14 commands with claims, 11 with
--        acknowledges, 18 with both; at most 6 more if something is unusual; up to 13 more for each other settlement,
--        reclaim or expiry; up to 5 more for each successor that takes over; two more for each message if the claim could
--        exceed the byte bound, and always one in the queue of notifications
--
-- The repeat of a poll (same consumer and sequence) returns the claims of the first execution that are still leased,
-- and the same results of settlements. Therefore no message is lost to the consumer after a lost reply or a script that
-- stopped midway. To achieve this, the poll records its claims and rejected settlements before it writes anything else.
-- It records reclaimed messages and dead letters last; a repeat reclaims no further messages. An idle poll is recorded,
-- too: a connection that hung could deliver it a second time, and it would then claim messages of which the consumer is
-- never informed.
--
-- A usual poll takes a short way: it only acknowledges first attempts and claims messages without limits of their own
-- that were never delivered. It changes and returns the same as the long way, which starts after it.
--@include keys
--@include clock
--@include firstdue
local consumer, claimToken = ARGV[4], ARGV[6]
local maxGap, sinceLastPoll = tonumber(ARGV[10]), tonumber(ARGV[11])
local identity, polledText, graceText, largest, lastPollText, jumpedText, behindText, suspectsMarked =
  unpack(redis.call('HMGET', metaKey, 'identity', 'polled', 'grace', 'largest', 'c:' .. consumer, 'jumped', 'behind',
    'suspects'))
--@include identity
local limits = limited and redis.call('HGET', metaKey, 'limits')
local sequence = tonumber(ARGV[5])
local lastPoll = lastPollText or '-1'
local lastSequence = tonumber(string.match(lastPoll, '^-?%d+'))
if lastSequence > sequence then
  return {'STALE'}
end
local repeated = lastSequence == sequence
local idleRepeat = repeated and string.find(lastPoll, '^%d+i')

local firstLeaseEnd = redis.call('ZRANGE', leasesKey, '0', '0', 'WITHSCORES')[2]
local firstDue = readFirstDue()
if not (firstLeaseEnd and firstDue) then
  return {'UNKNOWN'}
end
-- only the sentinel is in the leases if no message is leased
local leased = firstLeaseEnd ~= NEVER
--@include leasetime
local polled = tonumber(polledText or 0)
-- in steady time, so that a jump of Redis' clock does not prolong it
local suspendedUntil = tonumber(graceText or 0)
local gap = math.max(now - polled, steady - lastSteady)
if leased and (gap > maxGap or now < polled) then
  suspendedUntil = steady + tonumber(string.match(ARGV[15], '^%d+ %d+ (%d+)'))
end
local acks, runs, renewals, others = tonumber(ARGV[16]), tonumber(ARGV[17]), tonumber(ARGV[18]), tonumber(ARGV[19])
local reclaims = not repeated and steady >= suspendedUntil and tonumber(firstLeaseEnd) <= leaseTime
local suspects = suspectsMarked and countSuspects() > 0
if suspectsMarked and not suspects then
  redis.call('HDEL', metaKey, 'suspects')
end
local claimsSuspect = suspects and ARGV[13] == '1'
local claimsDue = not repeated and ARGV[7] ~= '0' and tonumber(firstDue) <= now
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
      redis.call('HSET', metaKey, 'identity', ARGV[1])
    end
  end
  limit = nil
end
if limit and acks + others == 0 and placesAndTokens(0) == 0 then
  claimsDue, claimsSuspect = false, false
end
local times = {'polled', nowText}
if suspendedUntil ~= tonumber(graceText or 0) then
  times[3], times[4] = 'grace', textOf(suspendedUntil)
end
if jumped ~= tonumber(jumpedText or 0) or behind ~= tonumber(behindText or 0) then
  times[#times + 1], times[#times + 2] = 'jumped', string.format('%.0f', jumped)
  times[#times + 1], times[#times + 2] = 'behind', string.format('%.0f', behind)
end
local pollTime = (jumped == 0 and '' or textOf(steady) .. ' ') .. nowText

local function signalDueMessagesLeft(nextDue, suspectsLeft, toAll)
  if (toAll or ARGV[12] == '1') and (suspectsLeft or tonumber(nextDue) <= now) then
    redis.pcall('PUBLISH', ARGV[2], 's ' .. ARGV[3] .. ' ' .. consumer)
  end
end

if idleRepeat or not (claimsDue or claimsSuspect or reclaims or repeated or acks + renewals + others > 0) then
  local idlePoll = ARGV[5] .. 'i ' .. pollTime
  if type(redis.pcall('HSET', metaKey, 'c:' .. consumer, idlePoll, unpack(times))) == 'table' then
    -- the write was rejected, perhaps because memory is full
    redis.call('HDEL', metaKey, '')
    redis.call('HSET', metaKey, 'c:' .. consumer, idlePoll, unpack(times))
  end
  if limit then
    firstDue, suspects = claimable(firstDue, suspects)
  end
  signalDueMessagesLeft(firstDue, false)
  return {'OK', nowMicros, firstDue, redisEnd(firstLeaseEnd), (suspects and 1 or 0) + (limit and 2 or 0)}
end

local due = {}
if claimsDue and not limit then
  due = redis.call('ZRANGEBYSCORE', scheduleKey, '-inf', nowText, 'LIMIT', '0', ARGV[7])
end
-- the form of a token: the consumer, '-', the poll and a secret. It excludes the '-' of a scheduled message, and texts with a
-- blank, which would be compared with more of the delivery than its token
local TOKEN = '^[%w.]+%-%w+$'
-- instead of a token, a settlement may have the receipt of its message: 'r-' and the SHA-1 digest of token, ' ' and id. So
-- a client that got a message cannot settle another one of the same poll
local RECEIPT = '^r%-(' .. string.rep('%x', 40) .. ')$'
local mark = ARGV[14] == '1' and '+' or ''
local maxBytes = tonumber(ARGV[8])
local claimedDeliveries, claimedMessages, ackedDeliveries
local usual = KEYS[6] and not (limit or repeated or reclaims or suspects or renewals + others > 0)
if usual and acks > 0 then
  ackedDeliveries = redis.call('HMGET', deliveriesKey, unpack(ARGV, 20, 19 + acks))
  local i = 1
  for run = 1, runs do
    local token = ARGV[18 + acks + 2 * run]
    local alone, next = token .. '+', i + ARGV[19 + acks + 2 * run]
    local digest = string.match(token, RECEIPT)
    usual = usual and string.find(token, TOKEN)
    while usual and i < next do
      local delivery = ackedDeliveries[i]
      usual = delivery == token or delivery == alone or (digest and delivery
        and redis.sha1hex((string.match(delivery, '^([^+]*)%+?$') or '') .. ' ' .. ARGV[19 + i]) == digest)
      i = i + 1
    end
  end
end
if usual and #due > 0 then
  usual = #due * tonumber(largest or 1024) <= maxBytes
  if usual then
    claimedDeliveries = redis.call('HMGET', deliveriesKey, unpack(due))
    claimedMessages = redis.call('HMGET', messagesKey, unpack(due))
    for i = 1, #due do
      if claimedDeliveries[i] or not claimedMessages[i] or string.byte(claimedMessages[i], 14) == 43 then
        usual = false
        break
      end
    end
  end
end
if usual then
  -- Redis permits all further writes of a script after one that uses no memory, even if memory is full
  redis.call('HDEL', metaKey, '')
  redis.call('HSET', metaKey, 'c:' .. consumer, ARGV[5] .. ' ' .. pollTime,
    'r:' .. consumer, cmsgpack.pack({due, {}, {}}), unpack(times))
  -- the order of writes is that of the long way
  if acks > 0 then
    redis.call('HDEL', messagesKey, unpack(ARGV, 20, 19 + acks))
    redis.call('HDEL', deliveriesKey, unpack(ARGV, 20, 19 + acks))
    redis.call('ZREM', leasesKey, unpack(ARGV, 20, 19 + acks))
  end
  local n = #due
  if n > 0 then
    local leases, deliveries, ending, token = {}, {}, leaseEnd(tonumber(ARGV[9])), claimToken .. mark
    for i = 1, n do
      local id, at = due[i], 2 * i
      leases[at - 1], leases[at] = ending, id
      deliveries[at - 1], deliveries[at] = id, token
    end
    redis.call('ZADD', leasesKey, unpack(leases))
    redis.call('HSET', deliveriesKey, unpack(deliveries))
    -- a claim reads the first messages of the schedule
    redis.call('ZREMRANGEBYRANK', scheduleKey, '0', n - 1)
  end
  local nextDue = firstDue
  if n > 0 then
    nextDue = readFirstDue()
  end
  local nextLeaseEnd = redis.call('ZRANGE', leasesKey, '0', '0', 'WITHSCORES')[2]
  if not (nextDue and nextLeaseEnd) then
    return {'UNKNOWN'}
  end
  signalDueMessagesLeft(nextDue, false)
  return {'OK', nowMicros, nextDue, redisEnd(nextLeaseEnd), 0, due, claimedMessages}
end

local deadKey, deadLettersKey, notificationsScheduleKey, notificationsMessagesKey = unpack(KEYS, 6, 9)
local signalChannel, signalName = ARGV[2], ARGV[3]
-- usualLease and usualAttempts are those of messages without limits of their own
local usualLease = tonumber(ARGV[9])
local usualAttempts, maxReclaims, isolateAfter, crashLimit, handlers
do
  local attempts, most, after, crashes, handled =
    string.match(ARGV[15], '^(%d+) (%d+) %d+ (%d+) (%d+) (%d+)$')
  usualAttempts, maxReclaims, isolateAfter = tonumber(attempts), most, tonumber(after)
  crashLimit, handlers = tonumber(crashes), tonumber(handled)
end
--@include packedtime
--@include head
--@include successor
--@include deadletter
--@include claim
--@include settle
--@include reclaim

-- plans the poll without writing
local rejectedSettlements, rejectedRenewals = {}, {}
local ackFirst = 20
local renewFirst = ackFirst + acks + 2 * runs
local otherFirst = renewFirst + 3 * renewals
local heldAcks, takeovers = checkedAcks(ackFirst, acks, ackedDeliveries, runs, rejectedSettlements)
local heldOthers = checkedOthers(otherFirst, others, acks, rejectedSettlements)
local heldRenewals = checkedRenewals(renewFirst, renewals, rejectedRenewals)
local ending = #heldAcks + #takeovers + #heldOthers
local holds = false
for _, other in ipairs(heldOthers) do
  holds = holds or ARGV[other[1]] == 'hold'
end
if holds then
  due, claimsSuspect = {}, false
elseif limit and not repeated then
  -- nothing is claimed in advance: a place belongs to a message that is handled
  local most = math.min(tonumber(ARGV[7]), handlers)
  local permitted = placesAndTokens(ending)
  claimsSuspect = claimsSuspect and permitted > 0
  most = math.min(most, permitted - (claimsSuspect and 1 or 0))
  if claimsDue and most > 0 then
    due = redis.call('ZRANGEBYSCORE', scheduleKey, '-inf', nowText, 'LIMIT', '0', most)
  end
end
local claim = repeated and recordedClaim() or plannedClaim(due, claimedDeliveries, claimedMessages, claimsSuspect, handlers)

-- as above, so that all writes below run even if memory is full
redis.call('HDEL', metaKey, '')
local reclaimed = {}
if repeated then
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
    redis.call('HSET', metaKey, 'c:' .. consumer, lastPoll, unpack(times))
  end
else
  if limit and limit.interval > 0 and #claim.ids > 0 then
    limit.arrival = limit.arrival + #claim.ids * limit.interval
    times[#times + 1], times[#times + 2] = 'arrival', string.format('%.0f', limit.arrival)
  end
  local record = cmsgpack.pack({claim.ids, rejectedSettlements, rejectedRenewals})
  redis.call('HSET', metaKey, 'c:' .. consumer, ARGV[5] .. ' ' .. pollTime, 'r:' .. consumer, record, unpack(times))
end
-- leases end before others begin, so that at no stop of the script there are more than a limit permits
settleAcks(heldAcks, takeovers)
settleOthers(heldOthers)
writeClaim(claim)
renew(renewFirst, renewals, heldRenewals)
if reclaims then
  reclaim(maxReclaims, reclaimed)
end
if not repeated and #reclaimed + #newDeadLetters > 0 then
  local record = cmsgpack.pack({claim.ids, rejectedSettlements, rejectedRenewals, reclaimed, newDeadLetters})
  redis.call('HSET', metaKey, 'r:' .. consumer, record)
end

local nextDue, suspectsLeft = readFirstDue(), countSuspects() > 0
local nextLeaseEnd = redis.call('ZRANGE', leasesKey, '0', '0', 'WITHSCORES')[2]
if not (nextDue and nextLeaseEnd) then
  -- a foreign client removed a sentinel; the repeat, after the shard is opened again, returns the results of this poll
  return {'UNKNOWN'}
end
if tonumber(nextDue) < tonumber(firstDue) then
  redis.pcall('PUBLISH', signalChannel, 'h ' .. signalName .. ' ' .. nextDue)
end
local opened = false
if limit then
  nextDue, suspectsLeft = claimable(nextDue, suspectsLeft)
  opened = limit.concurrent > 0 and ending + #reclaimed + #newDeadLetters > 0
  if opened and tonumber(nextDue) > now and nextDue ~= NEVER then
    redis.pcall('PUBLISH', signalChannel, 'h ' .. signalName .. ' ' .. nextDue)
  end
end
signalDueMessagesLeft(nextDue, suspectsLeft and (opened or claimsSuspect or #reclaimed + #claim.suspects > 0), opened)
return {
  'OK', nowMicros, nextDue, redisEnd(nextLeaseEnd), (suspectsLeft and 1 or 0) + (limit and 2 or 0), claim.ids,
  claim.messages, claim.before, rejectedSettlements, rejectedRenewals, reclaimed, newDeadLetters
}
