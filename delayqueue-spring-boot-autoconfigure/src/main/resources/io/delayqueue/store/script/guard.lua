-- fragment: the clock, and the comparison of what the caller believes with what the shard says.
-- needs: KEYS[5] meta, ARGV[1] identity ("<format>:<shard count>:<epoch>")
-- gives: now (ms), nowText, nowMicros, consumer fields of meta as asked for by the including script
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local nowText = string.format('%.0f', now)
local nowMicros = clock[1] .. string.format('%06d', clock[2])
