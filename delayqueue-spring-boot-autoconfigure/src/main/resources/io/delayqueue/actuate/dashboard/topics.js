/* The table of topics of the overview, with charts in the rows near the viewport. */

import { sparkline } from './charts.js';
import { h } from './dom.js';
import { isLate, levelOf, urgency } from './findings.js';
import { count, lag, name, parkedText, perSecond } from './format.js';
import * as history from './history.js';
import { limitsBadge } from './limits.js';
import { latestDue } from './shards.js';
import { failedOf, page, state, topicLink } from './state.js';
import { table } from './table.js';

const WORDS = { bad: 'critical', warn: 'needs attention', ok: 'well' };
/** The rows of topics by the topics of the last response. */
const drawn = new WeakMap();
/** The topics whose rows are near the viewport and have charts. */
const near = new Set();
let redrawing = false;

const SORTS = {
  topic: (topic) => topic.topic.toLowerCase(),
  lagMillis: (topic) => topic.lagMillis,
  ready: (topic) => topic.ready,
  leased: (topic) => topic.leased,
  sent: (topic) => topic.sent,
  handled: (topic) => topic.handled,
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

/** The topics whose name contains the filter, and of which the selected node is a consumer. */
export function topicsSection(topics) {
  const { filter, node } = state.settings;
  const wanted = filter.toLowerCase();
  const shown = sorted(
    topics.filter(({ topic, consumers }) => topic.toLowerCase().includes(wanted) && (!node || consumers.includes(node))),
  );
  const columns = [
    column('topic', 'Topic', 'wide'),
    column('lagMillis', 'Lag', 'number chart-of'),
    { label: '10 minutes', class: 'chart first' },
    column('ready', 'Ready', 'number'),
    column('leased', 'Leased', 'number'),
    column('sent', 'Sent', 'number'),
    column('handled', 'Handled', 'number chart-of'),
    { label: '10 minutes', class: 'chart' },
    column('failed', 'Failed', 'number chart-of'),
    { label: '10 minutes', class: 'chart' },
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
      nodeFilter(),
      topics.length < 2
        ? null
        : h('input', {
            class: 'filter',
            id: 'filter',
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
        ? h('p', { class: 'empty' }, node ? 'No topic of this node matches the filter.' : 'No topic matches the filter.')
        : table('Topics, those that need attention first', columns, shown.map(topicRow), 'topics'),
  );
}

/** Selects the node whose topics and listeners are shown; nothing if there is one node only. */
function nodeFilter() {
  const { nodes } = state.overview;
  if (!nodes.some(({ node }) => node === state.settings.node)) state.settings.node = '';
  if (nodes.length < 2) return null;
  const choose = (event) => {
    state.settings.node = event.target.value;
    page.redraw();
  };
  return h(
    'select',
    { class: 'node-filter', 'aria-label': 'Show only topics and listeners of a node', onchange: choose },
    h('option', { value: '' }, 'All nodes'),
    nodes.map(({ node, host, processId }) =>
      h('option', { key: node, value: node }, [host || node, processId ? ` · ${processId}` : null]),
    ),
  );
}

function topicRow(topic) {
  const charted = near.has(topic.topic);
  const chosen = charted ? state.data.at : null;
  const known = drawn.get(topic);
  if (known && known.charted === charted && known.chosen === chosen) return known.row;
  const row = drawTopicRow(topic, charted, chosen);
  drawn.set(topic, { charted, chosen, row });
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

function drawTopicRow(topic, charted, chosen) {
  const level = levelOf(topic);
  const points = history.of(topic.topic);
  const chart = (field, what, bad) =>
    charted ? sparkline(points, field, `${what} of ${topic.topic}`, bad ? 'bad' : '', chosen) : null;
  const rate = (number) => h('span', { class: number ? null : 'zero' }, perSecond(number));
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
        topic.parked ? h('span', { class: 'badge', title: parkedText(topic) }, `${count(topic.parked)} parked`) : null,
        topic.consumers.length ? null : h('span', { class: 'badge warn' }, 'no consumer'),
      ],
      h(
        'span',
        { class: isLate(topic) ? 'late' : topic.lagMillis ? null : 'zero' },
        lag(topic.lagMillis),
      ),
      chart('lagMillis', 'Lag', level === 'bad'),
      zero(topic.ready),
      zero(topic.leased),
      rate(topic.sent),
      rate(topic.handled),
      chart('handled', 'Handled messages'),
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
