/* Confirms an action, performs it, and shows the outcome. */

import { write } from './api.js';
import { h, patch } from './dom.js';
import { clock, counted, words } from './format.js';
import { page, state, writable } from './state.js';

const dialog = document.getElementById('confirm');
const outcome = document.getElementById('outcome');

/** A button for an action; nothing if the endpoint is read-only. */
export function button(action, label, about, kind) {
  if (!writable()) return null;
  return h(
    'button',
    {
      type: 'button',
      class: `act ${kind || ''}`,
      'aria-label': about ? `${label} ${about}` : null,
      'aria-haspopup': 'dialog',
      onclick: () => perform(action),
    },
    label,
  );
}

/** A menu of buttons; a single button stands alone. Escape and a click elsewhere close the menu. */
export function menu(buttons, about) {
  const items = buttons.filter(Boolean);
  return items.length < 2
    ? items
    : h(
        'details',
        { class: 'menu' },
        h('summary', { class: 'act', 'aria-label': `Actions for ${about}` }, '⋯'),
        h('div', null, items),
      );
}

/** Closes the open menu, and moves the focus from it to its button. */
function closeMenu(clicked) {
  const open = document.querySelector('.menu[open]');
  if (!open || (clicked && open.contains(clicked))) return;
  if (open.contains(document.activeElement)) open.querySelector('summary').focus();
  open.open = false;
}

document.addEventListener('click', ({ target }) => closeMenu(target));
document.addEventListener('keydown', ({ key }) => key === 'Escape' && closeMenu());

async function perform(action) {
  closeMenu();
  const form = await confirmed(action);
  if (!form) return;
  tell('busy', 'Working …');
  try {
    const response = await write(action.path, { ...action.body, ...form });
    tell('good', ...action.told(response));
    if (action.then) action.then(response);
  } catch (error) {
    // The object no longer exists, or its state does not permit the action.
    tell(error.status === 404 || error.status === 409 ? 'warn' : 'bad', words(error.message));
  }
  // Search for failing messages again.
  state.data.scan = null;
  await page.refresh();
}

/** Shows the outcome of an action until it is dismissed or replaced by the next one. */
export function tell(level, ...text) {
  const dismiss = h('button', { type: 'button', class: 'dismiss', onclick: () => patch(outcome) }, 'Dismiss');
  const said = [h('span', { class: 'said' }, ...text), h('small', null, clock(Date.now()))];
  patch(outcome, h('div', { class: `told ${level}` }, said, level === 'busy' ? null : dismiss));
}

function affected(number, object) {
  return number ? `This affects ${counted(number, object)}.` : `This affects no ${object}.`;
}

/** Opens the confirmation dialog. Resolves to the entered values, or to null if the action is not confirmed. */
function confirmed(action) {
  return new Promise((resolve) => {
    let confirmation = null;
    // The number of affected objects, and the time range in which they were counted.
    let expected = null;
    let previewed = null;
    const times = ({ from, until }) => JSON.stringify([from, until]);
    const preview = async (typed) => {
      try {
        ({ expected } = await write(action.path, { ...action.body, ...action.preview, ...typed, preview: 'true' }));
        previewed = times(typed);
        draw('');
      } catch (error) {
        draw(words(error.message));
      }
    };
    const draw = (objection) => {
      const objected = h('p', { class: 'objection', role: 'alert' }, objection);
      const back = h(
        'button',
        { type: 'button', class: 'act', id: 'confirm-back', onclick: () => dialog.close() },
        'Go back',
      );
      const go = h('button', { type: 'submit', class: `act primary ${action.kind || ''}`, id: 'confirm-go' }, action.verb);
      const form = action.form ? action.form() : null;
      patch(
        dialog,
        h(
          'form',
          { onsubmit: submit, novalidate: true },
          h('h2', { id: 'confirm-title' }, action.title),
          h('div', { id: 'confirm-text' }, h('p', { class: 'about' }, action.about), h('p', null, action.text)),
          action.warning
            ? h('p', { class: 'notification warn' }, 'Replayed messages may fail again. ', action.warning)
            : null,
          form,
          action.preview
            ? h('p', { class: 'expected', role: 'status' }, expected === null ? 'Counting …' : affected(expected, action.object))
            : null,
          objected,
          h('div', { class: 'buttons' }, back, go),
        ),
      );
    };
    const submit = (event) => {
      event.preventDefault();
      const typed = action.read ? action.read(dialog) : {};
      if (typed.objection) {
        draw(typed.objection);
        return;
      }
      if (action.preview && previewed !== times(typed)) {
        preview(typed);
        return;
      }
      confirmation = typed;
      dialog.close();
    };
    dialog.addEventListener(
      'close',
      () => {
        patch(dialog);
        if (document.activeElement === document.body) document.getElementById('content').focus();
        resolve(confirmation);
      },
      { once: true },
    );
    draw('');
    if (action.preview) preview({});
    dialog.showModal();
    (dialog.querySelector('[data-first]') || document.getElementById('confirm-back')).focus();
  });
}
