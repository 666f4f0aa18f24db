-- Moves the time of a namespace, which the variants of the other scripts read, and which never goes back.
--
-- KEYS[1] the clock: microseconds that are added to the time of Redis or, while the clock is stopped, '=' and the time in µs.
--         Without this key the time is that of Redis
-- ARGV[1] 'stop'; a time in µs, at which the clock stops; or '' to let it run on
-- result {now in µs, now minus the time of Redis in µs}
-- cost   O(1), 3 commands
local time = redis.call('TIME')
local real = time[1] * 1000000 + time[2]
local clock = redis.call('GET', KEYS[1]) or '0'
local stopped = string.sub(clock, 1, 1) == '='
local now = stopped and tonumber(string.sub(clock, 2)) or real + clock
if ARGV[1] ~= '' then
  now = math.max(now, tonumber(ARGV[1]) or now)
  redis.call('SET', KEYS[1], '=' .. string.format('%.0f', now))
elseif stopped then
  redis.call('SET', KEYS[1], string.format('%.0f', now - real))
end
return {now, now - real}
