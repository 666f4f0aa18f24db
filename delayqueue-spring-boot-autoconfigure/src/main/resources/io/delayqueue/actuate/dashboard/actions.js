/*
 * The actions: the `path` and `body` of the request, the texts of the confirmation dialog (`title`, `about`, `text`,
 * `verb`, optionally a `form` and the function that `read`s it), the message about the outcome (`told`), and an
 * optional function that is called after it (`then`).
 */

import { h } from './dom.js';
import { count, counted, name } from './format.js';
import { state } from './state.js';

const UNITS = { seconds: 1, minutes: 60, hours: 3600, days: 86_400 };

export function cancel(message) {
  const { topic, id } = message;
  return {
    path: 'cancel',
    body: { topic, id },
    kind: 'danger',
    title: 'Cancel this message?',
    about: [name(id), ' of topic ', name(topic)],
    text:
      message.state === 'leased'
        ? 'A listener has claimed it. A running handler is not stopped, but the message is not retried.'
        : 'It will not be delivered. This cannot be undone.',
    verb: 'Cancel the message',
    told: ({ outcome }) => [
      name(id),
      outcome === 'cancelled' ? ' is cancelled.' : ' is cancelled. The running handler is not stopped.',
    ],
  };
}

export function run({ topic, id }) {
  return {
    path: 'run',
    body: { topic, id },
    title: 'Run this message now?',
    about: [name(id), ' of topic ', name(topic)],
    text: 'It becomes due at once.',
    verb: 'Run now',
    told: () => [name(id), ' is due now.'],
  };
}

export function reschedule({ topic, id }) {
  return {
    path: 'reschedule',
    body: { topic, id },
    title: 'Reschedule this message?',
    about: [name(id), ' of topic ', name(topic)],
    text: 'Its number of attempts is kept.',
    verb: 'Reschedule',
    form: () => [
      h(
        'div',
        { class: 'fields' },
        h(
          'label',
          null,
          'From now',
          h('input', {
            name: 'amount',
            type: 'number',
            min: '0',
            step: 'any',
            inputmode: 'decimal',
            'data-first': true,
          }),
        ),
        h(
          'label',
          null,
          'Unit',
          h(
            'select',
            { name: 'unit' },
            Object.keys(UNITS).map((unit) => h('option', { value: unit, selected: unit === 'minutes' }, unit)),
          ),
        ),
      ),
      h(
        'label',
        null,
        'or a date in your time zone',
        h('input', { name: 'date', type: 'datetime-local', step: '1' }),
      ),
    ],
    read: readDue,
    told: () => [name(id), ' is rescheduled.'],
  };
}

function readDue(form) {
  const amount = form.querySelector('[name="amount"]').value;
  const date = form.querySelector('[name="date"]').value;
  if ((amount === '') === (date === '')) return { objection: 'Enter either a time from now or a date.' };
  if (date) return { dueAt: new Date(date).toISOString() };
  if (!(Number(amount) >= 0)) return { objection: 'The time from now must be zero or more.' };
  const seconds = Math.round(Number(amount) * UNITS[form.querySelector('[name="unit"]').value] * 1000) / 1000;
  return { delay: `PT${seconds}S` };
}

export function replay({ topic, deadLetterId, id }) {
  return {
    path: 'replay',
    body: { topic, deadLetter: deadLetterId },
    title: 'Replay this dead letter?',
    about: [name(id), ' of topic ', name(topic)],
    text: 'Its message is due at once and its attempts start from zero. The dead letter is removed.',
    verb: 'Replay',
    told: () => [name(id), ' is replayed.'],
  };
}

export function purge({ topic, deadLetterId, id }) {
  return {
    path: 'purge',
    body: { topic, deadLetter: deadLetterId },
    kind: 'danger',
    title: 'Purge this dead letter?',
    about: [name(id), ' of topic ', name(topic)],
    text: 'It is removed permanently, including its payload.',
    verb: 'Purge the dead letter',
    told: () => ['The dead letter of ', name(id), ' is purged.'],
  };
}

export function replayAll({ topic, dead }) {
  return {
    path: 'replay-all',
    body: { topic },
    title: `Replay ${counted(dead, 'dead letter')}?`,
    about: ['all of topic ', name(topic)],
    text: 'Their messages are due at once and their attempts start from zero. Dead letters stay if a message with their id is live or if they cannot be read.',
    verb: 'Replay all',
    told: ({ replayed, kept }) => [
      `${counted(replayed, 'dead letter is', 'dead letters are')} replayed.`,
      kept ? ` ${counted(kept, 'dead letter was', 'dead letters were')} kept: a message with the same id is live, or the dead letter cannot be read.` : '',
    ],
  };
}

export function purgeAll({ topic, dead }) {
  return {
    path: 'purge-all',
    body: { topic },
    kind: 'danger',
    title: `Purge ${counted(dead, 'dead letter')}?`,
    about: ['all of topic ', name(topic)],
    text: 'They are removed permanently, including their payloads.',
    verb: 'Purge all',
    told: ({ purged }) => [`${counted(purged, 'dead letter is', 'dead letters are')} purged.`],
  };
}

export function deleteTopic({ topic }) {
  return {
    path: 'delete-topic',
    body: { topic },
    kind: 'danger',
    title: 'Delete this topic?',
    about: name(topic),
    text: 'It is empty. The next send or listener creates it again.',
    verb: 'Delete the topic',
    told: () => ['Topic ', name(topic), ' is deleted.'],
    then: () => {
      location.hash = '#/';
    },
  };
}

export function pauseTopic({ topic, paused, ready }) {
  return {
    path: paused ? 'resume' : 'pause',
    body: { topic },
    title: paused ? 'Resume this topic everywhere?' : 'Pause this topic everywhere?',
    about: name(topic),
    text: paused
      ? `All listeners on all nodes resume, except those that are paused individually. ${count(ready)} ready.`
      : 'No listener on any node claims messages until the topic is resumed. Running handlers finish.',
    verb: paused ? 'Resume everywhere' : 'Pause everywhere',
    told: () => ['Topic ', name(topic), paused ? ' is resumed everywhere.' : ' is paused everywhere.'],
  };
}

export function pauseListener({ id, topic, paused }) {
  return {
    path: paused ? 'resume' : 'pause',
    body: { listener: id },
    title: paused ? 'Resume this listener here?' : 'Pause this listener here?',
    about: [name(id), ' of topic ', name(topic)],
    text: paused
      ? `It claims messages again on node ${state.overview.node}.`
      : `It claims no messages on node ${state.overview.node} until it is resumed. Running handlers finish. Other nodes are not affected.`,
    verb: paused ? 'Resume here' : 'Pause here',
    told: () => ['Listener ', name(id), paused ? ' is resumed here.' : ' is paused here.'],
  };
}
