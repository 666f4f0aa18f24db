/* Pages of messages by state, of dead letters, and of schedules. */

import { cancel, purge, replay, reschedule, run } from './actions.js';
import { read } from './api.js';
import { button, menu } from './confirm.js';
import { h } from './dom.js';
import { bytes, count, counted, moment, name, payloadOf, words } from './format.js';
import { deadLetterLink, loading, messageLink, page, state } from './state.js';
import { table } from './table.js';

const PAGE = 25;
const PREVIEW = 120;

/** The state of a list of which one page is shown. */
export function newList() {
  return { cursors: [null], items: null, next: null, turning: false };
}

export async function loadMessages(list, topic, messageState, signal) {
  const cursor = list.cursors.at(-1);
  const response = await read('messages', { topic, state: messageState, count: PAGE, page: cursor }, signal);
  show(list, cursor, response.messages, response.next);
}

export async function loadDeadLetters(list, topic, signal) {
  const cursor = list.cursors.at(-1);
  const response = await read('dead', { topic, count: PAGE, page: cursor }, signal);
  show(list, cursor, response.deadLetters, response.next);
}

export async function loadSchedules(list, topic, signal) {
  const cursor = list.cursors.at(-1);
  const response = await read('schedules', { topic, count: PAGE, page: cursor }, signal);
  show(list, cursor, response.schedules, response.next);
}

function show(list, cursor, items, next) {
  // The user may have turned the page in the meantime.
  if (list.cursors.at(-1) !== cursor) return;
  Object.assign(list, { items, next, turning: false });
}

function pager(list) {
  const first = list.cursors.length === 1;
  if (first && !list.next) return null;
  // A disabled button would lose the focus.
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
  ready: 'No message is ready.',
  leased: 'No message is being handled.',
  scheduled: 'No message is scheduled.',
  suspect: 'No message is suspected to crash its process.',
  dead: 'No dead letter.',
};

export function messages(list, messageState) {
  if (list.items === null) return loading();
  const shown = list.items.length
    ? messageTable(list.items, messageState)
    : h('p', { class: 'empty' }, EMPTY[messageState]);
  return paged(list, shown);
}

/** A page of a list, with the buttons that turn it. */
export function paged(list, shown) {
  return h('div', { 'aria-busy': String(list.turning) }, shown, pager(list));
}

export function messageTable(items, messageState) {
  const leased = messageState === 'leased';
  const columns = [
    { label: 'Message', class: 'wide' },
    ...keyColumn(items),
    { label: 'Due' },
    ...(leased ? [{ label: 'Held by' }, { label: 'Lease ends' }] : []),
    { label: 'Attempts', class: 'number' },
    { label: 'Last failure', class: 'failure' },
    { label: '', class: 'actions' },
  ];
  const rows = items.map((message) => ({
    key: message.id,
    cells: [
      [h('a', { href: messageLink(message.topic, message.id) }, name(message.id)), parkedBadge(message), preview(message)],
      ...keyCell(items, message),
      moment(message.dueAt),
      ...(leased ? [name(message.holder || '–'), moment(message.leaseEnd)] : []),
      attempts(message),
      failure(message.lastFailure),
      messageActions(message, true),
    ],
  }));
  return table(`Messages: ${messageState}`, columns, rows, 'messages');
}

export function messageActions(message, inRow) {
  const scheduled = message.state !== 'leased';
  const about = `message ${message.id}`;
  const buttons = [
    message.state === 'scheduled' ? button(run(message), 'Run now', about) : null,
    scheduled ? button(reschedule(message), 'Reschedule', about) : null,
    button(cancel(message), 'Cancel', about, 'danger'),
  ];
  return inRow ? menu(buttons, about) : buttons;
}

/** The attempts of a message, its postponements, and its leases that ended without a settlement. */
export function attempts(message) {
  return [
    count(message.attempts),
    message.postponements && counted(message.postponements, 'postponement'),
    message.crashes && counted(message.crashes, 'crash', 'crashes'),
  ].filter(Boolean).join(', ');
}

