/* Shows the limits of a topic, and what they hold back. */

import { clearLimits, liftHold } from './actions.js';
import { button } from './confirm.js';
import { h } from './dom.js';
import { count, counted, heldBackText, limitsText, name, time } from './format.js';

/** A badge beside the name of a topic whose messages are held back; its title says by what. */
export function limitsBadge({ limits }) {
  const held = limits && heldBackText(limits);
  return held ? h('span', { class: 'badge note', title: held }, 'held back') : null;
}

/** The section of a topic with limits or a hold. */
export function limitsSection(topic) {
  const { limits } = topic;
  if (!limits) return null;
  const { declared, set, effective, used, full, heldBackSince, hold } = limits;
  const held = heldBackText(limits);
  const places = effective.maxConcurrent;
  return h(
    'section',
    { class: 'card', 'aria-labelledby': 'limits' },
    h(
      'div',
      { class: 'card-head' },
      h('h2', { id: 'limits' }, 'Limits'),
      h(
        'div',
        { class: 'title-actions' },
        hold ? button(liftHold(topic), 'Lift the hold') : null,
        set ? button(clearLimits(topic, false), 'Clear limits') : null,
        declared && !set ? button(clearLimits(topic, true), 'Clear declared limits') : null,
      ),
    ),
    h(
      'p',
      { class: 'sums' },
      h('span', null, limitsText(effective)),
      h('span', null, set ? 'set at run time' : declared ? 'declared by properties' : null),
      set && declared ? h('span', null, `declared: ${limitsText(declared)}`) : null,
      places ? h('span', null, `${count(used)} of ${counted(places, 'place')} used`) : null,
      held ? h('span', { class: 'late' }, held) : null,
      held ? h('span', null, 'since ', time(heldBackSince)) : null,
      full ? h('span', { class: 'late' }, 'full: sends are rejected') : null,
      hold
        ? h('span', null, 'message ', name(hold.by), ' holds it until ', time(hold.until), `, ${counted(hold.times, 'time')} in a row`)
        : null,
    ),
  );
}
