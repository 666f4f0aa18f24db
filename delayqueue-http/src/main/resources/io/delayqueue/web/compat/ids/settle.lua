-- fragment: settles a push after its message was sent and the messages in other topics were cancelled: removes the other
-- topics from the entry, unless another push has started meanwhile. Also adds a topic in which an id is live, because its
-- message was not pushed through the index or because the entry was lost: as the settlement of a push before all others.
--
-- arguments topic of the push, escaped; version of the push, 0 to add the topic; time for which another topic is kept, ms: an
-- interrupted push may still store a message there; maximum number of other topics that are kept, the newest
-- result {'OK'}: this push is current, or a later push to the same topic, or a later push is pending, which then cancels
--        the message of this push
--        | {'LATER'}: a later push to another topic is current and settled; the caller must cancel the message of this
--        push
--        | {'AGAIN', other topics ...}: the caller must cancel the messages in these topics and settle again. Either the
--        entry was lost and recreated by an earlier push, and now has this push; or an earlier push to one of these
--        topics sent its message after this push started
--        | {'UNREADABLE', entry}
-- cost   O(others), at most 3 commands; 1 if nothing changes
-- While the later push is pending, it may still fail. Only its own settlement then cancels the message of this push,
-- whose sender may already have been told that it succeeded. Until then the message has a time after the version of the
-- later push.
arguments.settle = 4
function operations.settle(key, id, topic, version, grace, most)
  local entry, unreadable = stored(key, id)
  if unreadable then
    return unreadable
  end
  if not entry then
    passMemoryCheck(key)
    local current = tonumber(version) > 0 and version or versionText(nowMicros)
    written(key, id, {version = current, state = 's', current = topic, others = {}})
    return {'OK'}
  end
  if entry.version > version then
    if entry.current == topic then
      return {'OK'}
    end
    local own
    for _, other in ipairs(entry.others) do
      own = other.topic == topic and other or own
    end
    if own and entry.state == 's' then
      return {'LATER'}
    elseif not own then
      own = {since = nowMs, topic = topic}
      entry.others[#entry.others + 1] = own
    end
    if entry.state == 'p' then
      local after = math.floor(tonumber(entry.version) / 1000) + 1
      own.since = string.format('%.0f', math.max(tonumber(nowMs), after))
    end
    passMemoryCheck(key)
    written(key, id, entry)
    return {entry.state == 's' and 'LATER' or 'OK'}
  end
  passMemoryCheck(key)
  if entry.version < version then
    return entered(key, id, entry, topic, version, {'AGAIN'})
  end
  local reply, young = {'AGAIN'}, {}
  local from = #entry.others - tonumber(most) + 1
  for i, other in ipairs(entry.others) do
    if entry.state == 'p' and other.since * 1000 > tonumber(version) then
      other.since = string.format('%.0f', math.floor(tonumber(version) / 1000))
      reply[#reply + 1] = other.topic
    end
    if i >= from and nowMs - other.since < tonumber(grace) then
      young[#young + 1] = other
    end
  end
  if #reply > 1 then
    entry.others = young
    written(key, id, entry)
    return reply
  end
  if entry.state == 'p' or #young < #entry.others then
    entry.state, entry.others = 's', young
    written(key, id, entry)
  end
  return {'OK'}
end
