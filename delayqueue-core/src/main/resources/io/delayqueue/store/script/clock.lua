-- fragment: the time of Redis' clock. gives: now (ms), nowText, nowMicros
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local nowText = string.format('%.0f', now)
local nowMicros = clock[1] .. string.format('%06d', clock[2])
