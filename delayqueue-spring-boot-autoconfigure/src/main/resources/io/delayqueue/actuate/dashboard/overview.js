/* The overview: whether topics are late and why, the throughput, what becomes due, all topics, the listeners, and all nodes. */

import { coming, loadUpcoming } from './coming.js';
import { h } from './dom.js';
import { count, counted, name, relative, span, time } from './format.js';
import { found, isLate, level } from './findings.js';
import { jobsSection, loadJobs } from './jobs.js';
import { pauseButtons, pausesOf } from './pauses.js';
import { redisLines } from './redis.js';
import { stackButton } from './stack.js';
import { failedOf, hostOf, page, state, topicLink } from './state.js';
import { table } from './table.js';
import { throughputSection } from './throughput.js';
import { topicsSection } from './topics.js';

/** The maximum number of rows of listeners; those with failed attempts come first. */
const MAX_LISTENERS = 50;

export function title() {
  return 'Topics';
}

export async function load(route, signal) {
  await loadJobs(signal);
  if (state.overview.topics.length) await loadUpcoming(state.data, null, signal);
}

export function draw() {
  const { topics, nodes, formerNodes } = state.overview;
  const { node: chosen } = state.settings;
  return [
    h('h1', { class: 'unseen', id: 'heading', tabindex: '-1' }, 'Topics'),
    verdict(topics),
    totals(topics, nodes),
    topics.length ? h('div', { class: 'pair' }, throughputSection(), coming(null, topics.some(isLate))) : null,
    redisLines(state.overview.redis),
    jobsSection(),
    topicsSection(topics),
    listenersSection(listenersOn(nodes).filter(({ node }) => !chosen || node.node === chosen)),
    nodesSection(nodes, formerNodes),
  ];
}

function verdict(topics) {
  const { findings } = state.overview;
  return h(
    'section',
    { class: `verdict ${level(findings)}`, 'aria-labelledby': 'verdict' },
    h('h2', { id: 'verdict' }, headline(topics, findings)),
    h('ul', { class: 'findings' }, findings.map(found)),
  );
}

function headline(topics, findings) {
  const critical = findings.filter((each) => each.level === 'critical').length;
  const warnings = findings.length - critical;
  if (findings.length) {
    return [critical && counted(critical, 'critical finding'), warnings && counted(warnings, 'warning')]
      .filter(Boolean)
      .join(', ');
  }
  if (!topics.length) return 'No topics yet';
  const worst = Math.max(...topics.map((topic) => topic.lagMillis));
  return `On time: ${worst ? `the oldest due message has waited for ${span(worst)}` : 'no due message is waiting'}`;
}

function totals(topics, nodes) {
  const sum = (field) => topics.reduce((total, topic) => total + (topic[field] || 0), 0);
  const all = [
    [topics.length === 1 ? 'Topic' : 'Topics', topics.length],
    ['Ready', sum('ready')],
    ['Leased', sum('leased')],
    ['Scheduled', sum('scheduled')],
    ...(sum('parked') ? [['Parked', sum('parked')]] : []),
    [sum('dead') === 1 ? 'Dead letter' : 'Dead letters', sum('dead')],
    [nodes.length === 1 ? 'Node' : 'Nodes', nodes.length],
  ];
  return h(
    'dl',
    { class: 'totals' },
    all.map(([what, number]) => h('div', null, h('dt', null, what), h('dd', null, count(number)))),
  );
}

/** The listeners of other nodes at their last heartbeats, and those of this node now. */
export function listenersOn(nodes, topic) {
  const { node: self, time: startedAt, listeners } = state.overview;
  const here = nodes.find(({ node }) => node === self) || { node: self, host: '', startedAt };
  const current = new Set(listeners.map(({ id }) => id));
  const reported = nodes.flatMap((node) =>
    node.listeners.filter(({ id }) => node !== here || !current.has(id)).map((listener) => ({ listener, node })),
  );
  const own = listeners.map((listener) => ({ listener, node: here }));
  return [...reported, ...own].filter(({ listener }) => !topic || listener.topic === topic);
}

const LISTENER_STATES = { running: 'ok', unavailable: 'bad', fails_alone: 'bad', paused: 'warn', stopped: 'warn' };

function whyNotRunning(said, pause, unavailable) {
  if (pause) return `By ${pause.by || 'an unknown user'}, ${relative(pause.at)}`;
  if (said === 'fails_alone') return 'It fails here and succeeds on another node. It claims one message a second until one succeeds.';
  return unavailable && unavailable.failure;
}

