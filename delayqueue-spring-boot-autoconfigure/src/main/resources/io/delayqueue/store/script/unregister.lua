-- Takes a topic off the list, unless it was registered anew since the caller looked.
--
-- KEYS[1] topics
-- ARGV[1] topic  ARGV[2] its registration as the caller knows it: '<shard count>:<epoch>'
-- result {1} if it was taken off, else {0}
-- cost   O(1), at most 2 commands. Runs also when memory is full
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then
  return {0}
end
return {redis.call('HDEL', KEYS[1], ARGV[1])}
