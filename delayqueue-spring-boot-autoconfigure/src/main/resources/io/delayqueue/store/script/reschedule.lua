-- Moves a scheduled message to another due time; attempts are kept.
--
-- KEYS[1..5] schedule, leases, messages, deliveries, meta
-- ARGV[1] identity  ARGV[2] signal channel  ARGV[3] lane's signal name  ARGV[4] id
-- ARGV[5] due (ms since 1970, or '+' and a delay in ms)
-- result {'OK', 'r' rescheduled | 'l' being handled | 'n' not found, due} | {'UNKNOWN'} | {'MISMATCH', identity}
-- cost   O(log N), at most 8 commands and a PUBLISH when the head became earlier
--@include guard
local identity = redis.call('HGET', KEYS[5], 'identity')
if identity ~= ARGV[1] then
  return identity and {'MISMATCH', identity} or {'UNKNOWN'}
end
local message = redis.call('HGET', KEYS[3], ARGV[4])
if not message then
  return {'OK', 'n', ''}
end
if not redis.call('ZSCORE', KEYS[1], ARGV[4]) then
  return {'OK', 'l', ''}
end
local due = ARGV[5]
if string.byte(due) == 43 then
  due = string.format('%.0f', now + tonumber(string.sub(due, 2)))
end
local head = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2]
local line = string.find(message, '\n', 1, true)
local renamed = string.gsub(string.sub(message, 1, line - 1), '%d+$', due) .. string.sub(message, line)
redis.call('HSET', KEYS[3], ARGV[4], renamed)
redis.call('ZADD', KEYS[1], due, ARGV[4])
if not head or tonumber(due) < tonumber(head) then
  redis.pcall('PUBLISH', ARGV[2], 'h ' .. ARGV[3] .. ' ' .. due)
end
return {'OK', 'r', due}
