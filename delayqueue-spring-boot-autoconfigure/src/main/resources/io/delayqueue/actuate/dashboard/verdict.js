/* Determines whether a topic is late and why, as sentences in descending severity. */

import { count, counted, span } from './format.js';
import * as history from './history.js';
import { listenersOf, state } from './state.js';

/** The default threshold: twice the sweep interval of 5 s, within which a due message is found without a signal. */
const LATE_MILLIS = 10_000;

/**
 * Listeners prefetch messages. A topic is reported if the leased messages exceed this multiple of the listener's
 * permits.
 */
const BACKLOG = 4;

const RANK = { bad: 2, warn: 1 };

/** Whether the lag of a topic exceeds its threshold or, if it has none, reaches the default threshold. */
export function isLate({ lagMillis, maxLagMillis }) {
  return maxLagMillis === undefined ? lagMillis >= LATE_MILLIS : lagMillis > maxLagMillis;
}

/** The findings about a topic: `level` is bad (late or unknown) or warn. Empty if the topic is on time. */
export function findings(topic) {
  if (topic.problem) return [{ level: 'bad', text: `Its state is unknown. ${topic.problem}` }];
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
      text: `No node listens to it, but ${counted(waiting, 'message is', 'messages are')} waiting. Is the name misspelled?`,
    });
  }
  const busy = busyHere(topic);
  if (found.length === 0 && busy && topic.leased > BACKLOG * busy.permits.max * topic.consumers.length) {
    found.push({
      level: 'warn',
      text: `${count(topic.leased)} messages are leased, most of them waiting for a handler. ${usesAll(busy)}`,
    });
  }
  const added = history.growth(topic.topic, 'dead');
  if (added > 0) {
    const deadLetters = counted(added, 'new dead letter', 'new dead letters');
    found.push({ level: 'warn', text: `${deadLetters} in the last ${history.MINUTES} minutes.` });
  }
  return found;
}

function reasons(topic) {
  const waiting = counted(topic.ready, 'message is', 'messages are');
  if (topic.paused) return [`It is paused everywhere; ${waiting} ready.`];
  if (!topic.consumers.length) return [`No node listens to it; ${waiting} ready. Is the name misspelled?`];
  const found = [];
  const here = listenersOf(topic.topic);
  const idle = here.filter(({ running, paused }) => !running || paused);
  for (const { id, running } of idle)
    found.push(`Listener ${id} ${running ? 'is paused' : 'does not run'} on this node.`);
  const trend = history.perMinute(topic.topic, 'ready');
  if (trend !== null && trend >= 1) {
    found.push(`More messages become due than are handled: ready messages grow by ${count(Math.round(trend))} per minute.`);
  } else if (trend !== null && trend <= -1) {
    found.push(`It is catching up: at this rate no message is ready in about ${span((topic.ready / -trend) * 60_000)}.`);
  }
  const busy = busyHere(topic);
  if (busy) found.push(usesAll(busy));
  if (!topic.leased && idle.length === 0) {
    const nodes = counted(topic.consumers.length, 'node listens', 'nodes listen');
    found.push(`No message is being handled although ${nodes}. Check the health of the nodes.`);
  }
  return found.length ? found : [`${counted(topic.ready, 'message is', 'messages are')} ready.`];
}

function busyHere(topic) {
  return listenersOf(topic.topic).find(({ permits: { used, max } }) => max > 0 && used >= max);
}

function usesAll({ id, permits }) {
  return `Listener ${id} on this node uses all of its ${permits.max} permits. Its handlers are slow or too few.`;
}

/** The worst level of a topic: bad, warn or ok. */
export function levelOf(topic) {
  return findings(topic).reduce((worst, { level }) => (RANK[level] > (RANK[worst] || 0) ? level : worst), 'ok');
}

/** The rank of a topic in the default order. */
export function urgency(topic) {
  return RANK[levelOf(topic)] || 0;
}

/** The findings about this node's listeners. */
export function listenerFindings() {
  const found = [];
  for (const { id, running, paused } of state.overview.listeners) {
    if (!running) found.push({ level: 'warn', id, text: `Listener ${id} does not run on this node.` });
    else if (paused) found.push({ level: 'warn', id, text: `Listener ${id} is paused on this node.` });
  }
  return found;
}
