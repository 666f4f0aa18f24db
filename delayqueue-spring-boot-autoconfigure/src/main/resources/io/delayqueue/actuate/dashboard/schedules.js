/* Shows the schedules of a topic, and runs, pauses, resumes and removes them. */

import { button, menu } from './confirm.js';
import { h } from './dom.js';
import { count, moment, name, relative, span, time } from './format.js';
import { attempts, failure, loadSchedules, newList, paged, preview } from './lists.js';
import { messageLink } from './state.js';
import { table } from './table.js';

export async function loadSchedulesOf(data, { topic, schedules }, signal) {
  data.schedules = data.schedules || newList();
  if (schedules) await loadSchedules(data.schedules, topic, signal);
}

const COLUMNS = [
  { label: 'Schedule', class: 'wide' },
  { label: 'Slots' },
  { label: 'Next' },
  { label: 'Last' },
  { label: 'Skipped', class: 'number' },
  { label: 'Occurrence' },
  { label: '', class: 'actions' },
];

/** The schedules of a topic; nothing if it has none. */
export function schedulesSection({ schedules }, { schedules: list }) {
  return schedules && list && list.items
    ? h(
        'section',
        { class: 'card', 'aria-labelledby': 'schedules' },
        h('div', { class: 'card-head' }, h('h2', { id: 'schedules' }, 'Schedules'), h('span', { class: 'tab-count' }, count(schedules))),
        paged(list, table('Schedules', COLUMNS, list.items.map(scheduleRow), 'messages')),
      )
    : null;
}

function scheduleRow(schedule) {
  const { topic, id, paused, orphanedSince, next, skipped, occurrence } = schedule;
  return {
    key: id,
    cells: [
      [
        occurrence ? h('a', { href: messageLink(topic, id) }, name(id)) : name(id),
        paused ? h('span', { class: 'badge note' }, 'paused') : null,
        orphanedSince
          ? h('span', { class: 'badge warn', title: `No listener has declared it since ${orphanedSince}.` }, 'orphaned')
          : null,
        preview(schedule),
      ],
      slots(schedule),
      next.length ? time(next[0], relative(next[0])) : '–',
      last(schedule),
      count(skipped),
      occurrence ? [occurrence.state, occurrence.attempts ? [', attempt ', attempts(occurrence)] : null, occurrence.lastFailure ? failure(occurrence.lastFailure) : null] : '–',
      menu(actionsOf(schedule), `schedule ${id}`),
    ],
  };
}

function slots({ everyMillis, cron, zone, spreadMillis }) {
  return [
    cron === undefined ? `every ${span(everyMillis)}` : [h('code', null, cron), zone ? ` ${zone}` : null],
    spreadMillis ? `, later by up to ${span(spreadMillis)}` : null,
  ];
}

const OUTCOMES = {
  acknowledged: ['acknowledged', 'ok'],
  dead_lettered: ['dead-lettered', 'bad'],
  cancelled: ['cancelled', ''],
  unknown: ['unknown', ''],
};

/** How the last occurrence ended, and when one succeeded if this one did not. */
function last({ outcome, endedAt, succeededAt }) {
  if (!outcome) return '–';
  const [text, level] = OUTCOMES[outcome] || [outcome, ''];
  const succeeded = succeededAt ? `Last acknowledged ${relative(succeededAt)}.` : 'None was acknowledged yet.';
  return [h('span', { class: `badge ${level}`, title: outcome === 'acknowledged' ? null : succeeded }, text), ' ', moment(endedAt)];
}

function actionsOf(schedule) {
  const { id, paused } = schedule;
  const about = `schedule ${id}`;
  return [
    button(change(schedule, 'run', 'Run', 'Its message is sent once, with a generated id. The schedule is left as it is.', 'is sent.'), 'Run now', about),
    paused
      ? button(change(schedule, 'resume', 'Resume', 'It begins with its next slot from now.', 'is resumed.'), 'Resume', about)
      : button(change(schedule, 'pause', 'Pause', 'Its waiting occurrence is removed. One that is being handled or retried goes on.', 'is paused.'), 'Pause', about),
    button({ ...change(schedule, 'remove', 'Remove', 'It and its waiting occurrence are removed. This cannot be undone.', 'is removed.'), kind: 'danger' }, 'Remove', about, 'danger'),
  ];
}

function change({ topic, id }, action, verb, text, done) {
  return {
    path: `${action}-schedule`,
    body: { topic, id },
    title: `${verb} this schedule${action === 'run' ? ' now' : ''}?`,
    about: [name(id), ' of topic ', name(topic)],
    text,
    verb: action === 'run' ? 'Run now' : `${verb} the schedule`,
    told: () => [action === 'run' ? 'The message of ' : 'Schedule ', name(id), ` ${done}`],
  };
}
