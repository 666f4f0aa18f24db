-- Marks a schedule that no process declares any more, or removes its declaration. Also runs when memory is full.
--
-- KEYS[1] declarations, see declare.lua
-- ARGV[1] topic and id  ARGV[2] time of the last declaration, as it was read
-- ARGV[3] 'p': it is paused | 'k': it is kept as it is | '': its declaration is removed
-- result {'1', or '0' if it has been declared since}
-- cost   O(1), 3 commands
local key, field = KEYS[1], ARGV[1]
-- Redis permits all further writes of a script after one that uses no memory, even if memory is full
redis.call('HDEL', key, '')
local at, timing = string.match(redis.call('HGET', key, field) or '', '^(%d+) %S+ (.*)$')
if at ~= ARGV[2] then
  return {'0'}
end
if ARGV[3] == '' then
  redis.call('HDEL', key, field)
else
  redis.call('HSET', key, field, at .. ' ' .. ARGV[3] .. ' ' .. timing)
end
return {'1'}
