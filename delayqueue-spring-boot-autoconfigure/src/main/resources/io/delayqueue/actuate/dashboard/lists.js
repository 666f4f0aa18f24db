/* Messages by state, failing messages and dead letters, page by page. */

import { cancel, purge, replay, reschedule, run } from './actions.js';
import { read } from './api.js';
import { button } from './ask.js';
import { h } from './dom.js';
import { bytes, count, counted, moment, name, time, words } from './format.js';
import { letterLink, loading, messageLink, page, state } from './state.js';
import { table } from './table.js';

const PAGE = 25;
const SCAN_PAGE = 100;
const SCAN = 1000;
const PREVIEW = 120;

/** A list of which one page is shown. */
export function newList() {
  return { cursors: [null], items: null, next: null, turning: false };
}

export async function loadMessages(list, topic, messageState, signal) {
  const cursor = list.cursors.at(-1);
  const answer = await read('messages', { topic, state: messageState, count: PAGE, page: cursor }, signal);
  show(list, cursor, answer.messages, answer.next);
}

export async function loadLetters(list, topic, signal) {
  const cursor = list.cursors.at(-1);
  const answer = await read('dead', { topic, count: PAGE, page: cursor }, signal);
  show(list, cursor, answer.letters, answer.next);
}

function show(list, cursor, items, next) {
  // somebody may have turned the page meanwhile
  if (list.cursors.at(-1) !== cursor) return;
  Object.assign(list, { items, next, turning: false });
}

function pager(list) {
  const first = list.cursors.length === 1;
  if (first && !list.next) return null;
  // not disabled, which would take the focus away
  const turn = (label, idle, change) =>
    h(
      'button',
      {
        type: 'button',
        class: 'act',
        'aria-disabled': idle ? 'true' : null,
        onclick: () => {
          if (idle) return;
          change();
          list.turning = true;
          page.redraw();
          page.refresh();
        },
      },
      label,
    );
  return h(
    'nav',
    { class: 'pager', 'aria-label': 'Pages' },
    turn('Previous', first || list.turning, () => list.cursors.pop()),
    h('span', null, `Page ${list.cursors.length}`),
    turn('Next', !list.next || list.turning, () => list.cursors.push(list.next)),
  );
}

const EMPTY = {
  ready: 'No message is due and waiting.',
  leased: 'No message is being handled.',
  scheduled: 'No message is scheduled.',
  dead: 'No dead letter.',
};

export function messages(list, messageState) {
  if (list.items === null) return loading();
  const shown = list.items.length
    ? messageTable(list.items, messageState)
    : h('p', { class: 'empty' }, EMPTY[messageState]);
  return paged(list, shown);
}

function paged(list, shown) {
  return h('div', { 'aria-busy': String(list.turning) }, shown, pager(list));
}

function messageTable(items, messageState) {
  const leased = messageState === 'leased';
  const columns = [
    { label: 'Message', class: 'wide' },
    { label: 'Due' },
    ...(leased ? [{ label: 'Held by' }, { label: 'Lease ends' }] : []),
    { label: 'Attempts', class: 'number' },
    { label: 'Last failure', class: 'failure' },
    { label: '', class: 'actions' },
  ];
  const rows = items.map((message) => ({
    key: message.id,
    cells: [
      [h('a', { href: messageLink(message.topic, message.id) }, name(message.id)), preview(message.payload)],
      moment(message.due),
      ...(leased ? [name(message.holder || '–'), moment(message.leaseEnd)] : []),
      count(message.attempts),
      failure(message.lastFailure),
      messageActions(message),
    ],
  }));
  return table(`Messages: ${messageState}`, columns, rows, 'messages');
}

export function messageActions(message) {
  const scheduled = message.state !== 'leased';
  const about = `message ${message.id}`;
  return [
    message.state === 'scheduled' ? button(run(message), 'Run now', about) : null,
    scheduled ? button(reschedule(message), 'Reschedule', about) : null,
    button(cancel(message), 'Cancel', about, 'danger'),
  ];
}

function preview(payload) {
  if (payload.hidden) return null;
  const text = payload.text === undefined ? bytes(payload.bytes) : payload.text;
  return h('span', { class: 'preview' }, words(text.length > PREVIEW ? `${text.slice(0, PREVIEW)}…` : text));
}

function failure(text) {
  return text
    ? h('span', { class: 'failure-text', title: text }, words(shortFailure(text)))
    : h('span', { class: 'zero' }, '–');
}

