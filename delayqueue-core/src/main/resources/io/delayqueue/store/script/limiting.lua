-- fragment: the limits of a topic. needs: limits, limit, metaKey, leasesKey, nowMicros, now, jumped, steady, textOf, NEVER
-- assigns: limitOf, placesAndTokens, claimable, holdTopic
--
-- Places are what the leases leave: no counter can drift, and a lease that has ended keeps its place until it is
-- reclaimed. The rate is that of a generic cell rate algorithm in steady time: each claim moves the arrival time on by an
-- interval, and may move it to at most a burst of intervals from now.
local NONE = '0 0 0 0'

-- the limits of a text as in the field 'limits'
function limitOf(text)
  local concurrent, interval, burst = string.match(text, '^(%d+) (%d+) (%d+) ')
  local arrival, hold = unpack(redis.call('HMGET', metaKey, 'arrival', 'hold'))
  local read = {concurrent = tonumber(concurrent), interval = tonumber(interval), burst = tonumber(burst)}
  read.time = tonumber(nowMicros) - 1000 * jumped
  read.hold = hold or '0 0 '
  read.heldUntil = tonumber(string.match(read.hold, '^%d+'))
  -- a shorter interval, which was set meanwhile, applies to the arrival time, too
  local latest = read.time + read.burst * read.interval
  read.arrival = math.max(read.time, math.min(tonumber(arrival or 0), latest))
  return read
end

-- the number of messages that may be claimed when so many leases have ended
function placesAndTokens(ending)
  if limit.heldUntil > steady then
    return 0
  end
  local free = 1000000
  if limit.interval > 0 then
    free = math.floor((limit.time - limit.arrival) / limit.interval) + limit.burst
  end
  if limit.concurrent > 0 then
    free = math.min(free, limit.concurrent + ending + 1 - redis.call('ZCARD', leasesKey))
  end
  return math.max(0, free)
end

-- when the first message may be claimed, and whether a suspect may be, given when the first message is due: pollers wait
-- until the topic reopens, or for a signal if each place is taken
function claimable(due, suspects)
  if limit.concurrent > 0 and redis.call('ZCARD', leasesKey) > limit.concurrent then
    return NEVER, false
  end
  local reopens = limit.heldUntil
  if limit.interval > 0 then
    reopens = math.max(reopens, math.ceil((limit.arrival - (limit.burst - 1) * limit.interval) / 1000))
  end
  if reopens <= steady then
    return due, suspects
  end
  local at = now + reopens - steady
  return textOf(suspects and at or math.max(at, tonumber(due))), false
end

-- claims nothing for a time, at the request of the handler of a message. The longest hold applies
function holdTopic(millis, id)
  limit = limit or limitOf(NONE)
  local times, by = string.match(limit.hold, '^%d+ (%d+) (.*)$')
  limit.heldUntil = math.max(limit.heldUntil, steady + millis)
  limit.hold = textOf(limit.heldUntil) .. ' ' .. (by == id and times + 1 or 1) .. ' ' .. id
  redis.call('HSET', metaKey, 'hold', limit.hold, 'limits', limits or NONE, 'identity', ARGV[1] .. SPECIAL)
end
