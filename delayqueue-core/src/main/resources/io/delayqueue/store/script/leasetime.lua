-- fragment: lease time, the clock by which leases end. It follows a steady clock, which is Redis' clock without its
-- jumps. If Redis' clock is set, or another server takes over, leases end neither earlier nor later. See ADR 21.
-- needs: now, polled.lua, steady (now - jumped), ownLastTime, repeated, leased (whether there are leases), maxGap,
--        sinceLastPoll
-- assigns: steady, jumped (Redis' clock minus steady), behind (steady minus leaseTime)
-- gives: lastSteady, unmeasured, leaseTime, leaseTimeText, leaseEnd, redisEnd
-- steady time of the last poll of any consumer
local lastSteady = polledAt and polledAt - jumped or steady
-- steady time of this consumer's last poll; unknown in a repeat, whose sinceLastPoll counts from the poll before
local ownLastSteady = not repeated and sinceLastPoll >= 0 and tonumber(ownLastTime)
-- length of a gap that the consumer cannot measure
local unmeasured = 0
if ownLastSteady then
  -- without a jump, the clocks differ by the travel time of the request and by less than a thousandth
  if math.abs(steady - ownLastSteady - sinceLastPoll) > 1000 + sinceLastPoll / 1000 then
    steady = ownLastSteady + sinceLastPoll
  end
elseif leased and steady - lastSteady > maxGap then
  unmeasured = steady - lastSteady
end
steady = math.max(steady, lastSteady)
jumped = now - steady
-- If the consumer cannot measure a gap, lease time does not advance during the gap and then runs at double speed until
-- it has caught up. Each lease keeps at least half of its remaining time, and a live owner renews within a third of the
-- lease.
behind = behind + unmeasured - math.min(behind, steady - lastSteady - unmeasured)
local leaseTime = steady - behind
local leaseTimeText = leaseTime == now and nowText or textOf(leaseTime)

-- the end, in lease time, of a lease that starts now and lasts the given ms
local function leaseEnd(millis)
  return textOf(leaseTime + millis + math.min(millis, behind))
end

-- converts an end in lease time to Redis' clock
local function redisEnd(ending)
  if ending == NEVER or (leaseTime == now and behind == 0) then
    return ending
  end
  local left = tonumber(ending) - leaseTime
  return textOf(now + left - math.floor(math.min(math.max(left, 0) / 2, behind)))
end
