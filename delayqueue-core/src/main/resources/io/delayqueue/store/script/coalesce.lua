-- fragment: sends of modes a and b whose id is live. needs: clock, packedtime, head, repeats, isOlder, deliveryOf. assigns:
-- prefixes, coalesced, debounced
--
-- After running (a): while the live message is being handled, or waits for its next attempt, the new one becomes its
-- successor. A live message that was never handled is replaced.
--
-- Debounce (b): while the live message is being handled, the new one becomes its successor; else the live message is replaced.
-- The new one becomes due after a quiet time, but not later than a longest time after the first send of its series. The first
-- line of the stored message ends with ' d=<longest time in ms>/<first send, ms since 1970>'. The message as sent ends this
-- line with ' d=<longest time in ms>'.

-- by index: the delivery of a live message that stays, and a zero byte, behind which the new message is stored; the first send
-- of the series of debounced sends
prefixes = {}
local firstSends = {}

function coalesced(i, mode, message, line)
  local delivery, successor = deliveryOf(i)
  local storedLine = mode == 'b' and string.sub(line, 1, -2) .. '/' or line
  -- the successor of a message that has ended is stored again: a script that stopped may not have scheduled it
  if repeats(i, message, storedLine) or successor and delivery ~= '' and repeats(i, successor, storedLine) then
    return 's'
  end
  if isOlder(line, message, successor) then
    return 'k'
  end
  -- of the delivery: '-' if the message is scheduled, '>' if a move has taken it; nil without a delivery, or if it has ended
  local first = string.byte(delivery or '')
  local handled = first and first ~= 62 and not string.find(delivery, '^%- 0 ')
  local stays = first and first ~= 62 and (first ~= 45 or mode == 'a' and (handled or successor))
  local last = successor or not handled and message
  firstSends[i] = last and tonumber(string.match(string.match(last, '^[^\n]*', 14), ' d=%d+/(%d+)$'))
  prefixes[i] = stays and delivery .. '\0'
  return stays and not successor and 'a' or 'r'
end

-- the due time, and what is stored from it on
function debounced(i, quiet, rest)
  local lineEnd = string.find(rest, '\n', 1, true)
  local line, firstSend = string.sub(rest, 1, lineEnd - 1), firstSends[i] or now
  local due = math.min(now + quiet, firstSend + string.match(line, ' d=(%d+)$'))
  return textOf(due), packedTime(due) .. line .. '/' .. textOf(firstSend) .. string.sub(rest, lineEnd)
end
