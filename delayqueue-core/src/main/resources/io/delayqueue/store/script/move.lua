-- fragment: the steps of a move. needs: move, '<mover>-<sequence number>'. gives: begun, begin, takenBy
--
-- A reservation, in the target's meta, is {source, reserved ids, refused ids, those refused because the target was full} in
-- MessagePack, in the field 'm:<move>'.
-- As a consumer of polls, a mover has increasing sequence numbers, which meta records. The step that begins a move on a
-- shard acts at most once: its repeat only reports, even if a connection that hung delivers it much later.
local mover, sequence = string.match(move, '^(%w+)%-(%d+)$')
local begun = tonumber(sequence) <= tonumber(string.match(redis.call('HGET', metaKey, 'c:' .. mover) or '-1', '^-?%d+'))

local function begin(...)
  redis.call('HSET', metaKey, 'c:' .. mover, sequence .. ' ' .. nowText, ...)
end

-- the move that took a message, its target, and the delivery before
local function takenBy(delivery)
  local by, length, rest = string.match(delivery or '', '^>(%S+) =(%d+) (.*)$')
  if not by then
    return nil, nil, delivery or ''
  end
  return by, string.sub(rest, 1, length), string.sub(rest, length + 2)
end
