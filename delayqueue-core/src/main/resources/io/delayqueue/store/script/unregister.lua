-- Unregisters a topic, unless its registration has changed.
--
-- KEYS[1] topics
-- ARGV[1] topic  ARGV[2] expected registration: '<shard count>:<epoch>'
-- result {1} if the topic was unregistered, else {0}
-- cost   O(1), at most 2 commands. Also runs when memory is full
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then
  return {0}
end
return {redis.call('HDEL', KEYS[1], ARGV[1])}
