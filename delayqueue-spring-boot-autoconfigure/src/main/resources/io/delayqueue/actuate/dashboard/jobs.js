/* Jobs with their progress, and dead letters by kind. */

import { job, stopJob } from './actions.js';
import { read } from './api.js';
import { button } from './confirm.js';
import { h } from './dom.js';
import { count, counted, moment, name, relative, time, words } from './format.js';
import { causeBadge, shortFailure } from './lists.js';
import { deadLetterLink, state, topicLink } from './state.js';
import { table } from './table.js';

/** The minimum interval between requests of groups, which read many dead letters. */
const GROUPS_EVERY = 10_000;

export async function loadJobs(signal) {
  state.jobs = (await read('jobs', null, signal)).jobs;
}

const JOB_COLUMNS = [
  { label: 'Job', class: 'wide' },
  { label: 'Topic' },
  { label: 'State' },
  { label: 'Done' },
  { label: 'Kept', class: 'number' },
  { label: 'Requested' },
  { label: '', class: 'actions' },
];

const LEVELS = { waiting: 'note', running: 'note', finished: 'ok', stopped: '', failed: 'bad' };

/** The jobs of a topic, or of all topics; nothing if there are none. */
export function jobsSection(topic) {
  const jobs = (state.jobs || []).filter((each) => !topic || each.topic === topic || each.target === topic);
  if (!jobs.length) return null;
  return h(
    'section',
    { class: 'card', 'aria-labelledby': 'jobs' },
    h('div', { class: 'card-head' }, h('h2', { id: 'jobs' }, 'Jobs')),
    table('Jobs of the last day', JOB_COLUMNS, jobs.map(jobRow)),
  );
}

function jobRow(each) {
  const { id, action, topic, target, cause, exceptionType, shape, state: its, done, kept, expected, requestedAt, startAt, by, failure } = each;
  const active = its === 'waiting' || its === 'running';
  return {
    key: id,
    cells: [
      [
        target ? [`${action} to `, name(target)] : action,
        cause ? h('span', { class: 'preview' }, words(kindOf({ exceptionType, shape }) || cause)) : null,
      ],
      h('a', { href: topicLink(topic) }, name(topic)),
      [
        h('span', { class: `badge ${LEVELS[its]}`, title: failure }, its),
        startAt && its === 'waiting' ? [' ', moment(startAt)] : null,
        failure ? h('span', { class: 'preview' }, words(failure)) : null,
      ],
      h(
        'span',
        { class: 'permits' },
        h('progress', { max: String(Math.max(1, expected, done)), value: String(done), 'aria-label': 'Progress' }),
        ' ',
        `${count(done)} of ${count(expected)}`,
      ),
      count(kept),
      [time(requestedAt, relative(requestedAt)), by ? [' by ', name(by)] : null],
      active ? button(stopJob(each), 'Stop', `the job ${action} of topic ${topic}`, 'danger') : null,
    ],
  };
}

export async function loadGroups(data, topic, signal) {
  if (data.groups && Date.now() - data.groupsAt < GROUPS_EVERY) return;
  data.groups = await read('dead-groups', { topic }, signal);
  data.groupsAt = Date.now();
}

function kindOf({ exceptionType, shape }) {
  return [shortFailure(exceptionType || ''), shape].filter(Boolean).join(': ');
}

const GROUP_COLUMNS = [
  { label: 'Failure', class: 'wide' },
  { label: 'Cause' },
  { label: 'Dead letters', class: 'number' },
  { label: 'First' },
  { label: 'Last' },
  { label: '', class: 'actions' },
];

/** The dead letters of a topic by kind. */
export function groupsOf(topic, { groups, counted: read, complete }) {
  return [
    table('Dead letters by kind', GROUP_COLUMNS, groups.map((group) => groupRow(topic, group)), 'groups'),
    complete ? null : h('p', { class: 'hint' }, `Only the youngest ${counted(read, 'dead letter')} are grouped.`),
  ];
}

function groupRow(topic, { kind, count: number, first, last, example }) {
  const { cause, exceptionType, shape } = kind;
  const about = `the dead letters of kind ${cause} ${exceptionType} ${shape}`;
  return {
    key: `${cause} ${exceptionType} ${shape}`,
    cells: [
      h(
        'a',
        { href: deadLetterLink(topic.topic, example), title: exceptionType },
        h(
          'span',
          { class: 'failure-text' },
          words(kindOf(kind) || 'no failure'),
        ),
      ),
      causeBadge(cause.toLowerCase()),
      count(number),
      moment(first),
      moment(last),
      [button(job('replay', topic, kind), 'Replay', about), button(job('purge', topic, kind), 'Purge', about, 'danger')],
    ],
  };
}
