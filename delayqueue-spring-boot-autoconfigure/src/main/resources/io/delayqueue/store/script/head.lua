-- fragment: the head of a message: '1', then sent and due, each in six bytes as an unsigned number of ms since 1970, the
-- highest byte first, then the rest of its first line: empty | "<nonce>" | "+<nonce> <limits>". It is empty where the id
-- was generated for the send. A byte of a time may be a line feed: nobody may look for one before byte 14.

local pack = struct.pack

-- in halves, since Redis' struct counts in a C long, which some servers have with 32 bits
local function packedTime(ms)
  local low = ms % 4294967296
  return pack('>I2I4', (ms - low) / 4294967296, low)
end

-- sent at 2, due at 8
local function timeAt(message, at)
  local high, low = struct.unpack('>I2I4', message, at)
  return high * 4294967296 + low
end

-- what somebody else wrote may lack it
local function hasHead(message)
  return string.byte(message) == 49 and #message > 13
end
