-- One poll of a consumer: claims due messages, settles deliveries, renews leases, reclaims leases that have ended, and
-- returns the next due time and lease end. Also runs when memory is full.
--
-- KEYS[1..5] schedule, leases, messages, deliveries, meta
-- KEYS[6..7] dead, deadLetters KEYS[8..9] notifications.schedule, notifications.messages; KEYS[6..9] only in the queue
--            of messages
-- ARGV[1]  identity               ARGV[2]  signal channel       ARGV[3]  queue's signal name
-- ARGV[4]  consumer               ARGV[5]  its sequence number  ARGV[6]  token of this poll's claim
-- ARGV[7]  most claims (<= 500)   ARGV[8]  most bytes of claimed messages
-- ARGV[9]  lease in ms            ARGV[10] permitted attempts of messages without their own limit
-- ARGV[11] most reclaims (<= 500)
-- ARGV[12] gap in ms: if there are leases, a longer time between polls, or a clock that went back, suspends reclaiming
-- ARGV[13] time in ms for which reclaiming is suspended
-- ARGV[14] '1': publish a signal if due messages are left behind
-- ARGV[15] a acknowledges (<= 500) ARGV[16] b renewals (<= 500)  ARGV[17] c other settlements (<= 500)
-- ARGV[18] r runs of acknowledges with the same token
-- ARGV[19] ms since the consumer's last poll on this shard, by its own clock; -1: unknown
-- ARGV[20] '1': claims a suspect, too, to be handled in isolation
-- ARGV[21] crashes of a message from which on it is a suspect
-- ARGV[22] crashes in isolation after which a message is dead-lettered
-- ARGV[23] '1': a receiver gets the message alone, so that the end of its lease counts as an attempt
-- ARGV[24] number of claimed messages that are handled at once (>= 1): only among them are messages with crashes
-- then a ids, r times token and length of the run; b ids, b tokens, b leases in ms;
-- c times: verb, id, token, value, failure; a verb is 'retry' | 'retryIfAttemptsLeft' (dead-letters after the last
-- permitted attempt) | 'postpone' (dead-letters with the failure after the last permitted postponement) | 'deadLetter' |
-- 'release'; the value is the delay of a retry in ms, the delay and the most postponements or 0, or the cause of a dead
-- letter, followed by ' ' and the handling time in ms if it is known
-- result {'OK', now in µs, next due in ms, next lease end in ms, indices of rejected settlements, indices of rejected
--         renewals, reclaimed ids, dead letters (id, cause, ...), claimed (id, due, ...), their messages, their
--         deliveries before the claim or false, whether suspects are left (0 or 1)}
--        | {'UNKNOWN'} | {'MISMATCH', identity} | {'STALE'}: a later poll of this consumer has run
-- indices count from 1, acknowledges before other settlements
-- cost   idle: 5 commands. Else O((claimed + settled + renewed + reclaimed) log N): 14 commands with claims, 12 with
--        acknowledges, 18 with both; up to 13 more for each other settlement, reclaim or expiry; one more for each
--        message if the claim could exceed the byte bound, and always in the queue of notifications
--
-- The repeat of a poll (same consumer and sequence) returns the claims of the first execution that are still leased,
-- and the same results of settlements. Therefore no message is lost to the consumer after a lost reply or a script that
-- stopped midway. To achieve this, the poll records its claims and rejected settlements before it writes anything else.
-- It records reclaimed messages and dead letters last; a repeat reclaims no further messages. An idle poll is recorded,
-- too: a connection that hung could deliver it a second time, and it would then claim messages of which the consumer is
-- never informed.
--@include keys
-- nil in the queue of notifications
local deadKey, deadLettersKey, notificationsScheduleKey, notificationsMessagesKey = unpack(KEYS, 6, 9)
--@include clock
--@include firstdue
local signalChannel, signalName, consumer, claimToken = ARGV[2], ARGV[3], ARGV[4], ARGV[6]
local maxGap, sinceLastPoll = tonumber(ARGV[12]), tonumber(ARGV[19])
local identity, polledText, graceText, largest, notifying, lastPollText, jumpedText, behindText = unpack(redis.call(
  'HMGET', metaKey, 'identity', 'polled', 'grace', 'largest', 'notifications', 'c:' .. consumer, 'jumped', 'behind'))
if identity ~= ARGV[1] then
  return identity and {'MISMATCH', identity} or {'UNKNOWN'}
end
local sequence = tonumber(ARGV[5])
local lastPoll = lastPollText or '-1'
local lastSequence = tonumber(string.match(lastPoll, '^-?%d+'))
if lastSequence > sequence then
  return {'STALE'}
end
local repeated = lastSequence == sequence
local idleRepeat = repeated and string.find(lastPoll, '^%d+i')

local firstLeaseEnd = redis.call('ZRANGE', leasesKey, 0, 0, 'WITHSCORES')[2]
local firstDue, suspects = readFirstDue()
if not (firstLeaseEnd and firstDue) then
  return {'UNKNOWN'}
end
local polled = tonumber(polledText or 0)
-- only the sentinel is in the leases if no message is leased
local leased = tonumber(firstLeaseEnd) < 9007199254740991
--@include leasetime
-- in steady time, so that a jump of Redis' clock does not prolong it
local suspendedUntil = tonumber(graceText or 0)
local gap = math.max(now - polled, steady - lastSteady)
if leased and (gap > maxGap or now < polled) then
  suspendedUntil = steady + tonumber(ARGV[13])
