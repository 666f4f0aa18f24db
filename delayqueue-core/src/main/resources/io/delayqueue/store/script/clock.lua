-- fragment: the time of Redis' clock. gives: now (ms), nowText, nowMicros (text), textOf. Formatting a number as %.0f takes
-- longer than a command.
local seconds, micros = unpack(redis.call('TIME'))
local nowMicros = seconds .. string.sub('000000', #micros + 1) .. micros
local nowText = string.sub(nowMicros, 1, -4)
local now = tonumber(nowText)

-- a time in ms as text; in two parts, because %d uses a C long, which has 32 bits on some servers
local function textOf(ms)
  return string.format('%d%06d', ms / 1000000, ms % 1000000)
end
