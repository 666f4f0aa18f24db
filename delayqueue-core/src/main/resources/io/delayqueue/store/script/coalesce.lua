-- fragment: sends that coalesce with a live message. needs: packedtime, now, repeats, isOlder, deliveryOf. assigns: staying,
-- coalesced, debounced
--
-- 'After running': while the live message is being handled, or waits for its next attempt, the new one becomes its
-- successor. A live message that was never handled is replaced.
--
-- 'Debounce': the live message is replaced, or, while it is being handled, gets a successor. The new one becomes due after a
-- time, but not later than a longest time after the first of these sends. The first line of the stored message ends with
-- ' d=<longest time in ms>/<first send, ms since 1970>'. In what is sent, it has no '/' and no first send.

-- by index: the start of the delivery behind which a successor is stored; when a series of debounced sends began
staying = {}
local begins = {}

function coalesced(i, mode, message, line)
  local delivery, successor = deliveryOf(i)
  local stored = mode == 'b' and string.sub(line, 1, -2) .. '/' or line
  if repeats(i, message, stored) or successor and delivery ~= '' and repeats(i, successor, stored) then
    return 's'
  end
  -- of the delivery: '-' if it is scheduled, '>' if a move has taken it
  local first = string.byte(delivery or '')
  local handled = first and first ~= 62 and not string.find(delivery, '^%- 0 ')
  local stays = first and first ~= 62 and (first ~= 45 or mode == 'a' and (handled or successor))
  if isOlder(line, message, successor) then
    return 'k'
  end
  local last = successor or not handled and message
  begins[i] = last and tonumber(string.match(string.match(last, '^[^\n]*', 14), ' d=%d+/(%d+)$'))
  staying[i] = stays and delivery .. '\0'
  return stays and not successor and 'a' or 'r'
end

-- the due time, and what is stored from it on
function debounced(i, quiet, rest)
  local lineEnd = string.find(rest, '\n', 1, true)
  local line, start = string.sub(rest, 1, lineEnd - 1), begins[i] or now
  local due = math.min(now + quiet, start + string.match(line, ' d=(%d+)$'))
  return textOf(due), packedTime(due) .. line .. '/' .. textOf(start) .. string.sub(rest, lineEnd)
end
