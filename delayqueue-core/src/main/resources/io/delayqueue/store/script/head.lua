-- fragment: the head of a message: '1', then the times of send and due, each as an unsigned number of ms since 1970 in
-- six bytes, most significant byte first, then the rest of the first line: empty | "<nonce>" | "+<nonce> <limits>". The
-- rest is empty if the id was generated for the send. Limits are separated by blanks: r=<slot>, see recurring.lua, which is the
-- first one, a=<attempts>, l=<lease in ms>,
-- e=<expiry, ms since 1970>, x=<ms from the due time to the expiry>, s=<sequence number> and k=<key>, see order.lua,
-- d=<longest time in ms>/<first send, ms since 1970>, see coalesce.lua. Bytes of a time may be line feeds: search for
-- line feeds from byte 14 on.

-- the time of the send is at byte 2, the due time at byte 8
local function timeAt(message, at)
  local high, low = struct.unpack('>I2I4', message, at)
  return high * 4294967296 + low
end

-- false for a message that a foreign client wrote without a head
local function hasHead(message)
  return string.byte(message) == 49 and #message > 13
end

-- the slot of a recurring message as text, after '+' if it has not been used yet; nil for any other message
local function slotOf(message)
  return message and string.byte(message, 14) == 43 and string.byte(message) == 49 and string.match(message, '^%+%S* r=(%+?%d+)', 14)
end
