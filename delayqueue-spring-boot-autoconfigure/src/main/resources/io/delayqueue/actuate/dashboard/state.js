/* The state of the page. The address contains the current view, so that each view can be linked to. */

import { h } from './dom.js';
import { name } from './format.js';

/** The lists of a topic by the word in the address: label, and the field with the number of entries. */
export const TABS = {
  ready: ['Ready', 'ready'],
  leased: ['Leased', 'leased'],
  scheduled: ['Scheduled', 'scheduled'],
  failing: ['Failing', null],
  dead: ['Dead letters', 'dead'],
  suspect: ['Suspects', 'suspects'],
};

/** All data that is drawn. */
export const state = {
  /** The last response and the time of its arrival by the browser's clock. */
  overview: null,
  respondedAt: 0,
  /** The jobs of the last day. */
  jobs: [],
  /** The reason why later requests failed, as a sentence. */
  problem: null,
  held: false,
  route: { view: 'overview' },
  /** The data of the current view. It is reset when the route changes. */
  data: {},
  /** Settings that are kept when the route changes: sorting and filters of topics, span of the histogram. */
  settings: { sort: 'attention', descending: false, filter: '', node: '', span: 'hour' },
};

/** Functions of the page's loop: draw the data at hand; request the data again and draw it; pause or resume updates. */
export const page = { redraw: () => {}, refresh: () => Promise.resolve(), hold: () => {} };

const openedAt = Date.now();
const SLOW = 2_000;

/**
 * A placeholder while data is loading; nothing if a problem is shown. The first response may take long if Redis does
 * not respond, because the application waits for it.
 */
export function loading() {
  if (state.problem) return null;
  const waiting = Date.now() - openedAt;
  const slow = !state.overview && waiting > SLOW;
  return h(
    'p',
    { class: 'empty' },
    slow
      ? `The application has not responded for ${Math.floor(waiting / 1000)} s. It may be waiting for Redis.`
      : 'Loading …',
  );
}

export function topicOf(name) {
  return state.overview ? state.overview.topics.find(({ topic }) => topic === name) : undefined;
}

/** The host of a node; its name if the host is unknown. Several nodes of a host are told apart by their processes. */
export function hostOf({ node, host, processId }) {
  return h('span', { title: `Node ${node}` }, name(host || node), processId ? ` · ${processId}` : null);
}

/** The host of the live or former node with a name, or that name. */
export function nodeNamed(node) {
  const { nodes, formerNodes } = state.overview;
  return hostOf([...nodes, ...formerNodes].find((each) => each.node === node) || { node });
}

/** The number of attempts that failed. */
export function failedOf(attempts) {
  return attempts ? attempts.retried + attempts.dead : 0;
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

export function deadLetterLink(topic, deadLetterId) {
  return `${topicLink(topic, 'dead-letter')}/${encodeURIComponent(deadLetterId)}`;
}

export function findLink(id) {
  return `#/find/${encodeURIComponent(id)}`;
}

/** Parses an address. An invalid address leads to the overview. */
export function parse(hash) {
  let parts;
  try {
    parts = hash.replace(/^#\/?/, '').split('/').map(decodeURIComponent);
  } catch {
    return { view: 'overview' };
  }
  const [kind, topic, tab, id] = parts;
  if (kind === 'find' && topic) return { view: 'find', id: topic };
  if (kind !== 'topic' || !topic) return { view: 'overview' };
  if ((tab === 'message' || tab === 'dead-letter') && id) return { view: tab, topic, id };
  return { view: 'topic', topic, tab: Object.hasOwn(TABS, tab) ? tab : null };
}
