-- fragment: versions of messages. A version is stored as a nonce of the form 'n' and sixteen digits. It therefore needs
-- no field of its own, and a repeat of the send is recognised by it.

-- the digits of a message's version; nil if it has none. The first line after the times starts at the given byte.
local function versionAt(text, at)
  return string.match(text, '^%+?n(%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d)[ \n]', at)
end
