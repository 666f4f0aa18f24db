-- Unregisters a topic, unless its registration has changed. Changed limits do not matter.
--
-- KEYS[1] topics
-- ARGV[1] topic  ARGV[2] expected shape and epoch: '<shape>:<epoch>'
-- result {1} if the topic was unregistered, else {0}
-- cost   O(1), at most 2 commands. Also runs when memory is full
local known = redis.call('HGET', KEYS[1], ARGV[1])
if not known or string.match(known, '^%S*') ~= ARGV[2] then
  return {0}
end
return {redis.call('HDEL', KEYS[1], ARGV[1])}
