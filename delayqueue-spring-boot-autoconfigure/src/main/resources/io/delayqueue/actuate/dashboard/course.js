/* The course of a message: its send, attempts and next steps in the order of their times, and the trace of its sender. */

import { h } from './dom.js';
import { counted, moment, name, span, words } from './format.js';
import { causeBadge, summary } from './lists.js';
import { nodeNamed, state } from './state.js';

const TRACE_PARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}/;
const B3 = /^([0-9a-f]{16}|[0-9a-f]{32})-[0-9a-f]{16}/;

/** The id of the trace in which a message was sent, or null: headers of W3C, or of B3 in one or several headers. */
export function traceId(headers) {
  if (!headers) return null;
  const { traceparent, b3 } = headers;
  const joined = `${headers['X-B3-TraceId']}-${headers['X-B3-SpanId']}`;
  const found = traceparent ? TRACE_PARENT.exec(traceparent) : B3.exec(b3 || joined);
  return found ? found[1] : null;
}

/** The trace in which a message was sent, as a link if the address of traces is known; null without a trace. */
export function trace(headers) {
  const id = traceId(headers);
  if (!id) return null;
  const { trace: address } = state.overview.links;
  return address
    ? h('a', { href: address.replaceAll('{traceId}', id), target: '_blank', rel: 'noreferrer' }, h('code', null, id))
    : h('code', null, id);
}

function course(steps) {
  return h(
    'section',
    { class: 'card', 'aria-labelledby': 'course' },
    h('h2', { id: 'course' }, 'Course'),
    h(
      'ol',
      { class: 'course' },
      steps
        .filter(Boolean)
        .map(({ what, at, level, more }) =>
          h(
            'li',
            { key: what, class: level },
            h('p', null, h('strong', null, what), at ? [' ', moment(at)] : null),
            (more || []).filter(Boolean).map((each) => h('p', null, each)),
          ),
        ),
    ),
  );
}

function failed(text) {
  return h('span', { class: 'failed' }, words(text));
}

/** The attempts that ended, the oldest first. Those whose lease ended have no stored failure, nor have the oldest of many. */
function endedAttempts(failures, ended) {
  const steps = [];
  let last = 0;
  for (const { attempt, failedAt, node, handlingMillis, failure } of [...failures].reverse()) {
    steps.push(endedFrom(last + 1, attempt - 1));
    steps.push({
      what: `Attempt ${attempt} failed`,
      at: failedAt,
      level: 'bad',
      more: [ranOn(node, handlingMillis), failed(failure)],
    });
    last = attempt;
  }
  return [...steps, endedFrom(last + 1, ended)];
}

function endedFrom(first, last) {
  return first <= last && { what: first === last ? `Attempt ${first} ended` : `Attempts ${first} to ${last} ended` };
}

/** Where an attempt ran and how long it took, as far as it is known. */
function ranOn(node, handlingMillis) {
  if (handlingMillis === undefined) return node && ['On ', nodeNamed(node)];
  return node ? ['On ', nodeNamed(node), `, for ${span(handlingMillis)}`] : `For ${span(handlingMillis)}`;
}

/** The course of a live message. */
export function messageCourse({ state: its, sentAt, dueAt, attempts, postponements, holder, leaseEnd, failures }) {
  const leased = its === 'leased';
  return course([
    { what: 'Sent', at: sentAt },
    postponements > 0 && { what: `Postponed ${counted(postponements, 'time')}` },
    ...endedAttempts(failures, leased ? attempts - 1 : attempts),
    leased && {
      what: `Attempt ${attempts} is claimed`,
      level: 'now',
      more: [['It was due ', moment(dueAt)], holder && ['Held by ', holderOf(holder)], ['Its lease ends ', moment(leaseEnd)]],
    },
    !leased && { what: attempts ? `Attempt ${attempts + 1} is due` : 'Due', at: dueAt, level: its === 'suspect' ? 'warn' : 'next' },
  ]);
}

/** The node of a consumer, whose name begins with that of its node. */
export function holderOf(holder) {
  const node = holder.split('.')[0];
  const { nodes } = state.overview;
  return nodes.some((each) => each.node === node) ? nodeNamed(node) : name(holder);
}

/** The course of a dead letter. If its last attempt was killed or expired, `failure` is that of an attempt before. */
export function deadLetterCourse(deadLetter) {
  const { sentAt, dueAt, attempts, node, startedAt, handlingMillis, failure, failures, deadLetteredAt, cause } = deadLetter;
  const [newest] = failures;
  const own = failure && !(newest && newest.failure === summary(failure) && !startedAt);
  return course([
    sentAt && { what: 'Sent', at: sentAt },
    dueAt && { what: 'Due', at: dueAt },
    ...endedAttempts(failures, attempts - 1),
    attempts > (newest ? newest.attempt : 0) && {
      what: `Attempt ${attempts}`,
      at: startedAt,
      level: own ? 'bad' : null,
      more: [ranOn(node, handlingMillis), own && failed(summary(failure))],
    },
    { what: 'Dead-lettered', at: deadLetteredAt, level: 'bad', more: [causeBadge(cause)] },
  ]);
}
