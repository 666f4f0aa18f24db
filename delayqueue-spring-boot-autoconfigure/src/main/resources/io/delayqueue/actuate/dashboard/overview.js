/* The overview: whether topics are late and why, all topics, this node's listeners, and all nodes. */

import { pauseListener } from './actions.js';
import { sparkline } from './charts.js';
import { button } from './confirm.js';
import { h } from './dom.js';
import { count, counted, lag, name, relative, span, time, words } from './format.js';
import * as history from './history.js';
import { page, severalNodesRespond, state, topicLink } from './state.js';
import { table } from './table.js';
import { findings, isLate, levelOf, listenerFindings, urgency } from './verdict.js';

const WORDS = { bad: 'late', warn: 'needs attention', ok: 'on time' };

export function title() {
  return 'Topics';
}

export function draw() {
  const { topics, listeners, nodes } = state.overview;
  return [
    h('h1', { class: 'unseen', id: 'heading', tabindex: '-1' }, 'Topics'),
    verdict(topics),
    totals(topics, nodes),
    topicsSection(topics),
    h('div', { class: 'pair' }, listenersSection(listeners), nodesSection(nodes)),
  ];
}

function verdict(topics) {
  const unknown = topics.filter((topic) => topic.problem);
  const late = topics.filter(isLate).sort((one, other) => other.lagMillis - one.lagMillis);
  const others = topics.filter((topic) => !topic.problem && !isLate(topic) && findings(topic).length);
  const here = listenerFindings();
  const level = late.length || unknown.length ? 'bad' : others.length || here.length ? 'warn' : 'ok';
  return h(
    'section',
    { class: `verdict ${level}`, 'aria-labelledby': 'verdict' },
    h('h2', { id: 'verdict' }, headline(topics, late, unknown, others.length + here.length)),
    h(
      'ul',
      { class: 'findings' },
      [...late, ...unknown, ...others].map((topic) =>
        h(
          'li',
          { key: `topic ${topic.topic}`, class: levelOf(topic) },
          h('a', { href: topicLink(topic.topic) }, name(topic.topic)),
          ' ',
          words(
            findings(topic)
              .map(({ text }) => text)
              .join(' '),
          ),
        ),
      ),
      here.map(({ id, level: each, text }) => h('li', { key: `listener ${id}`, class: each }, words(text))),
    ),
  );
}

function headline(topics, late, unknown, others) {
  if (!topics.length) return 'No topics yet';
  const of = `of ${counted(topics.length, 'topic')}`;
  if (unknown.length) {
    return `The state of ${count(unknown.length)} ${of} is unknown${late.length ? `, ${count(late.length)} late` : ''}`;
  }
  if (late.length) return `${count(late.length)} ${of} late`;
  if (others) return `On time, but ${counted(others, 'finding needs', 'findings need')} attention`;
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
  scheduled: (topic) => topic.scheduled,
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
    column('scheduled', 'Scheduled', 'number'),
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
  const level = levelOf(topic);
  const points = history.of(topic.topic);
  const zero = (number) => h('span', { class: number ? null : 'zero' }, count(number));
  const word = topic.problem ? 'unknown' : WORDS[level];
  return {
    key: topic.topic,
    class: level,
    cells: [
      [
        h('span', { class: `dot ${level}`, role: 'img', 'aria-label': word, title: word }),
        h('a', { href: topicLink(topic.topic) }, name(topic.topic)),
        topic.paused ? h('span', { class: 'badge note' }, 'paused') : null,
        topic.consumers.length ? null : h('span', { class: 'badge warn' }, 'no consumer'),
      ],
      h(
        'span',
        { class: isLate(topic) ? 'late' : topic.lagMillis ? null : 'zero' },
        lag(topic.lagMillis),
      ),
      sparkline(points, 'lagMillis', `Lag of ${topic.topic}`, level === 'bad' ? 'bad' : ''),
      zero(topic.ready),
      sparkline(points, 'ready', `Ready messages of ${topic.topic}`),
      zero(topic.leased),
      zero(topic.scheduled),
      topic.dead ? h('a', { href: topicLink(topic.topic, 'dead') }, count(topic.dead)) : zero(topic.dead),
      h(
        'span',
        { title: topic.consumers.join(', '), class: topic.consumers.length ? null : 'none' },
        count(topic.consumers.length),
      ),
    ],
  };
}

function listenerRows(listeners) {
  return listeners.map((listener) => {
    const { id, topic, kind, running, paused, pausedEverywhere, permits } = listener;
    const said = !running
      ? ['warn', 'stopped']
      : paused
        ? ['warn', 'paused here']
        : pausedEverywhere
          ? ['note', 'topic paused']
          : ['ok', 'running'];
    const used = `${count(permits.used)} of ${count(permits.max)}`;
    return {
      key: id,
      cells: [
        [name(id), kind === 'notifications' ? h('span', { class: 'badge' }, 'dead letters') : null],
        h('a', { href: topicLink(topic) }, name(topic)),
        h('span', { class: `badge ${said[0]}` }, said[1]),
        h(
          'span',
          { class: 'permits' },
          h('meter', {
            min: '0',
            max: String(Math.max(1, permits.max)),
            value: String(permits.used),
            'aria-label': 'Permits in use',
          }),
          ' ',
          used,
        ),
        running && !severalNodesRespond()
          ? button(pauseListener(listener), paused ? 'Resume' : 'Pause', `listener ${id} on this node`)
          : null,
      ],
    };
  });
}

const LISTENER_COLUMNS = [
  { label: 'Listener', class: 'wide' },
  { label: 'Topic' },
  { label: 'State' },
  { label: 'Permits in use' },
  { label: '', class: 'actions' },
];

/** The listeners of the node that responds. */
export function listenersSection(listeners) {
  return h(
    'section',
    { class: 'card', 'aria-labelledby': 'listeners' },
    h(
      'div',
      { class: 'card-head' },
      h('h2', { id: 'listeners' }, 'Listeners on this node'),
      h('small', null, name(state.overview.node)),
    ),
    severalNodesRespond()
      ? h(
          'p',
          { class: 'hint' },
          'Several nodes respond in turn, each with its own listeners. Open this page on one of them.',
        )
      : null,
    listeners.length
      ? table('Listeners on this node', LISTENER_COLUMNS, listenerRows(listeners), 'listeners')
      : h('p', { class: 'empty' }, 'This node has no listeners.'),
  );
}

function nodesSection(nodes) {
  const rows = nodes.map(({ node, lastSeen, topics }) => ({
    key: node,
    cells: [
      [name(node), node === state.overview.node ? h('span', { class: 'badge' }, 'this node') : null],
      time(lastSeen, relative(lastSeen)),
      h('span', { title: topics.join(', ') }, counted(topics.length, 'topic')),
    ],
  }));
  return h(
    'section',
    { class: 'card', 'aria-labelledby': 'nodes' },
    h('div', { class: 'card-head' }, h('h2', { id: 'nodes' }, 'Nodes')),
    nodes.length
      ? table('Nodes', [{ label: 'Node', class: 'wide' }, { label: 'Last heartbeat' }, { label: 'Listens to' }], rows)
      : h('p', { class: 'empty' }, 'No node has listeners.'),
  );
}
