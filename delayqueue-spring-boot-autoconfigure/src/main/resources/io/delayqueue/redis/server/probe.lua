-- Says what the server that runs it is like. Asks under pcall: INFO may be forbidden. Writes nothing.
--
-- KEYS[1] any key of the queue: in a Cluster it decides which server is asked
-- result {now in µs, version, maxmemory in bytes, maxmemory-policy, 1 | 0: append-only file}, '' for what it doesn't say
-- cost   4 commands
local clock = redis.call('TIME')

local function ask(section)
  local reply = redis.pcall('INFO', section)
  return type(reply) == 'string' and reply or ''
end

local server = ask('server')
local memory = ask('memory')
local valkey = string.match(server, '\nvalkey_version:([^\r\n]+)')
return {
  clock[1] .. string.format('%06d', clock[2]),
  valkey and 'Valkey ' .. valkey or string.match(server, '\nredis_version:([^\r\n]+)') or '',
  string.match(memory, '\nmaxmemory:(%d+)') or '',
  string.match(memory, '\nmaxmemory_policy:([^\r\n]+)') or '',
  string.match(ask('persistence'), '\naof_enabled:(%d)') or '',
}
