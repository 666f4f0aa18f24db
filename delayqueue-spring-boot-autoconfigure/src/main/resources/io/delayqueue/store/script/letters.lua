-- Reads dead letters, youngest first, or one by its id.
--
-- KEYS[1..5] schedule, leases, messages, deliveries, meta  KEYS[6] dead  KEYS[7] letters
-- ARGV[1] identity  ARGV[2] letter id, or '' for a page
-- ARGV[3] died not after this (ms)  ARGV[4] offset  ARGV[5] count  ARGV[6] most bytes
-- result {'OK', now in µs, letter ids, records, died ('' if a death stopped midway)} | {'UNKNOWN'} | {'MISMATCH', identity}
-- cost   O(log N + offset + count); it ends at the byte bound, but gives at least one
--@include guard
local identity = redis.call('HGET', KEYS[5], 'identity')
if identity ~= ARGV[1] then
  return identity and {'MISMATCH', identity} or {'UNKNOWN'}
end
local page = {ARGV[2], redis.call('ZSCORE', KEYS[6], ARGV[2]) or ''}
if ARGV[2] == '' then
  page = redis.call('ZREVRANGEBYSCORE', KEYS[6], ARGV[3], '-inf', 'WITHSCORES', 'LIMIT', ARGV[4], ARGV[5])
end
local found, records, died, bytes = {}, {}, {}, 0
for i = 1, #page, 2 do
  local id = page[i]
  bytes = bytes + redis.call('HSTRLEN', KEYS[7], id)
  if #found > 0 and bytes > tonumber(ARGV[6]) then
    break
  end
  local record = redis.call('HGET', KEYS[7], id)
  found[#found + 1] = id
  records[#records + 1] = record
  died[#died + 1] = page[i + 1]
end
return {'OK', nowMicros, found, records, died}
