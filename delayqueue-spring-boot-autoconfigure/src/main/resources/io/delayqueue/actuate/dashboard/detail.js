/* The view of one message or one dead letter. */

import { read, Rejection } from './api.js';
import { deadLetterCourse, messageCourse, trace } from './course.js';
import { h } from './dom.js';
import { bytes, count, indented, moment, name, payloadOf, span, words } from './format.js';
import { attempts, causeBadge, deadLetterActions, keyOf, messageActions, parkedBadge } from './lists.js';
import { deadLetterLink, loading, state, topicLink } from './state.js';

export function title({ id }) {
  return id;
}

export async function load(route, signal) {
  const { data } = state;
  const deadLetter = route.view === 'dead-letter';
  try {
    data.found = deadLetter
      ? await read('dead-letter', { topic: route.topic, deadLetter: route.id }, signal)
      : await read('message', { topic: route.topic, id: route.id }, signal);
    data.gone = null;
  } catch (error) {
    if (!(error instanceof Rejection) || error.status !== 404) throw error;
    data.gone = error.message;
  }
}

export function draw(route) {
  const { found, gone } = state.data;
  const deadLetter = route.view === 'dead-letter';
  return [
    h(
      'div',
      { class: 'title' },
      h(
        'nav',
        { 'aria-label': 'Where this is' },
        h('a', { href: '#/' }, 'Topics'),
        ' / ',
        h('a', { href: topicLink(route.topic, deadLetter ? 'dead' : null) }, name(route.topic)),
      ),
      h('h1', { id: 'heading', tabindex: '-1' }, name(found ? found.id : route.id)),
      found && !gone
        ? h('div', { class: 'title-actions' }, deadLetter ? deadLetterActions(found) : messageActions(found))
        : null,
    ),
    gone ? notThere(route, gone, found) : null,
    found
      ? [deadLetter ? deadLetterFacts(found) : messageFacts(found), headers(found.headers), payload(found)]
      : gone
        ? null
        : loading(),
  ];
}

function notThere(route, sentence, found) {
  return h(
    'div',
    { class: 'notification warn' },
    h('p', null, found ? 'It no longer exists. Its last known state is shown below. ' : null, words(sentence)),
    route.view === 'message'
      ? h(
          'p',
          null,
          'Acknowledged and cancelled messages are removed. A message that was dead-lettered is among the ',
          h('a', { href: topicLink(route.topic, 'dead') }, 'dead letters'),
          '.',
          route.id.includes('@')
            ? [' Or is this the id ', h('a', { href: deadLetterLink(route.topic, route.id) }, 'of a dead letter'), '?']
            : null,
        )
      : null,
  );
}

function facts(pairs) {
  return h(
    'section',
    { class: 'card', 'aria-label': 'Facts' },
    h(
      'dl',
      { class: 'facts' },
      pairs
        .filter(([, value]) => value !== null)
        .map(([what, value, className]) =>
          h('div', { key: what, class: className }, h('dt', null, what), h('dd', null, value)),
        ),
    ),
  );
}

function messageFacts(message) {
  return [
    facts([
      ['State', [h('span', { class: 'badge' }, message.state), ' ', parkedBadge(message)]],
      ['Key', keyOf(message)],
      ['Attempts', attempts(message)],
      ['Trace', trace(message.headers)],
      ['Successor due', message.successor ? moment(message.successor.dueAt) : null],
    ]),
    messageCourse(message),
  ];
}

function deadLetterFacts(deadLetter) {
  const { failure } = deadLetter;
  return [
    facts([
      ['Cause', causeBadge(deadLetter.cause)],
      ['Key', keyOf(deadLetter)],
      ['Attempts', count(deadLetter.attempts)],
      ['Trace', trace(deadLetter.headers)],
      ['Dead letter', h('code', null, name(deadLetter.deadLetterId))],
    ]),
    deadLetterCourse(deadLetter),
    failure && failure.stack
      ? h(
          'section',
          { class: 'card', 'aria-labelledby': 'stack' },
          h('h2', { id: 'stack' }, 'Stack'),
          h('pre', { class: 'text', tabindex: '0' }, failure.stack),
        )
      : null,
  ];
}

function headers(all) {
  const pairs = Object.entries(all || {});
  if (!pairs.length) return null;
  return h(
    'section',
    { class: 'card', 'aria-labelledby': 'headers' },
    h('h2', { id: 'headers' }, 'Headers'),
    h(
      'dl',
      { class: 'facts' },
      pairs.map(([key, value]) => h('div', { key }, h('dt', null, name(key)), h('dd', null, h('code', null, words(value))))),
    ),
  );
}

function payload(holder) {
  const { text, base64, size, hidden, truncated } = payloadOf(holder);
  return h(
    'section',
    { class: 'card', 'aria-labelledby': 'payload' },
    h(
      'div',
      { class: 'card-head' },
      h('h2', { id: 'payload' }, 'Payload'),
      h('small', null, truncated ? `truncated, ${bytes(size)}` : bytes(size)),
    ),
    hidden
      ? h('p', { class: 'empty' }, 'Hidden: see management.endpoint.delayqueue.show-payloads.')
      : text === undefined
        ? [
            h('p', { class: 'hint' }, 'Binary data in Base64:'),
            h('pre', { class: 'text', tabindex: '0' }, base64),
          ]
        : h('pre', { class: 'text', tabindex: '0' }, truncated ? text : indented(text)),
  );
}
