-- fragment: how many further messages a topic takes. needs: limits, the field of meta (see keys.lua), or false.
-- gives: limit, the text of the most messages, and room, which is below 1 if the topic is full; both are not set if there is
-- no such limit. Scheduled, parked and leased messages count, dead letters do not.
local limit = limits and string.match(limits, '^%d+ %d+ %d+ ([1-9]%d*)')
-- without the two sentinels
local room = limit and tonumber(limit) - redis.call('ZCARD', scheduleKey) - redis.call('ZCARD', leasesKey) + 2
if room and keyed then
  room = room - redis.call('ZCARD', parkedDueKey) + 1
end