end
local acks, renewals, others = tonumber(ARGV[15]), tonumber(ARGV[16]), tonumber(ARGV[17])
local claimMax = tonumber(ARGV[7])
local claimsDue = claimMax > 0 and tonumber(firstDue) <= now
local claimsSuspect = suspects and ARGV[20] == '1'
local isolateAfter, crashLimit = tonumber(ARGV[21]), tonumber(ARGV[22])
local reclaims = not repeated and steady >= suspendedUntil and tonumber(firstLeaseEnd) <= leaseTime

local function recorded(...)
  local grace = string.format('%.0f', suspendedUntil)
  local fields = {'HSET', metaKey, 'polled', nowText, 'grace', grace, 'c:' .. consumer, ...}
  if jumped ~= tonumber(jumpedText or 0) or behind ~= tonumber(behindText or 0) then
    fields[#fields + 1], fields[#fields + 2] = 'jumped', string.format('%.0f', jumped)
    fields[#fields + 1], fields[#fields + 2] = 'behind', string.format('%.0f', behind)
  end
  return unpack(fields)
end
local pollTime = (jumped == 0 and '' or string.format('%.0f', steady) .. ' ') .. nowText
if idleRepeat or not (claimsDue or claimsSuspect or reclaims or repeated or acks + renewals + others > 0) then
  local idlePoll = ARGV[5] .. 'i ' .. pollTime
  if type(redis.pcall(recorded(idlePoll))) == 'table' then
    -- the write was rejected, perhaps because memory is full
    redis.call('HDEL', metaKey, '')
    redis.call(recorded(idlePoll))
  end
  if ARGV[14] == '1' and tonumber(firstDue) <= now then
    redis.pcall('PUBLISH', signalChannel, 's ' .. signalName .. ' ' .. consumer)
  end
  return {'OK', nowMicros, firstDue, leased and redisEnd(firstLeaseEnd) or firstLeaseEnd, {}, {}, {}, {}, {}, {}, {},
    suspects and 1 or 0}
end

-- usualLease and usualAttempts are those of messages without limits of their own
local maxBytes, usualLease, usualAttempts = tonumber(ARGV[8]), tonumber(ARGV[9]), tonumber(ARGV[10])
--@include head
--@include deadletter
--@include claim
--@include settle
--@include reclaim

-- plans the poll without writing
local rejectedSettlements, rejectedRenewals = {}, {}
local ackFirst, runs = 25, tonumber(ARGV[18])
local renewFirst = ackFirst + acks + 2 * runs
local otherFirst = renewFirst + 3 * renewals
local heldAcks = checkedAcks(ackFirst, acks, runs, rejectedSettlements)
local heldOthers = checkedOthers(otherFirst, others, acks, rejectedSettlements)
local heldRenewals = checkedRenewals(renewFirst, renewals, rejectedRenewals)
local claim = repeated and recordedClaim()
  or plannedClaim(claimsDue and claimMax or 0, claimsSuspect, tonumber(ARGV[24]))

-- Redis permits all further writes of a script after one that uses no memory, even if memory is full
redis.call('HDEL', metaKey, '')
local reclaimed, newDeadLetters = {}, {}
if repeated then
  -- the settlements that this execution rejects include those that the first execution completed
  removeRemains(rejectedSettlements, acks, ackFirst, otherFirst)
  rejectedSettlements, rejectedRenewals = claim.rejectedSettlements, claim.rejectedRenewals
  reclaimed, newDeadLetters = claim.reclaimed, claim.newDeadLetters
  if unmeasured > 0 then
    -- the leases written below depend on the new value of 'behind'; the time of the consumer's poll is unchanged
    redis.call(recorded(lastPoll))
  end
else
  local record = cmsgpack.pack({claim.ids, rejectedSettlements, rejectedRenewals})
  redis.call(recorded(ARGV[5] .. ' ' .. pollTime, 'r:' .. consumer, record))
end
writeClaim(claim, newDeadLetters)
settleAcks(ackFirst, acks, heldAcks)
settleOthers(otherFirst, heldOthers, newDeadLetters)
renew(renewFirst, renewals, heldRenewals)
if reclaims then
  reclaim(tonumber(ARGV[11]), reclaimed, newDeadLetters)
end
if not repeated and #reclaimed + #newDeadLetters > 0 then
  local record = cmsgpack.pack({claim.ids, rejectedSettlements, rejectedRenewals, reclaimed, newDeadLetters})
  redis.call('HSET', metaKey, 'r:' .. consumer, record)
end

local nextDue, suspectsLeft = readFirstDue()
local nextLeaseEnd = redis.call('ZRANGE', leasesKey, 0, 0, 'WITHSCORES')[2]
if not (nextDue and nextLeaseEnd) then
  -- a foreign client removed a sentinel; the repeat, after the shard is opened again, returns the results of this poll
  return {'UNKNOWN'}
end
if tonumber(nextDue) < tonumber(firstDue) then
  redis.pcall('PUBLISH', signalChannel, 'h ' .. signalName .. ' ' .. nextDue)
end
if ARGV[14] == '1' and (tonumber(nextDue) <= now or (suspectsLeft and (claimsSuspect or #reclaimed + #claim.suspects > 0))) then
  redis.pcall('PUBLISH', signalChannel, 's ' .. signalName .. ' ' .. consumer)
end
nextLeaseEnd = tonumber(nextLeaseEnd) < 9007199254740991 and redisEnd(nextLeaseEnd) or nextLeaseEnd
return {
  'OK', nowMicros, nextDue, nextLeaseEnd, rejectedSettlements, rejectedRenewals, reclaimed, newDeadLetters,
  claim.claimed, claim.messages, claim.before, suspectsLeft and 1 or 0
}
