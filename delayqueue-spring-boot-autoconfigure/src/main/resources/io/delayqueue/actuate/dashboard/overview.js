/* The overview: whether topics are late and why, all topics, this node's listeners, and all nodes. */

import { pauseListener } from './actions.js';
import { sparkline } from './charts.js';
import { button } from './confirm.js';
import { h } from './dom.js';
import { count, counted, lag, name, relative, span, time, words } from './format.js';
import { found, isLate, level, levelOf, urgency } from './findings.js';
import * as history from './history.js';
import { jobsSection, loadJobs } from './jobs.js';
import { limitsBadge } from './limits.js';
import { latestDue } from './shards.js';
import { failedOf, hostOf, page, severalNodesRespond, state, topicLink, topicOf } from './state.js';
import { table } from './table.js';

const WORDS = { bad: 'critical', warn: 'needs attention', ok: 'well' };
/** The rows of topics by the topics of the last response. */
const drawn = new WeakMap();
/** The topics whose rows are near the viewport and have charts. */
const near = new Set();
let redrawing = false;
/** The maximum number of rows of listeners; those with failed attempts come first. */
const MAX_LISTENERS = 50;

export function title() {
  return 'Topics';
}

export async function load(route, signal) {
  await loadJobs(signal);
}

export function draw() {
  const { topics, nodes, formerNodes } = state.overview;
  return [
    h('h1', { class: 'unseen', id: 'heading', tabindex: '-1' }, 'Topics'),
    verdict(topics),
    totals(topics, nodes),
    jobsSection(),
    topicsSection(topics),
    listenersSection(listenersOn(nodes)),
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
    [sum('dead') === 1 ? 'Dead letter' : 'Dead letters', sum('dead')],
    [nodes.length === 1 ? 'Node' : 'Nodes', nodes.length],
  ];
  return h(
    'dl',
    { class: 'totals' },
    all.map(([what, number]) => h('div', null, h('dt', null, what), h('dd', null, count(number)))),
  );
}

const SORTS = {
  topic: (topic) => topic.topic.toLowerCase(),
  lagMillis: (topic) => topic.lagMillis,
  ready: (topic) => topic.ready,
  leased: (topic) => topic.leased,
  failed: (topic) => failedOf(topic.attempts),
  scheduled: (topic) => topic.scheduled,
  latestDue: (topic) => topic.latestDue && Date.parse(topic.latestDue),
  dead: (topic) => topic.dead,
  consumers: (topic) => topic.consumers.length,
};

function sorted(topics) {
  const { sort, descending } = state.settings;
  const known = SORTS[sort] || ((topic) => -urgency(topic));
  const of = (topic) => known(topic) ?? -1;
  const sign = descending ? -1 : 1;
  const byName = (one, other) => (SORTS.topic(one) < SORTS.topic(other) ? -1 : 1);
  const keyed = topics.map((topic) => ({ topic, value: of(topic) }));
  keyed.sort((one, other) =>
    one.value === other.value ? byName(one.topic, other.topic) : sign * (one.value < other.value ? -1 : 1),
  );
  return keyed.map(({ topic }) => topic);
}

function column(field, label, className) {
  const { sort, descending } = state.settings;
  return {
    label,
    class: className,
    sorted: sort !== field ? 'none' : descending ? 'descending' : 'ascending',
    onsort: () => {
      // Names are sorted in ascending order first, numbers in descending order. The third click restores the default
      // order.
      const first = field !== 'topic';
      if (sort !== field) Object.assign(state.settings, { sort: field, descending: first });
      else if (descending === first) state.settings.descending = !first;
      else Object.assign(state.settings, { sort: 'attention', descending: false });
      page.redraw();
    },
  };
}

function topicsSection(topics) {
  const { filter } = state.settings;
  const wanted = filter.toLowerCase();
  const shown = sorted(topics.filter(({ topic }) => topic.toLowerCase().includes(wanted)));
  const columns = [
    column('topic', 'Topic', 'wide'),
    column('lagMillis', 'Lag', 'number chart-of'),
    { label: 'Lag, 10 minutes', class: 'chart' },
    column('ready', 'Ready', 'number chart-of'),
    { label: 'Ready, 10 minutes', class: 'chart' },
    column('leased', 'Leased', 'number'),
    column('failed', 'Failed, 1 minute', 'number chart-of'),
    { label: 'Failed, 10 minutes', class: 'chart' },
    column('scheduled', 'Scheduled', 'number'),
    column('latestDue', 'Latest due', 'number'),
    column('dead', 'Dead letters', 'number'),
    column('consumers', 'Consumers', 'number'),
  ];
  return h(
    'section',
    { class: 'card', 'aria-labelledby': 'topics' },
    h(
      'div',
      { class: 'card-head' },
      h('h2', { id: 'topics' }, 'Topics'),
      topics.length < 2
        ? null
        : h('input', {
            class: 'filter',
            type: 'search',
            'aria-label': 'Show only topics whose name contains',
            placeholder: 'Filter by name',
            value: filter,
            oninput: (event) => {
              state.settings.filter = event.target.value;
              page.redraw();
            },
          }),
    ),
    topics.length === 0
      ? h('p', { class: 'empty' }, 'The first send or listener creates a topic.')
      : shown.length === 0
        ? h('p', { class: 'empty' }, 'No topic matches the filter.')
        : table('Topics, those that need attention first', columns, shown.map(topicRow), 'topics'),
  );
}

