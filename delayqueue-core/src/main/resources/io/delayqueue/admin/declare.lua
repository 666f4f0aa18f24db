-- Declares the timing of a listener's schedule, or renews this. Also runs when memory is full.
--
-- KEYS[1] declarations (HASH topic, id → time of the last declaration in ms, mark of orphan.lua or '-', timing)
-- ARGV[1] topic and id  ARGV[2] timing  ARGV[3] time in ms after which a declaration lapses, if it is not renewed
-- ARGV[4] '': also replaces another timing that has not lapsed | 'l': not | 'r': the schedule has been resumed
-- result {'d', ''} declared | {'p', ''} not yet: it was paused as an orphan, and must be resumed before |
--        {'o', other timing} not lapsed
-- cost   O(1), 4 commands
local key, field = KEYS[1], ARGV[1]
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
-- Redis permits all further writes of a script after one that uses no memory, even if memory is full
redis.call('HDEL', key, '')
local at, mark, timing = string.match(redis.call('HGET', key, field) or '', '^(%d+) (%S+) (.*)$')
if mark == 'p' and ARGV[4] ~= 'r' then
  return {'p', ''}
end
if at and now - at < tonumber(ARGV[3]) and timing ~= ARGV[2] and ARGV[4] == 'l' then
  return {'o', timing}
end
redis.call('HSET', key, field, string.format('%.0f', now) .. ' - ' .. ARGV[2])
return {'d', ''}
