/* Draws the findings of the endpoint. */

import { h } from './dom.js';
import { count, name, words } from './format.js';
import { releaseNamed } from './holders.js';
import { state, topicLink, topicOf } from './state.js';

const CLASSES = { critical: 'bad', warning: 'warn' };
const RANK = { bad: 2, warn: 1, ok: 0 };
const NAMES = 5;
/** The lists of messages that findings of a kind are about. */
const LISTS = { dead_letters: 'dead', retention: 'dead', suspects: 'suspect' };

/** The worst level of findings: bad, warn or ok. */
export function level(findings) {
  return findings.reduce((worst, each) => (RANK[CLASSES[each.level]] > RANK[worst] ? CLASSES[each.level] : worst), 'ok');
}

export function levelOf(topic) {
  return level(topic.findings);
}

/** The rank of a topic in the default order. */
export function urgency(topic) {
  return RANK[levelOf(topic)];
}

export function isLate(topic) {
  return topic.findings.some(({ kind }) => kind === 'late');
}

/** A finding of the overview, with links to its topics. */
export function found(finding) {
  const { kind, level: each, topics, count: concerned } = finding;
  const names = topics.slice(0, NAMES);
  const rest = concerned - names.length;
  return h(
    'li',
    { key: kind, class: CLASSES[each] },
    names.length === 1 && !rest ? [link(names[0], kind), ': '] : null,
    saying(finding),
    names.length > 1 || (names.length && rest)
      ? [' ', names.map((topic, index) => [index ? ', ' : null, link(topic, kind)]), rest ? ` and ${count(rest)} more` : null]
      : null,
    [' ', whatToDo(kind), concerned === 1 ? remedy(kind, names[0]) : null],
  );
}

/** A finding of a topic. */
export function foundHere(finding) {
  const { kind, level: each, topics } = finding;
  return h('li', { key: kind, class: CLASSES[each] }, saying(finding), ' ', whatToDo(kind), remedy(kind, topics[0]));
}

/** The button that ends what was found. */
function remedy(kind, topic) {
  return kind === 'leases' ? [' ', releaseNamed(topic)] : null;
}

/** The chapter of the runbook about a kind of findings. */
function whatToDo(kind) {
  const { runbook } = state.overview.links;
  return h('a', { class: 'to-do', href: `${runbook}#${kind}`, target: '_blank', rel: 'noreferrer' }, 'What to do');
}

const BROKEN = ['failing', 'unavailable', 'no_listener'];

/** Why messages of a topic would probably fail, or null. */
export function whyNotReplay(topic) {
  const known = topicOf(topic);
  if (!known) return null;
  const finding = known.findings.find(({ kind, level: each, node }) =>
    BROKEN.includes(kind) && (each === 'critical' || !node));
  return finding ? saying(finding) : known.paused ? 'The topic is paused.' : null;
}

function saying({ text, failure }) {
  return [words(text), failure ? [' ', h('code', null, words(failure))] : null];
}

function link(topic, kind) {
  return h('a', { href: topicLink(topic, LISTS[kind]) }, name(topic));
}
