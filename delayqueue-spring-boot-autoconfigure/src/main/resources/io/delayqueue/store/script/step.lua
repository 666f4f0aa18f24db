-- One step of a consumer: claims due messages, settles finished deliveries, renews leases, takes back those that are
-- over, and says when to look again. Runs also when memory is full.
--
-- KEYS[1..5] schedule, leases, messages, deliveries, meta
-- KEYS[6..7] dead, letters  KEYS[8..9] deaths.schedule, deaths.messages; these four only in the lane of messages
-- ARGV[1]  identity               ARGV[2]  signal channel       ARGV[3]  lane's signal name
-- ARGV[4]  consumer               ARGV[5]  its sequence number  ARGV[6]  token of this step's claim
-- ARGV[7]  claim at most (<= 500) ARGV[8]  claim at most so many bytes
-- ARGV[9]  lease in ms            ARGV[10] attempts permitted where the message doesn't say
-- ARGV[11] reclaim at most (<= 500)
-- ARGV[12] where there are leases, a gap between steps of more than so many ms stops reclaiming ...
-- ARGV[13] ... for so many ms     ARGV[14] '1': say if due messages are left behind
-- ARGV[15] a acknowledges (<= 500) ARGV[16] b renewals (<= 500)  ARGV[17] c other settles (<= 500)
-- ARGV[18] r runs of acknowledges of one token
-- then a ids, r times token and length of the run; b ids, b tokens, b leases in ms;
-- c times: 't'(retry) | 'b'(ury) | 'l'(release), id, token, delay in ms or cause, failure
-- result {'OK', now in µs, next due in ms, next lease end in ms, indices of settles that are gone, indices of
--         renewals that are gone, reclaimed ids, deaths (id, cause, ...), claimed (id, due, ...), their messages,
--         their deliveries before the claim or false}
--        | {'UNKNOWN'} | {'MISMATCH', identity} | {'STALE'}: a later step of this consumer has run
-- indices count from 1, acknowledges before other settles
-- cost   idle: 5 commands. Else O((claimed + settled + renewed + reclaimed) log N): 14 commands where it claims, 12 where
--        it acknowledges, 18 for both; up to 13 for each other settle, reclaim or expiry; where the claim could break
--        the byte bound, and in the lane of deaths, one more for each message
--
-- The repeat of a step (same consumer and sequence) gives the claims of the first time, as far as they are held, and
-- the same answer to its settles, so that a reply that was lost, or a script that stopped midway, orphans nothing. Hence
-- what will be claimed and what is gone is noted before anything else is written. Who died is noted last; a repeat
-- reclaims nothing more. An idle step is noted too: were it
-- executed again after its answer, by a connection that hung, it would claim what nobody hears of.
--@include guard
local meta = redis.call('HMGET', KEYS[5], 'identity', 'stepped', 'grace', 'largest', 'notices', 'c:' .. ARGV[4])
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

local leaseHead = redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')[2]
local dueHead = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2]
if not (leaseHead and dueHead) then
  return {'UNKNOWN'}
end
local grace = tonumber(meta[3] or 0)
local stepped = tonumber(meta[2] or 0)
local stalled = now - stepped > tonumber(ARGV[12]) or now < stepped
-- nobody is to renew anything where there is only the sentinel
if stalled and tonumber(leaseHead) < 9007199254740991 then
  grace = now + tonumber(ARGV[13])
end
local acks, renewals, others = tonumber(ARGV[15]), tonumber(ARGV[16]), tonumber(ARGV[17])
local claimMax = tonumber(ARGV[7])
local claims = claimMax > 0 and tonumber(dueHead) <= now
local reclaims = not repeated and now >= grace and tonumber(leaseHead) <= now

local graceText = string.format('%.0f', grace)
if idleBefore or not (claims or reclaims or repeated or acks + renewals + others > 0) then
  local noted = {'HSET', KEYS[5], 'stepped', nowText, 'grace', graceText, 'c:' .. ARGV[4], ARGV[5] .. 'i ' .. nowText}
  if type(redis.pcall(unpack(noted))) == 'table' then
    -- refused, perhaps since memory is full
    redis.call('HDEL', KEYS[5], '')
    redis.call(unpack(noted))
  end
  if ARGV[14] == '1' and tonumber(dueHead) <= now then
    redis.pcall('PUBLISH', ARGV[2], 's ' .. ARGV[3] .. ' ' .. ARGV[4])
  end
  return {'OK', nowMicros, dueHead, leaseHead, {}, {}, {}, {}, {}, {}, {}}
end

--@include head
--@include letter
--@include claim
--@include settle
--@include reclaim

-- what is to be done, by reading only
local gone, lost = {}, {}
local ackFirst, runs = 19, tonumber(ARGV[18])
local renewFirst = ackFirst + acks + 2 * runs
local otherFirst = renewFirst + 3 * renewals
local heldAcks = guardedAcks(ackFirst, acks, runs, gone)
local heldOthers = guardedOthers(otherFirst, others, acks, gone)
local heldRenewals = guardedRenewals(renewFirst, renewals, lost)
local claim = repeated and recordedClaim() or plannedClaim(claims and claimMax or 0)

-- a write that is not refused when memory is full lets the others pass
redis.call('HDEL', KEYS[5], '')
local reclaimed, deaths = {}, {}
if repeated then
  sweep(gone, acks, ackFirst, otherFirst)
  gone, lost, reclaimed, deaths = claim.gone, claim.lost, claim.reclaimed, claim.deaths
else
  redis.call('HSET', KEYS[5], 'stepped', nowText, 'grace', graceText,
    'c:' .. ARGV[4], ARGV[5] .. ' ' .. nowText, 'r:' .. ARGV[4], cmsgpack.pack({claim.ids, gone, lost}))
end
takeClaim(claim, deaths)
settleAcks(ackFirst, acks, heldAcks)
settleOthers(otherFirst, heldOthers, deaths)
renew(renewFirst, renewals, heldRenewals)
if reclaims then
  reclaim(tonumber(ARGV[11]), reclaimed, deaths)
end
if not repeated and #reclaimed + #deaths > 0 then
  redis.call('HSET', KEYS[5], 'r:' .. ARGV[4], cmsgpack.pack({claim.ids, gone, lost, reclaimed, deaths}))
end

local dueNow = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2]
local leaseNow = redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')[2]
if not (dueNow and leaseNow) then
  -- somebody removed a sentinel; the repeat, once the shard was opened anew, tells what this step did
  return {'UNKNOWN'}
end
if tonumber(dueNow) < tonumber(dueHead) then
  redis.pcall('PUBLISH', ARGV[2], 'h ' .. ARGV[3] .. ' ' .. dueNow)
end
if ARGV[14] == '1' and tonumber(dueNow) <= now then
  redis.pcall('PUBLISH', ARGV[2], 's ' .. ARGV[3] .. ' ' .. ARGV[4])
end
return {'OK', nowMicros, dueNow, leaseNow, gone, lost, reclaimed, deaths, claim.taken, claim.messages, claim.before}
