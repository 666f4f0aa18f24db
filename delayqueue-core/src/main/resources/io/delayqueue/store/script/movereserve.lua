-- First step of a move: reserves ids in the target. A reserved id is not live and blocks nothing. It permits to store
-- its message once.
--
-- KEYS[1..5] schedule, leases, messages, deliveries, meta
-- ARGV[1] identity  ARGV[2] move  ARGV[3] source topic  ARGV[4..] ids, at most 500
-- result {'OK', a letter for each id: 'r' reserved | 'l' live} | {'UNKNOWN'} | {'MISMATCH', identity}
-- cost   O(n), 6 commands
--@include keys
--@include clock
local identity = redis.call('HGET', metaKey, 'identity')
--@include identity
local move = ARGV[2]
--@include move
if not begun then
  local live, reserved = redis.call('HMGET', messagesKey, unpack(ARGV, 4)), {}
  for i = 4, #ARGV do
    if not live[i - 3] then
      reserved[#reserved + 1] = ARGV[i]
    end
  end
  if #reserved > 0 then
    begin('m:' .. move, cmsgpack.pack({ARGV[3], reserved, {}}))
  else
    begin()
  end
end
local record = redis.call('HGET', metaKey, 'm:' .. move)
local reserved, outcomes = {}, {}
for _, id in ipairs(record and cmsgpack.unpack(record)[2] or {}) do
  reserved[id] = true
end
for i = 4, #ARGV do
  outcomes[i - 3] = reserved[ARGV[i]] and 'r' or 'l'
end
return {'OK', table.concat(outcomes)}
