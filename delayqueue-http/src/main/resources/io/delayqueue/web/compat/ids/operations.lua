-- Runs operations on the entries of ids, in their order. Also runs when memory is full.
--
-- KEYS[1..n] buckets
-- ARGV   for each operation: name, number of its key, id, then its arguments
-- result the results of the operations
-- cost   TIME, and the commands of the operations
--@include entry
local operations, arguments = {}, {}
--@include settle
--@include find
--@include remove
local replies, at = {}, 1
while ARGV[at] do
  local name = ARGV[at]
  local first, last = at + 3, at + 2 + arguments[name]
  replies[#replies + 1] = operations[name](KEYS[tonumber(ARGV[at + 1])], ARGV[at + 2], unpack(ARGV, first, last))
  at = last + 1
end
return replies
