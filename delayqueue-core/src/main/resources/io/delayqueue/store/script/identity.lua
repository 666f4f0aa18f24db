-- fragment: ends the script unless the shard has the identity of the caller. The stored identity of a topic that is ordered, or
-- has limits or a hold, ends with SPECIAL, so that the scripts spend time on these topics only. needs: keys, identity. gives:
-- special, keyed, and parkedDueKey of an ordered topic, see order.lua
local special, keyed, parkedDueKey = false, false, nil
if identity ~= ARGV[1] then
  special = identity == ARGV[1] .. SPECIAL
  if not special then
    return identity and {'MISMATCH', (string.match(identity, '^%S*'))} or {'UNKNOWN'}
  end
  keyed = string.find(ARGV[1], 'o', 1, true)
  parkedDueKey = keyed and KEYS[#KEYS - 1] or nil
end
