-- fragment: ends the script unless the shard has the identity of the caller. The stored identity of a topic with limits or a
-- hold ends with LIMITED, so that scripts read the limits of these topics only. needs: keys, identity. gives: limited
local limited = false
if identity ~= ARGV[1] then
  limited = identity == ARGV[1] .. LIMITED
  if not limited then
    return identity and {'MISMATCH', (string.match(identity, '^%S*'))} or {'UNKNOWN'}
  end
end
