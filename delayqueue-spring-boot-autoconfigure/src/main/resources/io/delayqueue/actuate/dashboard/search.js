/* Searches the messages or dead letters of a topic for those that failed, or that have a header. */

import { read } from './api.js';
import { h } from './dom.js';
import { counted, time } from './format.js';
import { deadLetterTable, messageTable } from './lists.js';
import { page, state } from './state.js';

const SCAN_PAGE = 100;
const SCAN = 1000;
const LIVE = ['leased', 'suspect', 'ready', 'scheduled'];

/** The state of a search in a tab, in the order of the tab; among failing messages, that of their next attempts. */
export function newScan(tab, header) {
  const states = {};
  for (const each of tab === 'failing' ? LIVE : [tab]) states[each] = { seen: 0, cursor: null, ended: false };
  return { tab, header, states, found: [], hidden: false, running: false, begun: false, at: 0 };
}

/** Whether the items of the view are searched instead of listed. */
export function searches({ tab, header }) {
  return tab === 'failing' || Boolean(header);
}

/** Whether headers contain one with a name, or with a name and a value: "tenant", "tenant=acme". */
export function hasHeader(headers, wanted) {
  const equals = wanted.indexOf('=');
  const key = (equals < 0 ? wanted : wanted.slice(0, equals)).trim();
  return Boolean(headers) && Object.hasOwn(headers, key) && (equals < 0 || headers[key] === wanted.slice(equals + 1).trim());
}

async function readPage(topic, itemState, cursor, signal) {
  const query = { topic, count: SCAN_PAGE, page: cursor };
  if (itemState === 'dead') {
    const { deadLetters, next } = await read('dead', query, signal);
    return { items: deadLetters, next };
  }
  const { messages, next } = await read('messages', { ...query, state: itemState }, signal);
  return { items: messages, next };
}

const idOf = (scan, item) => (scan.tab === 'dead' ? item.deadLetterId : item.id);

function matches({ tab, header }, item) {
  return (tab !== 'failing' || item.lastFailure) && (!header || hasHeader(item.headers, header));
}

export async function runScan(scan, topic, signal) {
  if (scan.running) return;
  scan.running = true;
  try {
    let left = SCAN;
    for (const [itemState, progress] of Object.entries(scan.states)) {
      while (!progress.ended && left > 0) {
        const { items, next } = await readPage(topic, itemState, progress.cursor, signal);
        const known = new Set(scan.found.map((item) => idOf(scan, item)));
        scan.found.push(...items.filter((item) => matches(scan, item) && !known.has(idOf(scan, item))));
        scan.hidden = scan.hidden || items.some(({ headers }) => headers === undefined);
        progress.seen += items.length;
        progress.cursor = next;
        progress.ended = !next;
        left -= items.length;
        page.redraw();
      }
    }
    scan.at = Date.now();
    scan.begun = true;
  } finally {
    scan.running = false;
  }
}

/** The field for the header of the messages that are shown. */
export function headerField() {
  const { data } = state;
  const change = (event) => {
    data.header = event.target.value.trim();
    data.scan = null;
    page.redraw();
    page.refresh();
  };
  return h('input', {
    class: 'filter',
    id: 'filter',
    type: 'search',
    'aria-label': 'Show only messages with a header',
    placeholder: 'Header, such as tenant=acme',
    value: data.header || '',
    onchange: change,
  });
}

/** What a search has found. */
export function found(scan, again) {
  const seen = Object.values(scan.states).reduce((sum, progress) => sum + progress.seen, 0);
  const ended = Object.values(scan.states).every((progress) => progress.ended);
  const dead = scan.tab === 'dead';
  const searched = dead ? counted(seen, 'dead letter') : counted(seen, 'message');
  const all = dead ? searched : counted(seen, 'live message');
  const said = scan.running
    ? `Searching … ${searched} so far.`
    : ended
      ? `Searched all ${scan.tab === 'failing' ? all : searched}.`
      : `Searched the next ${searched} ${dead ? 'by age' : 'by due time'}.`;
  const none =
    scan.header && scan.hidden
      ? 'Headers are hidden: see management.endpoint.delayqueue.show-payloads.'
      : scan.header
        ? 'None of them has this header.'
        : 'None of them has failed.';
  return [
    h(
      'div',
      { class: 'scan' },
      h('p', null, said, ' ', scan.at ? time(new Date(scan.at).toISOString()) : null),
      h(
        'button',
        { type: 'button', class: 'act', disabled: scan.running || ended, onclick: () => again(scan) },
        'Search further',
      ),
      h('button', { type: 'button', class: 'act', disabled: scan.running, onclick: () => again(null) }, 'Search again'),
    ),
    scan.found.length === 0
      ? h('p', { class: 'empty' }, none)
      : dead
        ? deadLetterTable(scan.found)
        : messageTable(scan.found, scan.tab),
  ];
}
