-- Reads the kinds of dead letters, youngest first: cause, type of the exception and shape of its message. Returns no
-- payload. The shape is the start of the exception's message, with '?' for quoted text and for words with digits; quoted
-- text stays if nothing else has letters.
--
-- KEYS[1..5] schedule, leases, messages, deliveries, meta  KEYS[6] dead  KEYS[7] deadLetters
-- ARGV[1] identity  ARGV[2] latest time of dead-lettering in ms  ARGV[3] offset  ARGV[4] count, at most 500
-- result {'OK', now in µs, dead letter ids, times of dead-lettering, number of the kind of each, kinds (cause, type,
--        shape, ...)} | {'UNKNOWN'} | {'MISMATCH', identity}
-- cost   O(log N + offset + count)
--@include keys
local deadKey, deadLettersKey = KEYS[6], KEYS[7]
--@include clock
local identity = redis.call('HGET', metaKey, 'identity')
--@include identity

local function withoutDigits(text)
  return (string.gsub(text, '[%w_%-]+', function(word)
    return string.find(word, '%d') and '?' or nil
  end))
end

local function shapeOf(message)
  if #message > 200 then
    -- without a character that is cut in two
    message = string.gsub(string.sub(message, 1, 200), '[\192-\255][\128-\191]*$', '')
  end
  -- an apostrophe within a word does not begin quoted text
  local unquoted = string.gsub(string.gsub(' ' .. message, "([^%w])'[^']*'", '%1?'), '"[^"]*"', '?')
  local shape = withoutDigits(string.sub(unquoted, 2))
  -- as for 503 : "no such account", the message of an HTTP client
  return string.find(shape, '[%a\128-\255]') and shape or withoutDigits(message)
end

local function kindOf(record)
  local _, headEnd, cause, length = string.find(record, '^1 %d+ ([A-Z_]+) [^\n]*%f[%d](%d+)\n')
  if not headEnd then
    return 'UNREADABLE', '', ''
  end
  local line = string.match(string.sub(record, headEnd + 1, headEnd + math.min(tonumber(length), 1000)), '^[^\n]*')
  local colon = string.find(line, ': ', 1, true)
  return cause, colon and string.sub(line, 1, colon - 1) or line, colon and shapeOf(string.sub(line, colon + 2)) or ''
end

local page = redis.call('ZREVRANGEBYSCORE', deadKey, ARGV[2], '-inf', 'WITHSCORES', 'LIMIT', ARGV[3], ARGV[4])
local ids, times, numbers, kinds, known = {}, {}, {}, {}, {}
for i = 1, #page, 2 do
  local record = redis.call('HGET', deadLettersKey, page[i])
  local cause, exceptionType, shape = kindOf(record or '')
  local key = cause .. '\n' .. exceptionType .. '\n' .. shape
  if not known[key] then
    known[key] = #kinds / 3
    kinds[#kinds + 1], kinds[#kinds + 2], kinds[#kinds + 3] = cause, exceptionType, shape
  end
  ids[#ids + 1], times[#times + 1], numbers[#numbers + 1] = page[i], page[i + 1], known[key]
end
return {'OK', nowMicros, ids, times, numbers, kinds}
