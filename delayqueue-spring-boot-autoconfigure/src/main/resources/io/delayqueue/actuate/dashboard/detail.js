/* One message, or one dead letter. */

import { read, Refusal } from './api.js';
import { h } from './dom.js';
import { bytes, count, indented, moment, name, words } from './format.js';
import { causeBadge, letterActions, messageActions, summary } from './lists.js';
import { letterLink, loading, state, topicLink } from './state.js';

export function title({ id }) {
  return id;
}

export async function load(route, signal) {
  const { data } = state;
  const letter = route.view === 'letter';
  try {
    const found = letter
      ? await read('letter', { topic: route.topic, letter: route.id }, signal)
      : await read('message', { topic: route.topic, id: route.id }, signal);
    data.found = { ...found, topic: route.topic };
    data.gone = null;
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 404) throw error;
    data.gone = error.message;
  }
}

export function draw(route) {
  const { found, gone } = state.data;
  const letter = route.view === 'letter';
  return [
    h(
      'div',
      { class: 'title' },
      h(
        'nav',
        { 'aria-label': 'Where this is' },
        h('a', { href: '#/' }, 'Topics'),
        ' / ',
        h('a', { href: topicLink(route.topic, letter ? 'dead' : null) }, name(route.topic)),
      ),
      h('h1', { id: 'heading', tabindex: '-1' }, name(found ? found.id : route.id)),
      found && !gone
        ? h('div', { class: 'title-actions' }, letter ? letterActions(found) : messageActions(found))
        : null,
    ),
    gone ? notThere(route, gone, found) : null,
    found
      ? [letter ? letterFacts(found) : messageFacts(found), headers(found.headers), payload(found.payload)]
      : gone
        ? null
        : loading(),
  ];
}

function notThere(route, sentence, found) {
  return h(
    'div',
    { class: 'notice warn' },
    h('p', null, found ? 'It is gone by now; below is what it was. ' : null, words(sentence)),
    route.view === 'message'
      ? h(
          'p',
          null,
          'Acknowledged and cancelled messages leave nothing behind; one that was given up is among the ',
          h('a', { href: topicLink(route.topic, 'dead') }, 'dead letters'),
          '.',
          route.id.includes('@')
            ? [' Or is this the id ', h('a', { href: letterLink(route.topic, route.id) }, 'of a letter'), '?']
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
  return facts([
    ['State', h('span', { class: 'badge' }, message.state)],
    ['Due', moment(message.due)],
    ['Sent', moment(message.sent)],
    ['Attempts', count(message.attempts)],
    ['Held by', message.holder ? name(message.holder) : null],
    ['Lease ends', message.leaseEnd ? moment(message.leaseEnd) : null],
    ['Last failure', message.lastFailure ? h('span', { class: 'failed' }, words(message.lastFailure)) : null, 'long'],
  ]);
}

function letterFacts(letter) {
  const { failure } = letter;
  return [
    facts([
      ['Cause', causeBadge(letter.cause)],
      ['Died', moment(letter.diedAt)],
      ['Sent', letter.sent ? moment(letter.sent) : null],
      ['Due', letter.due ? moment(letter.due) : null],
      ['Attempts', count(letter.attempts)],
      ['Letter', h('code', null, name(letter.letterId))],
      ['Failure', failure ? h('span', { class: 'failed' }, words(summary(failure))) : null, 'long'],
    ]),
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

function payload(content) {
  const size = bytes(content.bytes);
  return h(
    'section',
    { class: 'card', 'aria-labelledby': 'payload' },
    h(
      'div',
      { class: 'card-head' },
      h('h2', { id: 'payload' }, 'Payload'),
      h('small', null, content.truncated ? `the beginning of ${size}` : size),
    ),
    content.hidden
      ? h('p', { class: 'empty' }, 'Not shown to you: see management.endpoint.delayqueue.show-payloads.')
      : content.text === undefined
        ? [
            h('p', { class: 'hint' }, 'Not text; in Base64:'),
            h('pre', { class: 'text', tabindex: '0' }, content.base64),
          ]
        : h('pre', { class: 'text', tabindex: '0' }, content.truncated ? content.text : indented(content.text)),
  );
}
