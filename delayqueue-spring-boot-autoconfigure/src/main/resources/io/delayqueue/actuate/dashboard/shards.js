/* Shows what each shard of a topic holds, and which node polls it. */

import { h } from './dom.js';
import { count, lag, relative, time } from './format.js';
import { nodeNamed } from './state.js';
import { table } from './table.js';

const COLUMNS = [
  { label: 'Shard', class: 'wide' },
  { label: 'Lag', class: 'number' },
  { label: 'Ready', class: 'number' },
  { label: 'Leased', class: 'number' },
  { label: 'Scheduled', class: 'number' },
  { label: 'Latest due', class: 'number' },
  { label: 'Dead letters', class: 'number' },
  { label: 'Node' },
];

/** The section of a topic with several shards. */
export function shardsSection({ shardCounts, assignedNodes }) {
  if (!shardCounts || !shardCounts.length) return null;
  const rows = shardCounts.map((shard, index) => ({
    key: String(index),
    cells: [
      String(index),
      lag(shard.lagMillis),
      count(shard.ready),
      count(shard.leased),
      count(shard.scheduled),
      latestDue(shard),
      count(shard.dead),
      assignedNodes[index] ? nodeNamed(assignedNodes[index]) : '–',
    ],
  }));
  return h(
    'section',
    { class: 'card', 'aria-labelledby': 'shards' },
    h('div', { class: 'card-head' }, h('h2', { id: 'shards' }, 'Shards')),
    table('Shards', COLUMNS, rows),
  );
}

/** When the last scheduled message of a topic or a shard is due. */
export function latestDue({ latestDue: latest }) {
  return latest ? time(latest, relative(latest)) : '–';
}
