-- Reads dead letters, youngest first, or one by its id.
--
-- KEYS[1..5] schedule, leases, messages, deliveries, meta  KEYS[6] dead  KEYS[7] deadLetters
-- ARGV[1] identity  ARGV[2] dead letter id, or '' for a page
-- ARGV[3] latest time of dead-lettering in ms  ARGV[4] offset  ARGV[5] count  ARGV[6] most bytes
-- result {'OK', now in µs, dead letter ids, records, times of dead-lettering ('' if a script stopped while it wrote the
--        dead letter)} | {'UNKNOWN'} | {'MISMATCH', identity}
-- cost   O(log N + offset + count); returns at least one dead letter, and stops at the byte bound
--@include keys
local deadKey, deadLettersKey = KEYS[6], KEYS[7]
--@include clock
local identity = redis.call('HGET', metaKey, 'identity')
--@include identity
local page = {ARGV[2], redis.call('ZSCORE', deadKey, ARGV[2]) or ''}
if ARGV[2] == '' then
  page = redis.call('ZREVRANGEBYSCORE', deadKey, ARGV[3], '-inf', 'WITHSCORES', 'LIMIT', ARGV[4], ARGV[5])
end
local found, records, deadLetteredAt, bytes = {}, {}, {}, 0
for i = 1, #page, 2 do
  local id = page[i]
  bytes = bytes + redis.call('HSTRLEN', deadLettersKey, id)
  if #found > 0 and bytes > tonumber(ARGV[6]) then
    break
  end
  local record = redis.call('HGET', deadLettersKey, id)
  found[#found + 1] = id
  records[#records + 1] = record
  deadLetteredAt[#deadLetteredAt + 1] = page[i + 1]
end
return {'OK', nowMicros, found, records, deadLetteredAt}
