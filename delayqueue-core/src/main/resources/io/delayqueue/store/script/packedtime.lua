-- fragment: writes a time of a stored message, see head.lua.

-- in two parts, because Redis' struct uses a C long, which has 32 bits on some servers
local function packedTime(ms)
  local low = ms % 4294967296
  return struct.pack('>I2I4', (ms - low) / 4294967296, low)
end
