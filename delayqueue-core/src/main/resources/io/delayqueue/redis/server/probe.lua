-- Reads version, settings, memory, replication and clock of the server, and whether it refuses writes. Calls INFO with
-- pcall, because INFO may be forbidden. Writes nothing: the ZADD would only update a member that does not exist.
--
-- KEYS[1] a key of the queue that never exists; in a Cluster it selects the server
-- result {now in µs, version, maxmemory in bytes, maxmemory-policy, 1 | 0: append-only file, used memory in bytes, role,
--        connected replicas, error of a write that needs memory}, '' for each unknown value and for no error
-- cost   6 commands
local clock = redis.call('TIME')

local function info(section)
  local reply = redis.pcall('INFO', section)
  return type(reply) == 'string' and reply or ''
end

local server = info('server')
local memory = info('memory')
local replication = info('replication')
local valkey = string.match(server, '\nvalkey_version:([^\r\n]+)')
-- the first write of the script: Redis checks the memory only before that
local written = redis.pcall('ZADD', KEYS[1], 'XX', 0, '')
return {
  clock[1] .. string.format('%06d', clock[2]),
  valkey and 'Valkey ' .. valkey or string.match(server, '\nredis_version:([^\r\n]+)') or '',
  string.match(memory, '\nmaxmemory:(%d+)') or '',
  string.match(memory, '\nmaxmemory_policy:([^\r\n]+)') or '',
  string.match(info('persistence'), '\naof_enabled:(%d)') or '',
  string.match(memory, '\nused_memory:(%d+)') or '',
  string.match(replication, '\nrole:([^\r\n]+)') or '',
  string.match(replication, '\nconnected_slaves:(%d+)') or '',
  type(written) == 'table' and written.err or '',
}
