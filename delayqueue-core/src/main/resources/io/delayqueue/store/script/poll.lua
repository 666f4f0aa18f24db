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
-- then a ids, r times token and length of the run; b ids, b tokens, b leases in ms;
-- c times: 't' (retry) | 'r' (retry if an attempt is left, else dead-letter) | 'b' (dead-letter) | 'l' (release), id,
-- token, delay in ms or cause, failure
-- result {'OK', now in µs, next due in ms, next lease end in ms, indices of rejected settlements, indices of rejected
--         renewals, reclaimed ids, dead letters (id, cause, ...), claimed (id, due, ...), their messages, their
--         deliveries before the claim or false}
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
local meta = redis.call('HMGET', metaKey, 'identity', 'polled', 'grace', 'largest', 'notifications', 'c:' .. ARGV[4],
  'jumped', 'behind')
if meta[1] ~= ARGV[1] then
  return meta[1] and {'MISMATCH', meta[1]} or {'UNKNOWN'}
end
local sequence = tonumber(ARGV[5])
local seen = meta[6] or '-1'
local last = tonumber(string.match(seen, '^-?%d+'))
if last > sequence then
  return {'STALE'}
end
local repeated = last == sequence
local idleBefore = repeated and string.find(seen, '^%d+i')

local leaseHead = redis.call('ZRANGE', leasesKey, 0, 0, 'WITHSCORES')[2]
local dueHead = redis.call('ZRANGE', scheduleKey, 0, 0, 'WITHSCORES')[2]
if not (leaseHead and dueHead) then
  return {'UNKNOWN'}
end
local polled = tonumber(meta[2] or 0)
-- only the sentinel is in the leases if no message is leased
local leased = tonumber(leaseHead) < 9007199254740991
--@include leasetime
-- in the steady clock, so that a jump of Redis' clock does not prolong it
local grace = tonumber(meta[3] or 0)
local gap = math.max(now - polled, steady - before)
if leased and (gap > tonumber(ARGV[12]) or now < polled) then
  grace = steady + tonumber(ARGV[13])
end
local acks, renewals, others = tonumber(ARGV[15]), tonumber(ARGV[16]), tonumber(ARGV[17])
local claimMax = tonumber(ARGV[7])
local claims = claimMax > 0 and tonumber(dueHead) <= now
local reclaims = not repeated and steady >= grace and tonumber(leaseHead) <= leaseTime

local function recorded(...)
  local fields = {'HSET', metaKey, 'polled', nowText, 'grace', string.format('%.0f', grace), 'c:' .. ARGV[4], ...}
  if jumped ~= tonumber(meta[7] or 0) or behind ~= tonumber(meta[8] or 0) then
    fields[#fields + 1], fields[#fields + 2] = 'jumped', string.format('%.0f', jumped)
    fields[#fields + 1], fields[#fields + 2] = 'behind', string.format('%.0f', behind)
  end
  return unpack(fields)
end
local pollTime = (jumped == 0 and '' or string.format('%.0f', steady) .. ' ') .. nowText
if idleBefore or not (claims or reclaims or repeated or acks + renewals + others > 0) then
  local seenNow = ARGV[5] .. 'i ' .. pollTime
  if type(redis.pcall(recorded(seenNow))) == 'table' then
    -- the write was rejected, perhaps because memory is full
    redis.call('HDEL', metaKey, '')
    redis.call(recorded(seenNow))
  end
  if ARGV[14] == '1' and tonumber(dueHead) <= now then
    redis.pcall('PUBLISH', ARGV[2], 's ' .. ARGV[3] .. ' ' .. ARGV[4])
  end
  return {'OK', nowMicros, dueHead, leased and redisEnd(leaseHead) or leaseHead, {}, {}, {}, {}, {}, {}, {}}
end

--@include head
--@include deadletter
--@include claim
--@include settle
--@include reclaim

-- plans the poll without writing
local rejectedSettlements, rejectedRenewals = {}, {}
local ackFirst, runs = 20, tonumber(ARGV[18])
local renewFirst = ackFirst + acks + 2 * runs
local otherFirst = renewFirst + 3 * renewals
local heldAcks = checkedAcks(ackFirst, acks, runs, rejectedSettlements)
local heldOthers = checkedOthers(otherFirst, others, acks, rejectedSettlements)
local heldRenewals = checkedRenewals(renewFirst, renewals, rejectedRenewals)
local claim = repeated and recordedClaim() or plannedClaim(claims and claimMax or 0)

-- Redis permits all further writes of a script after one that uses no memory, even if memory is full
redis.call('HDEL', metaKey, '')
local reclaimed, deadLettered = {}, {}
if repeated then
  removeRemains(rejectedSettlements, acks, ackFirst, otherFirst)
  rejectedSettlements, rejectedRenewals = claim.rejectedSettlements, claim.rejectedRenewals
  reclaimed, deadLettered = claim.reclaimed, claim.deadLettered
  if unmeasured > 0 then
    -- the leases written below depend on the new value of 'behind'; the time of the consumer's poll is unchanged
    redis.call(recorded(seen))
  end
else
  local record = cmsgpack.pack({claim.ids, rejectedSettlements, rejectedRenewals})
  redis.call(recorded(ARGV[5] .. ' ' .. pollTime, 'r:' .. ARGV[4], record))
end
takeClaim(claim, deadLettered)
settleAcks(ackFirst, acks, heldAcks)
settleOthers(otherFirst, heldOthers, deadLettered)
renew(renewFirst, renewals, heldRenewals)
if reclaims then
  reclaim(tonumber(ARGV[11]), reclaimed, deadLettered)
end
if not repeated and #reclaimed + #deadLettered > 0 then
  local record = cmsgpack.pack({claim.ids, rejectedSettlements, rejectedRenewals, reclaimed, deadLettered})
  redis.call('HSET', metaKey, 'r:' .. ARGV[4], record)
end

local dueNow = redis.call('ZRANGE', scheduleKey, 0, 0, 'WITHSCORES')[2]
local leaseNow = redis.call('ZRANGE', leasesKey, 0, 0, 'WITHSCORES')[2]
if not (dueNow and leaseNow) then
  -- a foreign client removed a sentinel; the repeat, after the shard is opened again, returns the results of this poll
  return {'UNKNOWN'}
end
if tonumber(dueNow) < tonumber(dueHead) then
  redis.pcall('PUBLISH', ARGV[2], 'h ' .. ARGV[3] .. ' ' .. dueNow)
end
if ARGV[14] == '1' and tonumber(dueNow) <= now then
  redis.pcall('PUBLISH', ARGV[2], 's ' .. ARGV[3] .. ' ' .. ARGV[4])
end
leaseNow = tonumber(leaseNow) < 9007199254740991 and redisEnd(leaseNow) or leaseNow
return {
  'OK', nowMicros, dueNow, leaseNow, rejectedSettlements, rejectedRenewals, reclaimed, deadLettered, claim.taken,
  claim.messages, claim.before
}
