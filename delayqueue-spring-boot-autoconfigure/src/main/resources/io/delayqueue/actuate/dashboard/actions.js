/*
 * The actions: the `path` and `body` of the request, the texts of the confirmation dialog (`title`, `about`, `text`,
 * optionally a `warning`, `verb`, optionally a `form` and the function that `read`s it), the additional parameters of the `preview` if the
 * endpoint counts the affected objects, the message about the outcome (`told`), and an optional function that is called
 * after it (`then`).
 */

import { h } from './dom.js';
import { whyNotReplay } from './findings.js';
import { count, counted, name, rateValue } from './format.js';
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
    warning: whyNotReplay(topic),
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

const JOBS = {
  replay: {
    verb: 'Replay',
    object: 'dead letter',
    text: 'Their messages are scheduled again and their attempts start from zero. Dead letters stay if a message with their id is live or if they cannot be read.',
    fields: () => [delayField(), rateField(), ...timeFields('Dead-lettered')],
  },
  purge: {
    verb: 'Purge',
    object: 'dead letter',
    kind: 'danger',
    text: 'They are removed permanently, including their payloads.',
    fields: () => timeFields('Dead-lettered'),
  },
  run: {
    verb: 'Run',
    object: 'message',
    text: 'All scheduled messages become due at once.',
    fields: () => [rateField()],
  },
  cancel: {
    verb: 'Cancel',
    object: 'message',
    kind: 'danger',
    text: 'Scheduled and ready messages will not be delivered. This cannot be undone.',
    fields: () => [],
  },
  move: {
    verb: 'Move',
    object: 'message',
    text: 'Scheduled and ready messages go to the other topic, with their ids, keys, due times, headers and payloads. Their attempts start from zero. A message stays if its id is live there.',
    fields: () => [
      field('To topic', { name: 'target', type: 'text', list: 'job-topics', 'data-first': true }),
      h('datalist', { id: 'job-topics' }, state.overview.topics.map((each) => h('option', { value: each.topic }))),
      rateField(),
    ],
  },
};

function field(label, props) {
  return h('label', null, label, h('input', props));
}

function delayField() {
  return field('Delay in minutes', { name: 'delay', type: 'number', min: '0', step: 'any', inputmode: 'decimal' });
}

function rateField() {
  return field('At most per second', { name: 'perSecond', type: 'number', min: '1', inputmode: 'numeric' });
}

function timeFields(what) {
  return [
    field(`${what} from`, { name: 'from', type: 'datetime-local', step: '1' }),
    field(`${what} until`, { name: 'until', type: 'datetime-local', step: '1' }),
  ];
}

/** Acts on all messages or dead letters of a topic, or on the dead letters of one kind. */
export function job(action, { topic }, kind) {
  const { verb, object, text, fields, kind: level } = JOBS[action];
  return {
    path: 'start-job',
    body: { action, topic, ...kind },
    kind: level,
    title: `${verb} ${object}s?`,
    about: [kind ? `${kind.cause.toLowerCase()} ${kind.exceptionType} ${kind.shape}, of topic ` : 'all of topic ', name(topic)],
    text: `${text} A job does this; you can stop it.`,
    warning: action === 'replay' ? whyNotReplay(topic) : null,
    verb,
    object,
    // the count does not depend on the target
    preview: action === 'move' ? { target: '?' } : {},
    form: () => h('div', { class: 'fields' }, fields()),
    read: readJob,
    told: ({ expected }) => [`Started: ${verb.toLowerCase()} ${counted(expected, object)}. Its progress is in the list of jobs.`],
  };
}

function readJob(form) {
  const typed = {};
  for (const { name: field, value } of form.querySelectorAll('input')) {
    if (value === '') continue;
    if (field === 'delay') {
      if (!(Number(value) >= 0)) return { objection: 'The delay must be zero or more.' };
      typed.delay = `PT${Math.round(Number(value) * 60)}S`;
    } else if (field === 'from' || field === 'until' || field === 'startAt') {
      typed[field] = new Date(value).toISOString();
    } else {
      typed[field] = value;
    }
  }
  if (form.querySelector('[name="target"]') && !typed.target) return { objection: 'Enter the topic to move to.' };
  return typed;
}