function listenerRow({ listener, node }) {
  const { id, topic, kind, state: said, running, concurrency, unavailable, oldest, attempts } = listener;
  const [pause] = pausesOf(listener, node);
  const shown = pause && said !== 'stopped' ? 'paused' : said;
  const failed = failedOf(attempts);
  return {
    key: `${node.node} ${id}`,
    cells: [
      [name(id), kind === 'notifications' ? h('span', { class: 'badge' }, 'dead letters') : null],
      h('a', { href: topicLink(topic) }, name(topic)),
      hostOf(node),
      h(
        'span',
        {
          class: `badge ${LISTENER_STATES[shown]}`,
          title: whyNotRunning(said, pause, unavailable),
        },
        shown.replace('_', ' '),
      ),
      h(
        'span',
        { class: 'permits' },
        h('meter', {
          class: running >= concurrency ? 'full' : null,
          min: '0',
          max: String(Math.max(1, concurrency)),
          value: String(running),
          'aria-label': 'Permits in use',
        }),
        ' ',
        `${count(running)} of ${count(concurrency)}`,
      ),
      oldest ? h('span', { title: `Message ${oldest.id}, attempt ${oldest.attempt}` }, span(oldest.timeMillis)) : '–',
      failed + attempts.succeeded ? span(attempts.handlingMillis) : '–',
      h(
        'span',
        { class: failed ? null : 'zero', title: attempts.failure },
        `${count(failed)} of ${count(failed + attempts.succeeded)}`,
      ),
      [oldest ? stackButton(node.node, id) : null, pauseButtons(listener, node)],
    ],
  };
}

const LISTENER_COLUMNS = [
  { label: 'Listener', class: 'wide' },
  { label: 'Topic' },
  { label: 'Node' },
  { label: 'State' },
  { label: 'Permits in use' },
  { label: 'Oldest handler', class: 'number' },
  { label: 'Mean handling', class: 'number' },
  { label: 'Failed, 1 minute', class: 'number' },
  { label: '', class: 'actions' },
];

/** Listeners of all nodes. */
export function listenersSection(listeners) {
  const ordered = [...listeners].sort(
    ({ listener: one }, { listener: other }) =>
      failedOf(other.attempts) - failedOf(one.attempts) ||
      other.running - one.running ||
      (one.id < other.id ? -1 : one.id > other.id ? 1 : 0),
  );
  const left = ordered.length - MAX_LISTENERS;
  return h(
    'section',
    { class: 'card', 'aria-labelledby': 'listeners' },
    h('div', { class: 'card-head' }, h('h2', { id: 'listeners' }, 'Listeners')),
    listeners.length
      ? table('Listeners', LISTENER_COLUMNS, ordered.slice(0, MAX_LISTENERS).map(listenerRow), 'listeners')
      : h('p', { class: 'empty' }, 'No node has listeners.'),
    left > 0 ? h('p', { class: 'hint' }, `${counted(left, 'more listener')} with fewer failed attempts.`) : null,
  );
}

const NODE_COLUMNS = [
  { label: 'Node', class: 'wide' },
  { label: 'Process', class: 'number' },
  { label: 'Started' },
  { label: 'Last heartbeat' },
  { label: 'Listens to' },
];

function nodesSection(nodes, formerNodes) {
  const row = (node, said) => ({
    key: node.node,
    cells: [
      [hostOf(node), said],
      node.processId ? String(node.processId) : '–',
      time(node.startedAt, relative(node.startedAt)),
      time(node.lastSeen, relative(node.lastSeen)),
      h('span', { title: node.topics.join(', ') }, counted(node.topics.length, 'topic')),
    ],
  });
  const rows = [
    ...nodes.map((node) =>
      row(node, node.node === state.overview.node ? h('span', { class: 'badge' }, 'this node') : null),
    ),
    ...formerNodes.map((node) =>
      row(node, h('span', { class: `badge ${node.failed ? 'warn' : ''}` }, node.failed ? 'failed' : 'stopped')),
    ),
  ];
  return h(
    'section',
    { class: 'card', 'aria-labelledby': 'nodes' },
    h('div', { class: 'card-head' }, h('h2', { id: 'nodes' }, 'Nodes')),
    rows.length
      ? table('Nodes', NODE_COLUMNS, rows)
      : h('p', { class: 'empty' }, 'No node has listeners.'),
  );
}