/** The last part of a class name is what people know it by. */
function shortFailure(text) {
  return text.replace(/^([\w$]+\.)+(?=[\w$]+(:|$))/, '');
}

export function letters(list, topic) {
  if (list.items === null) return loading();
  const columns = [
    { label: 'Message', class: 'wide' },
    { label: 'Died' },
    { label: 'Cause' },
    { label: 'Attempts', class: 'number' },
    { label: 'Failure', class: 'failure' },
    { label: '', class: 'actions' },
  ];
  const rows = list.items.map((letter) => ({
    key: letter.letterId,
    cells: [
      [h('a', { href: letterLink(topic, letter.letterId) }, name(letter.id)), preview(letter.payload)],
      moment(letter.diedAt),
      causeBadge(letter.cause),
      count(letter.attempts),
      failure(letter.failure && summary(letter.failure)),
      letterActions({ ...letter, topic }),
    ],
  }));
  const shown = rows.length
    ? table('Dead letters, the youngest first', columns, rows, 'messages')
    : h('p', { class: 'empty' }, EMPTY.dead);
  return paged(list, shown);
}

export function letterActions(letter) {
  const about = `the letter of ${letter.id}`;
  return [button(replay(letter), 'Replay', about), button(purge(letter), 'Purge', about, 'danger')];
}

/** A letter's failure in one line. */
export function summary(failed) {
  return failed.message ? `${failed.type}: ${failed.message}` : failed.type;
}

const CAUSES = {
  ATTEMPTS_SPENT: ['attempts spent', 'Its last permitted attempt failed.'],
  LEASE_OVER: ['lease over', 'Its last permitted attempt ended without an answer, as when a process is killed.'],
  EXPIRED: ['expired', 'It was claimed later than its expiry allows.'],
  BURIED: ['buried', 'The handler, or a consumer, buried it.'],
  NOT_RETRYABLE: ['not retryable', 'The failure is of a kind that is never retried.'],
  UNREADABLE: ['unreadable', 'The payload could not be converted into what the handler takes, or was not valid.'],
};

export function causeBadge(cause) {
  const [text, why] = CAUSES[cause] || [cause, null];
  return h('span', { class: 'badge bad', title: why }, text);
}

/** A look for messages that failed: those of each state in the order in which they will be tried again. */
export function newScan() {
  const looked = {};
  for (const each of ['leased', 'ready', 'scheduled']) looked[each] = { seen: 0, cursor: null, ended: false };
  return { looked, found: [], looking: false, begun: false, at: 0 };
}

export async function scan(look, topic, signal) {
  if (look.looking) return;
  look.looking = true;
  try {
    let left = SCAN;
    for (const [messageState, place] of Object.entries(look.looked)) {
      while (!place.ended && left > 0) {
        const query = { topic, state: messageState, count: SCAN_PAGE, page: place.cursor };
        const answer = await read('messages', query, signal);
        const failed = answer.messages.filter(({ lastFailure }) => lastFailure);
        const known = new Set(look.found.map(({ id }) => id));
        look.found.push(...failed.filter(({ id }) => !known.has(id)));
        place.seen += answer.messages.length;
        place.cursor = answer.next;
        place.ended = !answer.next;
        left -= answer.messages.length;
        page.redraw();
      }
    }
    look.at = Date.now();
    look.begun = true;
  } finally {
    look.looking = false;
  }
}

export function failing(look, again) {
  const seen = Object.values(look.looked).reduce((sum, place) => sum + place.seen, 0);
  const ended = Object.values(look.looked).every((place) => place.ended);
  const said = look.looking
    ? `Looking … ${counted(seen, 'message')} so far.`
    : ended
      ? `Looked at all ${counted(seen, 'live message')}.`
      : `Looked at ${counted(seen, 'message')}: those that are due next.`;
  return [
    h(
      'div',
      { class: 'scan' },
      h('p', null, said, ' ', look.at ? time(new Date(look.at).toISOString()) : null),
      h(
        'button',
        { type: 'button', class: 'act', disabled: look.looking || ended, onclick: () => again(look) },
        'Look further',
      ),
      h('button', { type: 'button', class: 'act', disabled: look.looking, onclick: () => again(null) }, 'Look again'),
    ),
    look.found.length
      ? messageTable(look.found, 'failing')
      : h('p', { class: 'empty' }, 'No message that failed is among them.'),
  ];
}
