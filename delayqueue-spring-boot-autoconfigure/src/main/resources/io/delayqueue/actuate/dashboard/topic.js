/* The view of a topic: whether it is late and why, upcoming messages, its messages and dead letters. */

import { deleteTopic, job, limit, pauseTopic, pauseTopicAt, review } from './actions.js';
import { Rejection } from './api.js';
import { nearest, sparkline } from './charts.js';
import { coming, loadUpcoming } from './coming.js';
import { button } from './confirm.js';
import { h } from './dom.js';
import { foundHere, isLate, levelOf } from './findings.js';
import { clock, count, lag, name, parkedText } from './format.js';
import * as history from './history.js';
import { holdersSection } from './holders.js';
import { groupsOf, jobsSection, loadGroups, loadJobs } from './jobs.js';
import { limitsBadge, limitsSection } from './limits.js';
import { deadLetters, loadDeadLetters, loadMessages, messages, newList } from './lists.js';
import { loadSlowestKeys, slowestKeysSection } from './order.js';
import { listenersOn, listenersSection } from './overview.js';
import { pausesSection } from './pauses.js';
import { loadSchedulesOf, schedulesSection } from './schedules.js';
import { found, headerField, newScan, runScan, searches } from './search.js';
import { shardsSection } from './shards.js';
import { loading, nodeNamed, page, state, TABS, topicLink, topicOf } from './state.js';
import { throughputSection } from './throughput.js';

export function title({ topic }) {
  return topic;
}

export async function load({ topic, tab }, signal) {
  const { data } = state;
  const known = topicOf(topic);
  if (!known) return;
  data.tab = tab || data.tab || (known.ready || !known.scheduled ? 'ready' : 'scheduled');
  await loadJobs(signal);
  await loadUpcoming(data, topic, signal);
  await loadSlowestKeys(data, known, signal);
  await loadSchedulesOf(data, known, signal);
  data.list = data.list || newList();
  if (searches(data)) {
    data.scan = data.scan || newScan(data.tab, data.header);
    if (!data.scan.begun) await runScan(data.scan, topic, signal);
    return;
  }
  try {
    if (data.tab === 'dead') {
      await loadGroups(data, topic, signal);
      await loadDeadLetters(data.list, topic, signal);
    }
    if (data.tab !== 'dead') await loadMessages(data.list, topic, data.tab, signal);
  } catch (error) {
    // The cursor of the page is no longer valid.
    if (!(error instanceof Rejection) || error.status !== 400 || data.list.cursors.length === 1) throw error;
    data.list = newList();
  }
}

export function draw({ topic }) {
  const known = topicOf(topic);
  if (!known) {
    return [
      crumbs(topic),
      h('p', { class: 'empty' }, 'There is no such topic. The first send or listener creates a topic.'),
    ];
  }
  return [
    crumbs(topic, known),
    said(known),
    figures(known),
    h('div', { class: 'pair' }, throughputSection(topic), coming(topic, isLate(known))),
    limitsSection(known),
    slowestKeysSection(state.data),
    schedulesSection(known, state.data),
    holdersSection(known),
    pausesSection(known),
    jobsSection(topic),
    listenersHere(known),
    shardsSection(known),
    lists(known),
  ];
}

function crumbs(topic, known) {
  const empty = known && !known.problem && !known.scheduled && !known.ready && !known.leased && !known.dead;
  return h(
    'div',
    { class: 'title' },
    h('nav', { 'aria-label': 'Where this is' }, h('a', { href: '#/' }, 'Topics')),
    h('h1', { id: 'heading', tabindex: '-1' }, name(topic)),
    known && known.paused ? h('span', { class: 'badge note' }, 'paused everywhere') : null,
    known ? limitsBadge(known) : null,
    known && !known.consumers.length ? h('span', { class: 'badge warn' }, 'no consumer') : null,
    known
      ? h(
          'div',
          { class: 'title-actions' },
          button(pauseTopic(known), known.paused ? 'Resume everywhere' : 'Pause everywhere'),
          known.paused ? null : button(pauseTopicAt(known), 'Pause at …'),
          known.shards === 1 ? button(limit(known), 'Limit …') : null,
          empty ? button(deleteTopic(known), 'Delete topic', null, 'danger') : null,
        )
      : null,
  );
}

