/* Keyboard shortcuts of single keys, with help on "?". They can be disabled, as WCAG requires. */

import { h, patch } from './dom.js';
import { page, state, TABS, topicLink } from './state.js';

const OFF = 'delayqueue-keys-off';
const help = document.getElementById('help');

/** The keys in the order of the help, with what they do. */
const KEYS = [
  ['?', 'Show this help', () => open()],
  ['t', 'Topics', () => { location.hash = '#/'; }],
  ['/', 'Filter topics or messages, or find a message', () => (document.getElementById('filter') || document.getElementById('find-id')).focus()],
  ['f', 'Find a message', () => document.getElementById('find-id').focus()],
  ['u', 'Pause or resume updates', () => page.hold()],
  ['j', 'Next row', () => move(1)],
  ['k', 'Previous row', () => move(-1)],
  ...Object.entries(TABS).map(([tab, [label]], index) => [String(index + 1), `Tab ${label} of a topic`, () => show(tab)]),
];

function show(tab) {
  if (state.route.view === 'topic') location.hash = topicLink(state.route.topic, tab);
}

/** Moves the focus to the link of the next or previous row. */
function move(by) {
  const links = [...document.querySelectorAll('tbody [role="rowheader"] a')];
  const row = document.activeElement.closest('tr');
  const at = row ? links.findIndex((link) => row.contains(link)) : -1;
  const next = links[at < 0 ? (by > 0 ? 0 : links.length - 1) : at + by];
  if (next) next.focus();
}

function off() {
  try {
    return localStorage.getItem(OFF) === 'true';
  } catch {
    return false;
  }
}

function toggle(event) {
  try {
    localStorage.setItem(OFF, String(!event.target.checked));
  } catch {
    // without storage they stay enabled
  }
}

function open() {
  patch(
    help,
    h(
      'form',
      { method: 'dialog' },
      h('h2', { id: 'help-title' }, 'Keyboard shortcuts'),
      h('dl', { class: 'keys' }, KEYS.map(([key, what]) => h('div', null, h('dt', null, h('kbd', null, key)), h('dd', null, what)))),
      h('label', null, h('input', { type: 'checkbox', checked: !off(), onchange: toggle }), ' Enable keyboard shortcuts'),
      h('div', { class: 'buttons' }, h('button', { class: 'act' }, 'Close')),
    ),
  );
  help.showModal();
}

document.getElementById('keys').addEventListener('click', open);

document.addEventListener('keydown', (event) => {
  const { key, target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || off()) return;
  if (target.closest('input, select, textarea, dialog')) return;
  const known = KEYS.find(([each]) => each === key);
  if (!known) return;
  event.preventDefault();
  known[2]();
});
