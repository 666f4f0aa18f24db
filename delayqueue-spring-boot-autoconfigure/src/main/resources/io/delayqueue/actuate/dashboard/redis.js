/* The state of the Redis servers, one line for each. */

import { h } from './dom.js';
import { bytes, counted } from './format.js';

/** One line for the server, or for each master of a Cluster; null if nothing is known. */
export function redisLines(servers) {
  if (!servers.length) return null;
  return h(
    'ul',
    { 'aria-label': 'Redis' },
    servers.map((server) => h('li', { class: 'hint' }, line(server))),
  );
}

function line({ server, version, role, usedMemory, maxMemory, evictionPolicy, replicas, refusal }) {
  const parts = [
    version === 'unknown' ? null : version,
    role === 'unknown' || role === 'master' ? null : role,
    usedMemory < 0 ? null : memory(usedMemory, maxMemory),
    evictionPolicy === 'unknown' ? null : evictionPolicy,
    replicas < 0 ? null : counted(replicas, 'replica'),
    refusal ? `refuses writes: ${refusal}` : null,
  ];
  return `Redis ${[server, parts.filter(Boolean).join(', ')].filter(Boolean).join(': ')}`;
}

function memory(used, max) {
  return max > 0 ? `${bytes(used)} of ${bytes(max)} (${Math.round((used / max) * 100)} %)` : `${bytes(used)} used`;
}
