-- fragment: reads a live message. needs: keys, identity, polled. gives: live

-- message, due, lease end and delivery of an id, each false if there is none, and '1' if the message is parked, else '0'. A message
-- without due time and lease end is not live
local function live(id)
  local due = redis.call('ZSCORE', scheduleKey, id)
  local parked = not due and keyed and redis.call('ZSCORE', parkedDueKey, id)
  local leaseEnd = redis.call('ZSCORE', leasesKey, id)
  return {
    redis.call('HGET', messagesKey, id),
    due or parked,
    leaseEnd and string.format('%.0f', leaseEnd + jumped + behind),
    redis.call('HGET', deliveriesKey, id),
    parked and not fair and '1' or '0'
  }
end
