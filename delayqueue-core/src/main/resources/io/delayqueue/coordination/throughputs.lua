-- Returns what processes sent and received within the last minute, and the holders of their old leases. A report that is older
-- than three intervals is that of a process that ended.
--
-- KEYS[1] throughput (HASH process → time in ms, line feed, report)
-- ARGV[1] maximum age of a report in ms
-- result {report, report, ...}
-- cost   O(size of all reports), 2 commands
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local all, reports = redis.call('HGETALL', KEYS[1]), {}
for i = 2, #all, 2 do
  local at, report = string.match(all[i], '^(%d+)\n(.*)$')
  if at and math.abs(now - tonumber(at)) <= tonumber(ARGV[1]) then
    reports[#reports + 1] = report
  end
end
return reports
