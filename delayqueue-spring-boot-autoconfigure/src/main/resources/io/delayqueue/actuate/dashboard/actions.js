/*
 * What can be done: where it is sent to, what is asked before (`title`, `about`, `text`, `verb`, and perhaps a `form`
 * that is `read`), what is `told` of the answer, and what follows then.
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
        ? 'It is being handled: the handler that runs is not stopped, but no retry follows.'
        : 'It will not be delivered. This can’t be undone.',
    verb: 'Cancel the message',
    told: ({ outcome }) => [
      name(id),
      outcome === 'CANCELLED' ? ' is cancelled.' : ' is cancelled; the handler that runs is not stopped.',
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
    title: 'When shall it be due?',
    about: [name(id), ' of topic ', name(topic)],
    text: 'Attempts made so far are kept.',
    verb: 'Reschedule',
    form: () => [
      h(
        'div',
        { class: 'fields' },
        h(
          'label',
          null,
          'From now on',
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
        'or at a date, in your time zone',
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
  if ((amount === '') === (date === '')) return { objection: 'Give either a time from now on or a date.' };
  if (date) return { dueAt: new Date(date).toISOString() };
  if (!(Number(amount) >= 0)) return { objection: 'A time from now on is zero or more.' };
  const seconds = Math.round(Number(amount) * UNITS[form.querySelector('[name="unit"]').value] * 1000) / 1000;
  return { delay: `PT${seconds}S` };
}

export function replay({ topic, letterId, id }) {
  return {
    path: 'replay',
    body: { topic, letter: letterId },
    title: 'Replay this dead letter?',
    about: [name(id), ' of topic ', name(topic)],
    text: 'Its message is due at once, with attempts from zero. The letter is gone then.',
    verb: 'Replay',
    told: () => [name(id), ' is replayed.'],
  };
}

export function purge({ topic, letterId, id }) {
  return {
    path: 'purge',
    body: { topic, letter: letterId },
    kind: 'danger',
    title: 'Purge this dead letter?',
    about: [name(id), ' of topic ', name(topic)],
    text: 'It is removed for good, with its payload.',
    verb: 'Purge the letter',
    told: () => ['The letter of ', name(id), ' is purged.'],
  };
}

export function replayAll({ topic, dead }) {
  return {
    path: 'replay-all',
    body: { topic },
    title: `Replay ${counted(dead, 'dead letter')}?`,
    about: ['all of topic ', name(topic)],
    text: 'Their messages are due at once, with attempts from zero. Letters whose id is live stay, and what can’t be read.',
    verb: 'Replay all',
    told: ({ count: replayed, kept }) => [
      `${counted(replayed, 'dead letter is', 'dead letters are')} replayed.`,
      kept ? ` ${counted(kept, 'letter stays: its', 'letters stay: their')} id is live, or can’t be read.` : '',
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
    text: 'They are removed for good, with their payloads.',
    verb: 'Purge all',
    told: ({ count: purged }) => [`${counted(purged, 'dead letter is', 'dead letters are')} purged.`],
  };
}

export function deleteTopic({ topic }) {
  return {
    path: 'delete-topic',
    body: { topic },
    kind: 'danger',
    title: 'Delete this topic?',
    about: name(topic),
    text: 'It is empty. It comes back with the next send or listener.',
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
      ? `All listeners of all nodes go on, but for those that are paused by themselves. ${count(ready)} ready.`
      : 'No listener of any node takes another message until it is resumed; what runs goes on.',
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
      ? `It takes messages again on node ${state.overview.node}.`
      : `On node ${state.overview.node} only: it takes no more messages until it is resumed; what runs goes on.`,
    verb: paused ? 'Resume here' : 'Pause here',
    told: () => ['Listener ', name(id), paused ? ' is resumed here.' : ' is paused here.'],
  };
}
