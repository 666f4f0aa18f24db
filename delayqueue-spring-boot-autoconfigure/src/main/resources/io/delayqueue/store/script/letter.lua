-- fragment: the death of a message. Letter and notice come first, so that stopped midway the message is in two places.
-- A letter's id is "<message id>@<token>", so a repeat writes the same letter, and leaves a notice alone that is there.
-- A letter is "1 <died ms> <cause> <attempts> <due ms> <bytes of failure>\n<failure>\n<message>".
-- A notice is a message with the headers of the one that died, and without a payload.
-- The lane of deaths has no letters: there the message is only removed.
local function forget(id)
  redis.call('HDEL', KEYS[3], id)
  redis.call('HDEL', KEYS[4], id)
  redis.call('ZREM', KEYS[1], id)
  redis.call('ZREM', KEYS[2], id)
end

-- from the end of the head's line to the payload; none if a reader would stumble over one, for the notice has to be
-- readable
local function headersOf(message)
  local first = hasHead(message) and string.find(message, '\n', 14, true)
  local last = first and string.find(message, '\n\n', first, true)
  for header in string.gmatch(last and string.sub(message, first, last) or '', '[^\n]+') do
    last = last and string.find(header, ': ', 1, true) and last
  end
  return last and string.sub(message, first, last + 1) or '\n\n'
end

local function lay(id, letter, died, cause, record, message, deaths)
  if KEYS[6] then
    redis.call('ZADD', KEYS[6], died, letter)
    redis.call('HSET', KEYS[7], letter, record)
    if meta[5] and redis.call('HEXISTS', KEYS[9], letter) == 0 then
      redis.call('ZADD', KEYS[8], nowText, letter)
      local time = packedTime(now)
      redis.call('HSET', KEYS[9], letter, '1' .. time .. time .. headersOf(message))
      redis.pcall('PUBLISH', ARGV[2], 'h ' .. ARGV[3] .. ':deaths ' .. nowText)
    end
  end
  forget(id)
  deaths[#deaths + 1] = id
  deaths[#deaths + 1] = cause
end

local function die(id, token, cause, attempts, due, failure, message, deaths)
  lay(id, id .. '@' .. token, nowText, cause, '1 ' .. nowText .. ' ' .. cause .. ' ' .. attempts .. ' ' .. due .. ' '
    .. #failure .. '\n' .. failure .. '\n' .. message, message, deaths)
end