/** The key of a message or dead letter; null if it has none. */
export function keyOf({ key }) {
  return key === undefined ? null : h('code', null, name(key));
}

/** A badge of a parked message. */
export function parkedBadge({ parked }) {
  return parked ? h('span', { class: 'badge', title: 'It waits for another message of its key.' }, 'parked') : null;
}

/** A column for keys, if there are any. */
function keyColumn(items) {
  return items.some(({ key }) => key !== undefined) ? [{ label: 'Key' }] : [];
}

function keyCell(items, holder) {
  return keyColumn(items).map(() => keyOf(holder) || '–');
}

/** The beginning of a payload; nothing if it is hidden. */
export function preview(holder) {
  const payload = payloadOf(holder);
  if (payload.hidden) return null;
  const text = payload.text === undefined ? bytes(payload.size) : payload.text;
  return h('span', { class: 'preview' }, words(text.length > PREVIEW ? `${text.slice(0, PREVIEW)}…` : text));
}

/** The last failure of a message in short. */
export function failure(text) {
  return text
    ? h('span', { class: 'failure-text', title: text }, words(shortFailure(text)))
    : h('span', { class: 'zero' }, '–');
}

/** Removes the package from a class name. */
export function shortFailure(text) {
  return text.replace(/^([\w$]+\.)+(?=[\w$]+(:|$))/, '');
}

export function deadLetters(list) {
  if (list.items === null) return loading();
  return paged(list, list.items.length ? deadLetterTable(list.items) : h('p', { class: 'empty' }, EMPTY.dead));
}

export function deadLetterTable(items) {
  const columns = [
    { label: 'Message', class: 'wide' },
    ...keyColumn(items),
    { label: 'Dead-lettered' },
    { label: 'Cause' },
    { label: 'Attempts', class: 'number' },
    { label: 'Failure', class: 'failure' },
    { label: '', class: 'actions' },
  ];
  const rows = items.map((deadLetter) => ({
    key: deadLetter.deadLetterId,
    cells: [
      [h('a', { href: deadLetterLink(deadLetter.topic, deadLetter.deadLetterId) }, name(deadLetter.id)), preview(deadLetter)],
      ...keyCell(items, deadLetter),
      moment(deadLetter.deadLetteredAt),
      causeBadge(deadLetter.cause),
      count(deadLetter.attempts),
      failure(deadLetter.failure && summary(deadLetter.failure)),
      deadLetterActions(deadLetter, true),
    ],
  }));
  return table('Dead letters, newest first', columns, rows, 'messages');
}

export function deadLetterActions(deadLetter, inRow) {
  const about = `the dead letter of ${deadLetter.id}`;
  const buttons = [button(replay(deadLetter), 'Replay', about), button(purge(deadLetter), 'Purge', about, 'danger')];
  return inRow ? menu(buttons, about) : buttons;
}

/** A dead letter's failure in one line. */
export function summary(failed) {
  return failed.message ? `${failed.type}: ${failed.message}` : failed.type;
}

const CAUSES = {
  attempts_spent: ['attempts spent', 'Its last permitted attempt failed.'],
  postponements_spent: ['postponements spent', 'Its handler, or a consumer, postponed it although it was postponed as often as permitted.'],
  crashed: ['crashed', 'Its leases ended repeatedly without a settlement, even in isolation, for example because its handler kills the process.'],
  expired: ['expired', 'It was claimed after its expiry.'],
  requested: ['requested', 'The handler, or a consumer, dead-lettered it.'],
  not_retryable: ['not retryable', 'Failures of this kind are not retried.'],
  unreadable: ['unreadable', 'The payload could not be converted to the type that the handler expects, or was not valid.'],
};

export function causeBadge(cause) {
  const [text, why] = CAUSES[cause] || [cause, null];
  return h('span', { class: 'badge bad', title: why }, text);
}
