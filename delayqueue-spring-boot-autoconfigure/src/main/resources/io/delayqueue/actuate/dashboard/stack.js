/* Shows what the oldest handler of a listener does: the stack of its thread, which its node takes. */

import { read } from './api.js';
import { h, patch } from './dom.js';
import { span, words } from './format.js';
import { page } from './state.js';

const dialog = document.getElementById('confirm');
const AGAIN = 1000;
const ATTEMPTS = 20;

/** A button that shows the stack of the oldest handler of a listener on a node. */
export function stackButton(node, listener) {
  return h(
    'button',
    {
      type: 'button',
      class: 'act',
      'aria-label': `Stack of listener ${listener}`,
      'aria-haspopup': 'dialog',
      onclick: () => show(node, listener),
    },
    'Stack',
  );
}

async function show(node, listener) {
  const closed = new AbortController();
  dialog.addEventListener(
    'close',
    () => {
      closed.abort();
      patch(dialog);
      page.refresh();
    },
    { once: true },
  );
  draw(listener, h('p', { role: 'status' }, 'Asking the node …'));
  dialog.showModal();
  for (let attempt = 0; attempt < ATTEMPTS && !closed.signal.aborted; attempt++) {
    try {
      const { stack } = await read('stack', { node, listener }, closed.signal);
      if (stack) {
        draw(listener, stackOf(stack));
        return;
      }
    } catch (error) {
      if (!closed.signal.aborted) draw(listener, h('p', { role: 'alert' }, words(error.message)));
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, AGAIN));
  }
  if (!closed.signal.aborted) draw(listener, h('p', { role: 'alert' }, 'The node has not responded.'));
}

function stackOf({ handler, frames }) {
  if (!handler) return h('p', null, 'No handler is running.');
  return [
    h('p', null, words(`Message ${handler.id}, attempt ${handler.attempt}, for ${span(handler.timeMillis)}`)),
    frames.length
      ? h('pre', { class: 'text' }, frames.join('\n'))
      : h('p', null, 'No thread runs the handler, because it is asynchronous.'),
  ];
}

function draw(listener, content) {
  patch(
    dialog,
    h(
      'form',
      { method: 'dialog' },
      h('h2', { id: 'confirm-title' }, words(`Stack of listener ${listener}`)),
      h('div', { id: 'confirm-text' }, content),
      h('div', { class: 'buttons' }, h('button', { type: 'submit', class: 'act primary' }, 'Close')),
    ),
  );
}
