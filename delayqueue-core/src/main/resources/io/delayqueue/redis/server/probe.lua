-- Reads version, settings and clock of the server. Calls INFO with pcall, because INFO may be forbidden. Writes
-- nothing.
--
-- KEYS[1] any key of the queue; in a Cluster it selects the server
-- result {now in µs, version, maxmemory in bytes, maxmemory-policy, 1 | 0: append-only file}, '' for each unknown value
-- cost   4 commands
local clock = redis.call('TIME')

local function info(section)
  local reply = redis.pcall('INFO', section)
  return type(reply) == 'string' and reply or ''
end

local server = info('server')
local memory = info('memory')
local valkey = string.match(server, '\nvalkey_version:([^\r\n]+)')
return {
  clock[1] .. string.format('%06d', clock[2]),
  valkey and 'Valkey ' .. valkey or string.match(server, '\nredis_version:([^\r\n]+)') or '',
  string.match(memory, '\nmaxmemory:(%d+)') or '',
  string.match(memory, '\nmaxmemory_policy:([^\r\n]+)') or '',
  string.match(info('persistence'), '\naof_enabled:(%d)') or '',
}
