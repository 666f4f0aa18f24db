/* Shows the slowest keys of an ordered topic, what each waits for, and the button that lets its other messages pass. */

import { read } from './api.js';
import { button } from './confirm.js';
import { holderOf } from './course.js';
import { h } from './dom.js';
import { count, moment, name, relative, time } from './format.js';
import { attempts, failure } from './lists.js';
import { messageLink } from './state.js';
import { table } from './table.js';

export async function loadSlowestKeys(data, { topic, parked }, signal) {
  data.slowestKeys = parked ? (await read('slowest-keys', { topic }, signal)).keys : [];
}

/** A head that is rescheduled lets go of its key. */
function letOthersPass({ topic, id, key, dueAt }) {
  return {
    path: 'reschedule',
    body: { topic, id, dueAt },
    title: 'Let the others of this key pass?',
    about: [name(id), ' with key ', name(key), ' of topic ', name(topic)],
    text: 'It lets go of its key, and keeps its due time and attempts. Messages of the key that are due earlier are handled before it.',
    verb: 'Let others pass',
    told: () => [name(id), ' lets the others of its key pass.'],
  };
}

const COLUMNS = [
  { label: 'Key', class: 'wide' },
  { label: 'Parked', class: 'number' },
  { label: 'Waiting since' },
  { label: 'Head', class: 'wide' },
  { label: 'Attempts', class: 'number' },
  { label: 'Last failure', class: 'failure' },
  { label: '', class: 'actions' },
];

/** The slowest keys of a topic; nothing if there are none. */
export function slowestKeysSection({ slowestKeys }) {
  return slowestKeys && slowestKeys.length
    ? h(
        'section',
        { class: 'card', 'aria-labelledby': 'slowest' },
        h('div', { class: 'card-head' }, h('h2', { id: 'slowest' }, 'Slowest keys')),
        table('Slowest keys', COLUMNS, slowestKeys.map(keyRow), 'slowest'),
      )
    : null;
}

function keyRow({ key, parked, oldestDue, held, head }) {
  return {
    key,
    cells: [
      name(key),
      count(parked),
      moment(oldestDue),
      head ? [h('a', { href: messageLink(head.topic, head.id) }, name(head.id)), h('span', null, why(head, held))] : '–',
      head ? attempts(head) : '–',
      failure(head && head.lastFailure),
      head && held && head.state !== 'leased' ? button(letOthersPass(head), 'Let others pass', `message ${head.id}`) : null,
    ],
  };
}

/** What a head waits for itself. */
function why({ state: its, dueAt, holder }, held) {
  if (its === 'leased') return ['is being handled', holder ? [' on ', holderOf(holder)] : null];
  if (its === 'suspect') return 'waits to be handled in isolation';
  return [held ? 'waits for its next attempt, due ' : 'waits for a handler, due ', time(dueAt, relative(dueAt))];
}
