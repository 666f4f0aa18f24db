-- fragment: ends the script unless the shard has the identity of the caller. Behind the identity of a topic with limits or a
-- hold stands LIMITED, so that scripts do not ask for the limits of others. needs: identity. gives: limited
local limited = false
if identity ~= ARGV[1] then
  limited = identity == ARGV[1] .. LIMITED
  if not limited then
    return identity and {'MISMATCH', (string.match(identity, '^%S*'))} or {'UNKNOWN'}
  end
end