export function stopJob({ id, action, topic, done, expected }) {
  return {
    path: 'stop-job',
    body: { job: id },
    kind: 'danger',
    title: 'Stop this job?',
    about: [`${action} of topic `, name(topic)],
    text: `It has done ${count(done)} of ${count(expected)}. What it did is not undone.`,
    verb: 'Stop the job',
    told: () => ['The job is stopped.'],
  };
}

export function review({ topic, dead }) {
  return {
    path: 'review',
    body: { topic },
    title: 'Mark the dead letters as reviewed?',
    about: [counted(dead, 'dead letter'), ' of topic ', name(topic)],
    text: 'Reviewed dead letters stay, but no longer cause a warning. Dead letters that are added later do.',
    verb: 'Mark as reviewed',
    told: () => ['The dead letters of topic ', name(topic), ' are reviewed.'],
  };
}

export function pauseTopicAt({ topic }) {
  return {
    path: 'start-job',
    body: { action: 'pause', topic },
    title: 'Pause this topic everywhere later?',
    about: name(topic),
    text: 'From the given time, no listener on any node claims messages until the topic is resumed. Before that time, you can stop the job.',
    verb: 'Schedule the pause',
    form: () =>
      h(
        'div',
        { class: 'fields' },
        field('Time, in your time zone', { name: 'startAt', type: 'datetime-local', step: '1', 'data-first': true }),
      ),
    read: (form) => {
      const typed = readJob(form);
      return typed.startAt ? typed : { objection: 'Enter a date and time.' };
    },
    told: () => ['Topic ', name(topic), ' will be paused.'],
  };
}

/** Sets the limits of a topic. The fields show those in effect. */
export function limit({ topic, limits }) {
  const { maxConcurrent, maxConcurrentPerKey, rate, maxMessages } = (limits && limits.effective) || {};
  const number = (label, name, value, first) =>
    field(label, { name, type: 'number', min: '1', inputmode: 'numeric', value, 'data-first': first });
  return {
    path: 'limit',
    body: { topic },
    title: 'Limit this topic?',
    about: name(topic),
    text: 'The limits hold over all nodes until they are cleared, instead of those that properties declare. Without a value there is no such limit. Running handlers finish.',
    verb: 'Set limits',
    form: () =>
      h(
        'div',
        { class: 'fields' },
        number('At most leased at a time', 'maxConcurrent', maxConcurrent, true),
        number('At most leased at a time per key, of a fair topic', 'maxConcurrentPerKey', maxConcurrentPerKey),
        field('Rate, such as 100/1m', { name: 'rate', type: 'text', value: rate && rateValue(rate) }),
        number('Burst of the rate', 'rateBurst', rate && rate.burst),
        number('At most messages', 'maxMessages', maxMessages),
      ),
    read: (form) => {
      const typed = {};
      for (const { name: each, value } of form.querySelectorAll('input')) {
        if (value.trim() !== '') typed[each] = value.trim();
      }
      return Object.keys(typed).length ? typed : { none: 'true' };
    },
    told: () => ['The limits of topic ', name(topic), ' are set.'],
  };
}

export function clearLimits({ topic }, declared) {
  return {
    path: 'clear-limits',
    body: { topic, declared: String(declared) },
    title: declared ? 'Clear the declared limits of this topic?' : 'Clear the limits of this topic?',
    about: name(topic),
    text: declared
      ? 'A node whose properties still declare limits declares them again within a minute.'
      : 'Limits that were set at run time are removed. Those that properties declare take effect again.',
    verb: 'Clear limits',
    told: () => ['The limits of topic ', name(topic), ' are cleared.'],
  };
}

export function liftHold({ topic }) {
  return {
    path: 'lift-hold',
    body: { topic },
    title: 'Lift the hold of this topic?',
    about: name(topic),
    text: 'Listeners claim its messages again at once.',
    verb: 'Lift the hold',
    told: () => ['The hold of topic ', name(topic), ' is lifted.'],
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
      ? `All listeners on all nodes resume, except those that another pause includes. ${count(ready)} ready.`
      : 'No listener on any node claims messages until the topic is resumed, also after restarts and deployments. Running handlers finish.',
    verb: paused ? 'Resume everywhere' : 'Pause everywhere',
    told: () => ['Topic ', name(topic), paused ? ' is resumed everywhere.' : ' is paused everywhere.'],
  };
}
