-- fragment: lease time, the clock by which leases end. It follows a steady clock, which is Redis' clock without its
-- jumps. If Redis' clock is set, or another server takes over, leases end neither earlier nor later. See ADR 21. needs:
-- now, meta (2 polled, 7 jumped, 8 behind), seen, repeated, ARGV[12], ARGV[19]; leased: whether there are leases gives:
-- steady, jumped (Redis' clock minus steady), behind (steady minus leaseTime), leaseTime, leaseTimeText, leaseEnd,
-- redisEnd
local jumped, behind = tonumber(meta[7] or 0), tonumber(meta[8] or 0)
local steady = now - jumped
local before = meta[2] and tonumber(meta[2]) - jumped or steady
local counted = tonumber(ARGV[19])
-- steady time of the consumer's last poll; unknown in a repeat, whose ARGV[19] counts from the poll before
local seenAt = not repeated and counted >= 0 and tonumber(string.match(seen, ' (%d+)'))
local unmeasured = 0
if seenAt then
  -- without a jump, the clocks differ by the travel time of the request and by less than a thousandth
  if math.abs(steady - seenAt - counted) > 1000 + counted / 1000 then
    steady = seenAt + counted
  end
elseif leased and steady - before > tonumber(ARGV[12]) then
  unmeasured = steady - before
end
steady = math.max(steady, before)
jumped = now - steady
-- If the consumer cannot measure a gap, lease time does not advance during the gap and then runs at double speed until
-- it has caught up. Each lease keeps at least half of its remaining time, and a live owner renews within a third of the
-- lease.
behind = behind + unmeasured - math.min(behind, steady - before - unmeasured)
local leaseTime = steady - behind
local leaseTimeText = string.format('%.0f', leaseTime)

-- the end, in lease time, of a lease that starts now and lasts the given ms
local function leaseEnd(millis)
  return string.format('%.0f', leaseTime + millis + math.min(millis, behind))
end

-- converts an end in lease time to Redis' clock
local function redisEnd(ending)
  local left = tonumber(ending) - leaseTime
  return string.format('%.0f', now + left - math.floor(math.min(math.max(left, 0) / 2, behind)))
end
