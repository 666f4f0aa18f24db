/* What the page knows, and where it is: the address says it, so that each place can be linked to. */

import { h } from './dom.js';

export const TABS = {
  ready: 'Ready',
  leased: 'Leased',
  scheduled: 'Scheduled',
  failing: 'Failing',
  dead: 'Dead letters',
};

/** Everything that is drawn comes from here. */
export const state = {
  /** The last answer, and when it came by this clock. */
  overview: null,
  answeredAt: 0,
  /** Why there was none since, as a sentence. */
  problem: null,
  held: false,
  route: { view: 'overview' },
  /** What the present view has loaded or been told; begun anew with each route. */
  data: {},
  /** What outlives a route: how topics are sorted and filtered, the span of the histogram. */
  taste: { sort: 'attention', descending: false, filter: '', span: 'hour' },
};

/** Set by the page's loop: draw what is known; ask again, then draw. */
export const page = { redraw: () => {}, refresh: () => Promise.resolve() };

const ANSWERING = 60_000;
const answering = new Map();

/** Remembers which node answered when. */
export function answeredBy(node, at) {
  answering.set(node, at);
  for (const [each, last] of answering) {
    if (last < at - ANSWERING) answering.delete(each);
  }
}

/** Whether several nodes answer in turn, as behind a load balancer: then nobody knows which of them "here" is. */
export function isAnsweredByMany() {
  return answering.size > 1;
}

/** What stands in for what was asked and isn't there yet; nothing where it is told why it doesn't come. */
export function loading() {
  return state.problem ? null : h('p', { class: 'empty' }, 'Loading …');
}

export function topicOf(name) {
  return state.overview ? state.overview.topics.find(({ topic }) => topic === name) : undefined;
}

/** The listeners on this node that handle a topic's messages. */
export function listenersOf(topic) {
  return state.overview.listeners.filter((listener) => listener.topic === topic && listener.lane === 'messages');
}

export function writable() {
  return Boolean(state.overview && state.overview.writable);
}

export function topicLink(topic, tab) {
  return `#/topic/${encodeURIComponent(topic)}${tab ? `/${tab}` : ''}`;
}

export function messageLink(topic, id) {
  return `${topicLink(topic, 'message')}/${encodeURIComponent(id)}`;
}

export function letterLink(topic, letterId) {
  return `${topicLink(topic, 'letter')}/${encodeURIComponent(letterId)}`;
}

/** Reads an address; whatever makes no sense leads to the overview. */
export function parse(hash) {
  let parts;
  try {
    parts = hash.replace(/^#\/?/, '').split('/').map(decodeURIComponent);
  } catch {
    return { view: 'overview' };
  }
  const [kind, topic, tab, id] = parts;
  if (kind !== 'topic' || !topic) return { view: 'overview' };
  if ((tab === 'message' || tab === 'letter') && id) return { view: tab, topic, id };
  return { view: 'topic', topic, tab: Object.hasOwn(TABS, tab) ? tab : null };
}