function topicRow(topic) {
  const charted = near.has(topic.topic);
  const known = drawn.get(topic);
  if (known && known.charted === charted) return known.row;
  const row = drawTopicRow(topic, charted);
  drawn.set(topic, { charted, row });
  return row;
}

/** Draws the charts of rows that come near the viewport, and removes those of others. */
function moved(topic, isNear) {
  if (isNear) near.add(topic);
  else near.delete(topic);
  if (redrawing) return;
  redrawing = true;
  requestAnimationFrame(() => {
    redrawing = false;
    page.redraw();
  });
}

function drawTopicRow(topic, charted) {
  const level = levelOf(topic);
  const points = history.of(topic.topic);
  const chart = (field, what, bad) =>
    charted ? sparkline(points, field, `${what} of ${topic.topic}`, bad ? 'bad' : '') : null;
  const zero = (number) => h('span', { class: number ? null : 'zero' }, count(number));
  const word = topic.problem ? 'unknown' : WORDS[level];
  return {
    key: topic.topic,
    class: level,
    onnear: (event) => moved(topic.topic, event.detail),
    cells: [
      [
        h('span', { class: `dot ${level}`, role: 'img', 'aria-label': word, title: word }),
        h('a', { href: topicLink(topic.topic) }, name(topic.topic)),
        topic.paused ? h('span', { class: 'badge note' }, 'paused') : null,
        limitsBadge(topic),
        topic.consumers.length ? null : h('span', { class: 'badge warn' }, 'no consumer'),
      ],
      h(
        'span',
        { class: isLate(topic) ? 'late' : topic.lagMillis ? null : 'zero' },
        lag(topic.lagMillis),
      ),
      chart('lagMillis', 'Lag', level === 'bad'),
      zero(topic.ready),
      chart('ready', 'Ready messages'),
      zero(topic.leased),
      failures(topic),
      chart('failed', 'Failed attempts', isFailing(topic)),
      zero(topic.scheduled),
      latestDue(topic),
      topic.dead ? h('a', { href: topicLink(topic.topic, 'dead') }, count(topic.dead)) : zero(topic.dead),
      h(
        'span',
        { title: topic.consumers.join(', '), class: topic.consumers.length ? null : 'none' },
        count(topic.consumers.length),
      ),
    ],
  };
}

function isFailing(topic) {
  return topic.findings.some(({ kind }) => kind === 'failing');
}

/** The failed attempts of the last minute and the number of all. */
function failures(topic) {
  const { attempts } = topic;
  if (!attempts) return h('span', { class: 'zero' }, '0');
  const failed = failedOf(attempts);
  return h(
    'span',
    { class: isFailing(topic) ? 'late' : failed ? null : 'zero', title: attempts.failure },
    failed ? `${count(failed)} of ${count(failed + attempts.succeeded)}` : '0',
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
  const own = listeners.map((listener) => ({ listener, node: here, own: true }));
  return [...reported, ...own].filter(({ listener }) => !topic || listener.topic === topic);
}

const LISTENER_STATES = { running: 'ok', unavailable: 'bad', fails_alone: 'bad', paused: 'warn', stopped: 'warn' };

function listenerRow({ listener, node, own }) {
  const { id, topic, kind, state: said, running, concurrency, unavailable, oldest, attempts } = listener;
  const known = topicOf(topic);
  const everywhere = said === 'running' && known && known.paused;
  const failed = failedOf(attempts);
  return {
    key: `${node.node} ${id}`,
    cells: [
      [name(id), kind === 'notifications' ? h('span', { class: 'badge' }, 'dead letters') : null],
      h('a', { href: topicLink(topic) }, name(topic)),
      hostOf(node),
      h(
        'span',
        { class: `badge ${everywhere ? 'note' : LISTENER_STATES[said]}`, title: unavailable && unavailable.failure },
        everywhere ? 'topic paused' : said.replace('_', ' '),
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
      own && said !== 'stopped' && !severalNodesRespond()
        ? button(pauseListener(listener), said === 'paused' ? 'Resume' : 'Pause', `listener ${id} on this node`)
        : null,
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
    severalNodesRespond()
      ? h(
          'p',
          { class: 'hint' },
          'Several nodes respond in turn. To pause a listener on one of them, open this page on that node.',
        )
      : null,
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
