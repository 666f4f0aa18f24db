/* Shows pauses of listeners, and the buttons and actions that begin and end them. */

import { button, menu } from './confirm.js';
import { h } from './dom.js';
import { moment, name } from './format.js';
import { nodeNamed, topicOf } from './state.js';
import { table } from './table.js';

/** Where a pause has effect; all nodes if it names none. */
function where(node) {
  return ['on ', node ? nodeNamed(node) : 'all nodes'];
}

/** Pauses a listener on one node, or on all nodes. */
function pauseListener({ id, topic }, node) {
  return {
    path: 'pause',
    body: { topic, listener: id, node },
    title: node ? 'Pause this listener on one node?' : 'Pause this listener on all nodes?',
    about: [name(id), ' of topic ', name(topic), ' ', where(node)],
    text: node
      ? 'It claims no messages there until it is resumed or the process ends: a restart ends this pause. Other nodes continue. Running handlers finish.'
      : 'It claims no messages on any node until it is resumed, also after restarts and deployments. Running handlers finish.',
    verb: node ? 'Pause on this node' : 'Pause on all nodes',
    told: () => ['Listener ', name(id), ' is paused ', where(node), '.'],
  };
}

/** Ends a pause. */
function resume({ topic, listener, node }) {
  const what = [listener ? 'Listener ' : 'Topic ', name(listener || topic)];
  return {
    path: 'resume',
    body: { topic, listener, node },
    title: 'End this pause?',
    about: [what, ' ', where(node)],
    text: 'Listeners claim messages again unless another pause includes them.',
    verb: 'Resume',
    told: () => [what, ' is resumed ', where(node), '.'],
  };
}

/** The pauses that include a listener of a node. */
export function pausesOf({ id, topic }, { node }) {
  const { pauses } = topicOf(topic) || { pauses: [] };
  return pauses.filter((pause) => (!pause.listener || pause.listener === id) && (!pause.node || pause.node === node));
}

/** What ends the narrowest pause of a listener, or pauses it. A listener that its application paused has none. */
export function pauseButtons(listener, node) {
  const { id, state } = listener;
  const host = node.host || node.node;
  const [narrowest] = pausesOf(listener, node).sort((one, other) => width(one) - width(other));
  if (narrowest) return button(resume(narrowest), 'Resume', `listener ${id} on ${narrowest.node ? host : 'all nodes'}`);
  if (state === 'paused' || state === 'stopped') return null;
  return menu(
    [
      button(pauseListener(listener, node.node), 'Pause on this node', `listener ${id} on ${host}`),
      button(pauseListener(listener), 'Pause on all nodes', `listener ${id}`),
    ],
    `listener ${id} on ${host}`,
  );
}

function width({ listener, node }) {
  return (listener ? 0 : 2) + (node ? 0 : 1);
}

const COLUMNS = [
  { label: 'Paused', class: 'wide' },
  { label: 'Where' },
  { label: 'Since' },
  { label: 'By' },
  { label: '', class: 'actions' },
];

/** The pauses of a topic; nothing if there are none. */
export function pausesSection({ topic, pauses }) {
  return pauses.length
    ? h(
        'section',
        { class: 'card', 'aria-labelledby': 'pauses' },
        h('div', { class: 'card-head' }, h('h2', { id: 'pauses' }, 'Pauses')),
        table('Pauses', COLUMNS, pauses.map((pause) => pauseRow(topic, pause)), 'pauses'),
      )
    : null;
}

function pauseRow(topic, pause) {
  const { listener, node, by, at } = pause;
  return {
    key: JSON.stringify([listener, node]),
    cells: [
      listener ? name(listener) : 'all listeners',
      where(node),
      moment(at),
      by ? name(by) : '–',
      button(resume(pause), 'Resume', listener ? `the pause of listener ${listener}` : `the pause of topic ${topic}`),
    ],
  };
}
