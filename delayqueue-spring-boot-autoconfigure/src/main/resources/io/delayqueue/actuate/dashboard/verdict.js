/* Whether a topic is late, and why: worst first, in sentences. */

import { count, counted, span } from './format.js';
import * as history from './history.js';
import { listenersOf, state } from './state.js';

/** Where no threshold is set: a sweep finds within 5 s what no signal announced; what is later than twice that has a reason. */
const LATE_MILLIS = 10_000;

/** Listeners claim ahead: such a multiple of what their handlers take at once waits for them, due and not late yet. */
const BACKLOG = 4;

const RANK = { bad: 2, warn: 1 };

/** Whether a topic's oldest due message waits for longer than it may, or than is plausible where nobody has said. */
export function isLate({ lagMillis, maxLagMillis }) {
  return maxLagMillis === undefined ? lagMillis >= LATE_MILLIS : lagMillis > maxLagMillis;
}

/** What is to be said of a topic: `level` is bad (late or unknown) or warn. Empty means that all is well. */
export function findings(topic) {
  if (topic.problem) return [{ level: 'bad', text: `Nobody can tell its state. ${topic.problem}` }];
  const found = [];
  const waiting = topic.ready + topic.scheduled;
  if (isLate(topic)) {
    const most = topic.maxLagMillis === undefined ? '' : `, which is more than ${span(topic.maxLagMillis)}`;
    found.push({ level: 'bad', text: `Late: its oldest due message has waited for ${span(topic.lagMillis)}${most}.` });
    for (const reason of reasons(topic)) found.push({ level: 'bad', text: reason });
  } else if (topic.paused) {
    found.push({ level: 'warn', text: 'Paused everywhere.' });
  } else if (!topic.consumers.length && waiting > 0) {
    found.push({
      level: 'warn',
      text: `No node listens to it, but ${counted(waiting, 'message waits', 'messages wait')}. Is the name mistyped?`,
    });
  }
  const busy = busyHere(topic);
  if (found.length === 0 && busy && topic.leased > BACKLOG * busy.permits.max * topic.consumers.length) {
    found.push({
      level: 'warn',
      text: `${count(topic.leased)} messages are leased, most of them waiting for a handler. ${usesAll(busy)}`,
    });
  }
  const died = history.growth(topic.topic, 'dead');
  if (died > 0) {
    const letters = counted(died, 'new dead letter', 'new dead letters');
    found.push({ level: 'warn', text: `${letters} in the last ${history.MINUTES} minutes.` });
  }
  return found;
}

function reasons(topic) {
  const waiting = counted(topic.ready, 'message is', 'messages are');
  if (topic.paused) return [`It is paused everywhere; ${waiting} ready.`];
  if (!topic.consumers.length) return [`No node listens to it; ${waiting} ready. Is the name mistyped?`];
  const found = [];
  const here = listenersOf(topic.topic);
  const idle = here.filter(({ running, paused }) => !running || paused);
  for (const { id, running } of idle)
    found.push(`Listener ${id} ${running ? 'is paused' : 'does not run'} on this node.`);
  const trend = history.perMinute(topic.topic, 'ready');
  if (trend !== null && trend >= 1) {
    found.push(`More comes due than is handled: ready grows by ${count(Math.round(trend))} a minute.`);
  } else if (trend !== null && trend <= -1) {
    found.push(`It is catching up: ready is empty in about ${span((topic.ready / -trend) * 60_000)} at this pace.`);
  }
  const busy = busyHere(topic);
  if (busy) found.push(usesAll(busy));
  if (!topic.leased && idle.length === 0) {
    const nodes = counted(topic.consumers.length, 'node listens', 'nodes listen');
    found.push(`Nothing is being handled although ${nodes}: see the health of the nodes.`);
  }
  return found.length ? found : [`${counted(topic.ready, 'message is', 'messages are')} ready.`];
}

function busyHere(topic) {
  return listenersOf(topic.topic).find(({ permits: { used, max } }) => max > 0 && used >= max);
}

function usesAll({ id, permits }) {
  return `Listener ${id} on this node uses all of its ${permits.max} permits: its handlers are slow, or may be too few.`;
}

/** The worst level of a topic: bad, warn or ok. */
export function levelOf(topic) {
  return findings(topic).reduce((worst, { level }) => (RANK[level] > (RANK[worst] || 0) ? level : worst), 'ok');
}

/** For sorting: what needs a person first. */
export function urgency(topic) {
  return RANK[levelOf(topic)] || 0;
}

/** What is to be said of this node's listeners. */
export function listenerFindings() {
  const found = [];
  for (const { id, running, paused } of state.overview.listeners) {
    if (!running) found.push({ level: 'warn', id, text: `Listener ${id} does not run on this node.` });
    else if (paused) found.push({ level: 'warn', id, text: `Listener ${id} is paused on this node.` });
  }
  return found;
}
