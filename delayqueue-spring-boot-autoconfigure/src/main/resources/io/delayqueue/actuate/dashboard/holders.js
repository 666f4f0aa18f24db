/* Shows the holders of old leases, and the buttons that release them. */

import { button } from './confirm.js';
import { h } from './dom.js';
import { count, name, span } from './format.js';
import { topicOf } from './state.js';
import { table } from './table.js';

function who({ client, host }) {
  return client ? ['HTTP client ', name(client)] : ['the application on ', name(host)];
}

/** Releases the leases of a topic that a client holds. */
function release(holder) {
  const { topic, client, node } = holder;
  return {
    path: 'release',
    body: { topic, client, node },
    title: 'Release these leases?',
    about: ['All leases of topic ', name(topic), ' that ', who(holder), ' has got'],
    text: 'They end within 10 s. Their messages are due as before, and the attempts do not count. If the client still works on a message, that message is handled twice, and the settlement of the client is rejected.',
    verb: 'Release',
    told: () => ['The leases of ', who(holder), ' are released within 10 s.'],
  };
}

function releaseButton(holder) {
  return button(release(holder), 'Release', `the leases of ${holder.client || holder.host}`);
}

/** The button that releases the leases of the client that a finding names. */
export function releaseNamed(topic) {
  const known = topicOf(topic);
  return known && known.holders.length ? releaseButton(known.holders[0]) : null;
}

const COLUMNS = [
  { label: 'Leases held by', class: 'wide' },
  { label: 'Leases', class: 'number' },
  { label: 'Oldest for', class: 'number' },
  { label: 'Oldest message', class: 'wide' },
  { label: 'Usually settled in', class: 'number' },
  { label: '', class: 'actions' },
];

/** The holders of old leases of a topic; nothing if there are none. */
export function holdersSection({ holders }) {
  return holders.length
    ? h(
        'section',
        { class: 'card', 'aria-labelledby': 'holders' },
        h('div', { class: 'card-head' }, h('h2', { id: 'holders' }, 'Leases of receivers')),
        table('Leases of receivers', COLUMNS, holders.map(holderRow), 'holders'),
      )
    : null;
}

function holderRow(holder) {
  const { client, node, leases, oldestMillis, id, usualMillis } = holder;
  return {
    key: JSON.stringify([client, node]),
    cells: [
      who(holder),
      count(leases),
      span(oldestMillis),
      name(id),
      usualMillis ? span(usualMillis) : '–',
      releaseButton(holder),
    ],
  };
}
