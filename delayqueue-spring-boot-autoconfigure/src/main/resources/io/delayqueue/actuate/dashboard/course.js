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

/** The course of a live message. Of failed attempts, the last failure is known. */
export function messageCourse({ state: its, sentAt, dueAt, attempts, postponements, holder, leaseEnd, lastFailure }) {
  const leased = its === 'leased';
  const ended = leased ? attempts - 1 : attempts;
  return course([
    { what: 'Sent', at: sentAt },
    postponements > 0 && { what: `Postponed ${counted(postponements, 'time')}` },
    ended > 0 && {
      what: ended === 1 ? 'Attempt 1 ended' : `Attempts 1 to ${ended} ended`,
      level: lastFailure ? 'bad' : null,
      more: [lastFailure && failed(lastFailure)],
    },
    leased && {
      what: `Attempt ${attempts} is claimed`,
      level: 'now',
      more: [['It was due ', moment(dueAt)], holder && ['Held by ', holderOf(holder)], ['Its lease ends ', moment(leaseEnd)]],
    },
    !leased && { what: attempts ? `Attempt ${attempts + 1} is due` : 'Due', at: dueAt, level: its === 'suspect' ? 'warn' : 'next' },
  ]);
}

/** The node of a consumer, whose name begins with that of its node. */
function holderOf(holder) {
  const node = holder.split('.')[0];
  const { nodes } = state.overview;
  return nodes.some((each) => each.node === node) ? nodeNamed(node) : name(holder);
}

/** The course of a dead letter. The node, start and duration of its last attempt are known, unless its process was killed. */
export function deadLetterCourse({ sentAt, dueAt, attempts, node, startedAt, handlingMillis, failure, deadLetteredAt, cause }) {
  return course([
    sentAt && { what: 'Sent', at: sentAt },
    dueAt && { what: 'Due', at: dueAt },
    attempts > 1 && { what: attempts === 2 ? 'Attempt 1 ended' : `Attempts 1 to ${attempts - 1} ended` },
    attempts > 0 && {
      what: `Attempt ${attempts}`,
      at: startedAt,
      level: failure ? 'bad' : null,
      more: [
        node && ['On ', nodeNamed(node)],
        handlingMillis !== undefined && `It took ${span(handlingMillis)}.`,
        failure && failed(summary(failure)),
      ],
    },
    { what: 'Dead-lettered', at: deadLetteredAt, level: 'bad', more: [causeBadge(cause)] },
  ]);
}
