-- Returns all registered topics.
--
-- KEYS[1] topics
-- result {topic, registration (see register.lua), topic, ...}
-- cost   O(topics), 1 command
return redis.call('HGETALL', KEYS[1])
