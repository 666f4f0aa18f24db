-- fragment: ends the script unless the shard has the identity of the caller. The stored identity of a topic that has keys, limits
-- or a hold ends with SPECIAL, so that the scripts spend time on these topics only. needs: keys, identity. gives: special; keyed
-- and fair, whether the messages have keys, and whether the keys share the starts of deliveries; parkedDueKey of a topic with keys and
-- activeKey of a fair one, see order.lua and fair.lua; AT_LIMIT, see fair.lua
local AT_LIMIT = 1000000000000000
local special, keyed, fair, parkedDueKey, activeKey = false, false, false, nil, nil
if identity ~= ARGV[1] then
  special = identity == ARGV[1] .. SPECIAL
  if not special then
    return identity and {'MISMATCH', (string.match(identity, '^%S*'))} or {'UNKNOWN'}
  end
  keyed = string.find(ARGV[1], '[of]') ~= nil
  fair = string.find(ARGV[1], 'f', 1, true) ~= nil
  parkedDueKey = keyed and KEYS[#KEYS - 1] or nil
  activeKey = fair and KEYS[#KEYS - 3] or nil
end
