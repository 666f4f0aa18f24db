-- fragment: records the size of the largest message, see keys.lua. needs: largest, the size of the largest new message
if largest > 1024 then
  local bound = 2048
  while bound < largest do
    bound = bound * 2
  end
  if bound > tonumber(redis.call('HGET', metaKey, 'largest') or 0) then
    redis.call('HSET', metaKey, 'largest', bound)
  end
end