function said(topic) {
  const { findings } = topic;
  return h(
    'section',
    { class: `verdict slim ${levelOf(topic)}`, 'aria-label': 'Verdict' },
    findings.length
      ? h('ul', { class: 'findings' }, findings.map(foundHere))
      : h(
          'p',
          null,
          topic.lagMillis
            ? `On time: the oldest due message has waited for ${lag(topic.lagMillis)}.`
            : 'On time: no due message is waiting.',
        ),
  );
}

function figures(topic) {
  const points = history.of(topic.topic);
  const { at: chosen } = state.data;
  const shown = nearest(points, chosen) || topic;
  const all = [
    ['Lag', 'lagMillis', lag(shown.lagMillis), isLate(topic) ? 'bad' : ''],
    ['Ready', 'ready', count(shown.ready), ''],
    ['Leased', 'leased', count(shown.leased), ''],
    ['Scheduled', 'scheduled', count(shown.scheduled), ''],
    ...(topic.parked ? [['Parked', 'parked', count(shown.parked), '']] : []),
    ['Dead letters', 'dead', count(shown.dead), ''],
  ];
  return h(
    'dl',
    { class: 'figures' },
    all.map(([what, field, text, level]) =>
      h(
        'div',
        { class: `card figure ${level}` },
        h('dt', null, what, shown === topic ? null : ` at ${clock(shown.at)}`),
        h('dd', null, text, sparkline(points, field, what, level, chosen)),
      ),
    ),
    h(
      'div',
      { class: 'card figure' },
      h('dt', null, 'Consumers'),
      h(
        'dd',
        null,
        count(topic.consumers.length),
        h(
          'ul',
          { class: 'consumers' },
          topic.consumers.map((node) => h('li', { key: node }, nodeNamed(node))),
        ),
      ),
    ),
  );
}

function listenersHere(topic) {
  const all = listenersOn(state.overview.nodes, topic.topic);
  return all.length ? listenersSection(all) : null;
}

/** The actions for all messages or dead letters of a topic. */
function forAll(topic, tab) {
  if (tab === 'dead' && topic.dead) {
    return [
      button(job('replay', topic), 'Replay all'),
      button(job('purge', topic), 'Purge all', null, 'danger'),
      topic.unreviewed ? button(review(topic), 'Mark as reviewed') : null,
    ];
  }
  if ((tab === 'scheduled' && topic.scheduled) || (tab === 'ready' && topic.ready)) {
    return [
      topic.scheduled ? button(job('run', topic), 'Run all now') : null,
      button(job('move', topic), 'Move all'),
      button(job('cancel', topic), 'Cancel all', null, 'danger'),
    ];
  }
  return null;
}

function lists(topic) {
  const { data } = state;
  const { tab } = data;
  const again = (previous) => {
    data.scan = previous || newScan(tab, data.header);
    runScan(data.scan, topic.topic)
      .catch((error) => {
        state.problem = error.message;
      })
      .then(page.redraw);
    page.redraw();
  };
  return h(
    'section',
    { class: 'card', 'aria-labelledby': 'lists' },
    h('h2', { class: 'unseen', id: 'lists' }, 'Messages'),
    h(
      'nav',
      { class: 'tabs', 'aria-label': 'Messages by state' },
      Object.entries(TABS).map(([each, [label, field]]) =>
        h(
          'a',
          { href: topicLink(topic.topic, each), 'aria-current': each === tab ? 'page' : null },
          label,
          field ? h('span', { class: 'tab-count' }, count(topic[field])) : null,
        ),
      ),
    ),
    h('div', { class: 'list-actions' }, headerField(), forAll(topic, tab)),
    topic.parked && tab === 'ready' ? h('p', { class: 'hint' }, `${parkedText(topic)}.`) : null,
    tab === 'dead' && topic.dead && data.groups && !data.header ? groupsOf(topic, data.groups) : null,
    !tab || !data.list || (searches(data) && !data.scan)
      ? loading()
      : searches(data)
        ? found(data.scan, again)
        : tab === 'dead'
          ? deadLetters(data.list)
          : messages(data.list, tab),
  );
}
