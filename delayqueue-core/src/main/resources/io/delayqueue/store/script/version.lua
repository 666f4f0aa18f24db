-- fragment: versions of messages. needs: head. A version is stored as a nonce of the form 'n' and sixteen digits. It therefore
-- needs no field of its own, and a repeat of the send is recognised by it.

-- the digits of a message's version; nil if it has none. The first line after the times starts at the given byte.
local function versionAt(text, at)
  return string.match(text, '^%+?n(%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d)[ \n]', at)
end

-- the greater version of a message and its successor, which may be nil; '' if neither has one
local function greatestVersion(message, successor)
  local version = hasHead(message) and versionAt(message, 14) or ''
  local other = successor and hasHead(successor) and versionAt(successor, 14) or ''
  return other > version and other or version
end
