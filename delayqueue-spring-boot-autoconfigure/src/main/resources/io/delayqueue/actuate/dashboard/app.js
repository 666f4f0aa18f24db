/*
 * The page's loop: request, draw, wait. There is one request at a time, and none while the tab is hidden or updates
 * are paused. The address determines the view. A change of the address is drawn at once from the data at hand.
 */

import { read, Rejection } from './api.js';
import * as detail from './detail.js';
import { h, patch } from './dom.js';
import * as find from './find.js';
import { clock, name, now, setClock, span, words } from './format.js';
import * as history from './history.js';
import './keys.js';
import * as overview from './overview.js';
import { findLink, loading, messageLink, page, parse, state } from './state.js';
import * as topic from './topic.js';

const POLL_MILLIS = 2000;
const STALE_MILLIS = 3 * POLL_MILLIS;
const VIEWS = { overview, find, topic, message: detail, 'dead-letter': detail };

const byId = (id) => document.getElementById(id);
const content = byId('content');

let timer = null;
let lastPoll = null;
let lastAbort = new AbortController();
let suggested = null;
let offered;

/** Resolves when all data of the view has been requested again. */
async function refresh() {
  clearTimeout(timer);
  // A pending response may be outdated by the current change.
  lastAbort.abort();
  lastAbort = new AbortController();
  const before = lastPoll;
  const current = (async () => {
    await before;
    await poll(lastAbort.signal);
  })();
  lastPoll = current;
  await current;
  if (lastPoll === current && !document.hidden && !state.held) timer = setTimeout(refresh, POLL_MILLIS);
}

async function poll(signal) {
  if (signal.aborted) return;
  try {
    const at = Date.now();
    const response = await read('', { history: history.hasGap(now()), live: state.route.topic }, signal);
    setClock(response.time, (at + Date.now()) / 2);
    state.overview = response;
    history.record(response.topics, Date.parse(response.time));
    const view = VIEWS[state.route.view];
    if (view.load) await view.load(state.route, signal);
    state.respondedAt = Date.now();
    state.problem = null;
  } catch (error) {
    if (signal.aborted) return;
    state.problem = error instanceof Rejection ? error.message : `This page has a defect: ${error.message}`;
    if (!(error instanceof Rejection)) console.error(error);
  }
  redraw();
}

function redraw() {
  const age = Date.now() - state.respondedAt;
  const stale = state.overview !== null && (state.problem !== null || age > STALE_MILLIS);
  document.body.classList.toggle('stale', stale);
  drawBar(stale, age);
  patch(byId('problem'), state.problem ? h('p', { class: 'notification bad' }, words(state.problem), ' ', beforeThat()) : null);
  if (!state.overview) {
    patch(content, loading());
    return;
  }
  const kept = patch(content, VIEWS[state.route.view].draw(state.route));
  if (!kept) content.focus({ preventScroll: true });
}

function beforeThat() {
  return state.respondedAt ? `The data shown is from ${clock(state.respondedAt)}.` : 'Retrying.';
}

function drawBar(stale, age) {
  const { overview: known, held } = state;
  patch(
    byId('where'),
    known
      ? [
          h('span', { class: 'badge', title: 'Namespace' }, name(known.namespace)),
          ' ',
          h('span', { title: 'The node that responds' }, name(known.node)),
          known.writable
            ? null
            : h('span', { class: 'badge', title: 'management.endpoint.delayqueue.access' }, 'read-only'),
        ]
      : null,
  );
  const text = !known
    ? ''
    : held
      ? `Paused since ${clock(state.respondedAt)}`
      : stale
        ? `${span(Math.max(1000, age))} old`
        : 'Live';
  patch(
    byId('pulse'),
    h(
      'span',
      { class: `live ${held ? 'held' : stale ? 'old' : 'on'}`, title: `Last response: ${clock(state.respondedAt)}` },
      text,
    ),
    h('button', { type: 'button', class: `act ${held ? 'held' : ''}`, onclick: hold }, held ? 'Resume updates' : 'Pause updates'),
  );
  drawFind();
}

/** Selects the topic of the current view in the search form, unless the user has selected another. */
function drawFind() {
  const names = state.overview ? state.overview.topics.map((each) => each.topic) : [];
  const select = byId('find-topic');
  if (offered !== state.overview) {
    offered = state.overview;
    patch(
      select,
      h('option', { value: '' }, 'All topics'),
      names.map((each) => h('option', { key: each, value: each }, each)),
    );
  }
  const { topic: viewed } = state.route;
  if (viewed && viewed !== suggested && names.includes(viewed)) {
    suggested = viewed;
    select.value = viewed;
  }
}

function hold() {
  state.held = !state.held;
  clearTimeout(timer);
  redraw();
  if (!state.held) refresh();
}

function go() {
  const before = state.route;
  state.route = parse(location.hash);
  const sameTopic = before.topic === state.route.topic && before.view === state.route.view && before.view === 'topic';
  const { upcoming, upcomingOf, upcomingAt, slowestKeys, header } = state.data;
  state.data = sameTopic ? { upcoming, upcomingOf, upcomingAt, slowestKeys, header, tab: state.route.tab } : {};
  document.title = `${VIEWS[state.route.view].title(state.route)} · Delay queue`;
  redraw();
  refresh();
  return sameTopic;
}

window.addEventListener('hashchange', () => {
  const sameTopic = go();
  if (sameTopic) return;
  window.scrollTo(0, 0);
  const heading = byId('heading');
  if (heading) heading.focus({ preventScroll: true });
});

byId('find').addEventListener('submit', (event) => {
  event.preventDefault();
  const topicField = byId('find-topic');
  const idField = byId('find-id');
  if (!idField.value) idField.focus();
  else location.hash = topicField.value ? messageLink(topicField.value, idField.value) : findLink(idField.value);
});

byId('skip').addEventListener('click', (event) => {
  event.preventDefault();
  content.focus();
});

document.addEventListener('visibilitychange', () => {
  clearTimeout(timer);
  if (!document.hidden && !state.held) refresh();
});

// Update ages and countdowns.
setInterval(() => document.hidden || redraw(), 1000);

Object.assign(page, { redraw, refresh, hold });
go();
