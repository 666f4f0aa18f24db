-- Reads live messages in the order of their due times or lease ends, then ids.
--
-- KEYS[1..5] schedule, leases, messages, deliveries, meta
-- ARGV[1] identity  ARGV[2] 's' not yet due | 'r' due | 'l' leased | 'i' suspects
-- ARGV[3] time in ms and ARGV[4] id after which to start; '' and '' for the beginning
-- ARGV[5] count (1..500)  ARGV[6] most bytes  ARGV[7] sentinel
-- result {'OK', now in µs, ids, times, messages, deliveries ('' for none), time and id of the last one read, '1' if
--         more follow, for each id '1' if it is parked, else '0'} | {'UNKNOWN'} | {'MISMATCH', identity}
-- cost O(count log N); reads at least one message, and stops at the byte bound. To find the start, up to log2(number of
--        equal times) more commands
--
-- The start is found even if its message is no longer there: ids with equal times are ordered by their bytes. The
-- script skips ids without a message, which scripts that stopped midway left behind, and leased messages that are also
-- in the schedule and therefore count as scheduled. It does not list messages that a move has taken.
--@include keys
--@include clock
--@include firstdue
--@include taken
local identity, polledText = unpack(redis.call('HMGET', metaKey, 'identity', 'polled'))
--@include identity
--@include polled
local leased, ready, suspects = ARGV[2] == 'l', ARGV[2] == 'r', ARGV[2] == 'i'
local places = leased and leasesKey or scheduleKey
-- scheduled and ready messages of a topic with keys are in the schedule and parked
local parkedPlaces = not leased and not suspects and parkedDueKey
-- time minus score: of leases, Redis' clock minus lease time
local ahead = leased and jumped + behind or suspects and -SUSPECT or 0

-- compares bytes, because Lua compares strings by the server's locale
local function notAfter(a, b)
  local n = math.min(#a, #b)
  for i = 1, n do
    local x, y = string.byte(a, i), string.byte(b, i)
    if x ~= y then
      return x < y
    end
  end
  return #a <= #b
end

local function rankBehind(places, time, id)
  local score = redis.call('ZSCORE', places, id)
  if score and tonumber(score) == tonumber(time) then
    return redis.call('ZRANK', places, id) + 1
  end
  local low = redis.call('ZCOUNT', places, '-inf', '(' .. time)
  local high = low + redis.call('ZCOUNT', places, time, time)
  while low < high do
    local middle = math.floor((low + high) / 2)
    if notAfter(redis.call('ZRANGE', places, middle, middle)[1], id) then
      low = middle + 1
    else
      high = middle
    end
  end
  return low
end

local function startIn(places)
  return ARGV[3] == '' and 0 or rankBehind(places, string.format('%.0f', ARGV[3] - ahead), ARGV[4])
end
local first = startIn(places)
local last
if ready then
  last = redis.call('ZCOUNT', places, '-inf', nowText)
else
  last = redis.call('ZCARD', places) - (redis.call('ZSCORE', places, ARGV[7]) and 1 or 0)
  if not leased then
    last = last - redis.call('ZCOUNT', places, placeText(TAKEN), '(' .. NEVER)
    local suspectsFrom = last - countSuspects()
    first = math.max(first, suspects and suspectsFrom or redis.call('ZCOUNT', places, '-inf', nowText))
    last = suspects and last or suspectsFrom
  end
end
local found, areParked = {}, {}
if first < last then
  found = redis.call('ZRANGE', places, first, math.min(last, first + tonumber(ARGV[5])) - 1, 'WITHSCORES')
end
if parkedPlaces then
  local from, to = startIn(parkedPlaces), redis.call('ZCOUNT', parkedPlaces, '-inf', nowText)
  if not ready then
    from, to = math.max(from, to), redis.call('ZCARD', parkedPlaces) - 1
  end
  local parked = {}
  if from < to then
    parked = redis.call('ZRANGE', parkedPlaces, from, math.min(to, from + tonumber(ARGV[5])) - 1, 'WITHSCORES')
  end
  local merged, i, k = {}, 1, 1
  while #merged < 2 * tonumber(ARGV[5]) and (found[i] or parked[k]) do
    local fromParked = not found[i] or parked[k]
      and (parked[k + 1] + 0 < found[i + 1] + 0 or parked[k + 1] + 0 == found[i + 1] + 0 and notAfter(parked[k], found[i]))
    local source, at = fromParked and parked or found, fromParked and k or i
    merged[#merged + 1], merged[#merged + 2] = source[at], source[at + 1]
    areParked[#merged / 2] = fromParked and not fair
    k, i = fromParked and k + 2 or k, fromParked and i or i + 2
  end
  last = first + math.max(0, last - first) + math.max(0, to - from)
  found = merged
end

local chosen, n, bytes = {}, 0, 0
for i = 1, #found, 2 do
  -- a delivery may contain a successor
  bytes = bytes + redis.call('HSTRLEN', messagesKey, found[i]) + redis.call('HSTRLEN', deliveriesKey, found[i])
  if n > 0 and bytes > tonumber(ARGV[6]) then
    break
  end
  n = n + 1
  chosen[n] = found[i]
end
if n == 0 then
  return {'OK', nowMicros, {}, {}, {}, {}, '', '', '0', ''}
end
local stored = redis.call('HMGET', messagesKey, unpack(chosen))
local held = redis.call('HMGET', deliveriesKey, unpack(chosen))
local function timeOf(i)
  return string.format('%.0f', found[2 * i] + ahead)
end
local ids, times, messages, deliveries, parked = {}, {}, {}, {}, ''
for i = 1, n do
  if stored[i] and not (leased and redis.call('ZSCORE', scheduleKey, chosen[i])) then
    local at = #ids + 1
    ids[at], times[at], messages[at], deliveries[at] = chosen[i], timeOf(i), stored[i], held[i] or ''
    parked = parked .. (areParked[i] and '1' or '0')
  end
end
return {'OK', nowMicros, ids, times, messages, deliveries, timeOf(n), chosen[n], first + n < last and '1' or '0', parked}
