-- fragment: removes an entry whose id is not live in any topic. Keeps it if a push has started since the topics were
-- checked, or if a pending or recently interrupted push may still store a message.
--
-- arguments version of the entry when the topics were checked; maximum duration of a push, ms; minimum age of the entry,
-- ms
-- result {1} if the entry was removed, otherwise {0}
-- cost   O(others), at most 2 commands
arguments.remove = 3
function operations.remove(key, id, version, duration, minAge)
  local entry = stored(key, id)
  if not entry or entry.version ~= version then
    return {0}
  end
  local age, grace = nowMicros / 1000 - tonumber(entry.version) / 1000, tonumber(duration)
  if age < tonumber(minAge) or (entry.state == 'p' and age < grace) then
    return {0}
  end
  for _, other in ipairs(entry.others) do
    if nowMs - other.since < grace then
      return {0}
    end
  end
  return {redis.call('HDEL', key, id)}
end
