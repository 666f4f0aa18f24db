/* What becomes due and when, of a topic or of all. */

import { read } from './api.js';
import { histogram } from './charts.js';
import { h } from './dom.js';
import { count, counted, hour, moment, now } from './format.js';
import { loading, page, state } from './state.js';

const SPANS = {
  minute: { text: 'PT1M', buckets: 60 },
  hour: { text: 'PT1H', buckets: 60 },
  day: { text: 'P1D', buckets: 48 },
  all: { text: 'all', buckets: 60 },
};
/** The spans that can be requested of all topics together. */
const SPANS_OF_ALL = ['hour', 'day', 'all'];
/** The minimum interval between requests of a histogram: that of a day hardly changes within a poll. */
const UPCOMING_EVERY = { minute: 0, hour: 10_000, day: 30_000, all: 30_000 };

function spansOf(topic) {
  return topic ? Object.keys(SPANS) : SPANS_OF_ALL;
}

function selected(topic) {
  const { span } = state.settings;
  return spansOf(topic).includes(span) ? span : 'hour';
}

/** Requests what becomes due of a topic, or of all topics without one. */
export async function loadUpcoming(data, topic, signal) {
  const spanName = selected(topic);
  const fresh = data.upcomingOf === spanName && Date.now() - data.upcomingAt < UPCOMING_EVERY[spanName];
  if (fresh) return;
  const { text, buckets } = SPANS[spanName];
  data.upcoming = await read('upcoming', { topic, span: text, buckets: topic ? buckets : null }, signal);
  data.forecast = topic ? await read('forecast', { topic }, signal) : null;
  data.upcomingOf = spanName;
  data.upcomingAt = Date.now();
}

/** "At 09:00 it needs 14 handlers and has 8."; null if the number is unknown or zero. */
function forecastText({ peak, peakAt, present, withoutSchedules }) {
  if (!peak) return null;
  const need = `needs ${counted(peak, 'handler')}`;
  return [
    Date.parse(peakAt) <= now() ? `It ${need} now and has ${count(present)}.` : `At ${hour(peakAt)} it ${need} and has ${count(present)}.`,
    withoutSchedules ? 'Later occurrences of its schedules are not included.' : null,
  ]
    .filter(Boolean)
    .join(' ');
}

/** What becomes due, of a topic or of all. The messages that are due already stand out if they are late. */
export function coming(topic, late) {
  const { upcoming, upcomingOf, forecast, bar } = state.data;
  const needed = topic && forecast ? forecastText(forecast) : null;
  const choose = (span) => () => {
    state.settings.span = span;
    state.data.bar = -1;
    page.redraw();
    page.refresh();
  };
  const total = upcoming ? upcoming.counts.reduce((sum, each) => sum + each, 0) : 0;
  return h(
    'section',
    { class: 'card', 'aria-labelledby': 'coming' },
    h(
      'div',
      { class: 'card-head' },
      h('h2', { id: 'coming' }, 'Coming up'),
      h(
        'div',
        { class: 'choice', role: 'group', 'aria-label': 'Within the next' },
        spansOf(topic).map((span) =>
          h(
            'button',
            {
              type: 'button',
              'aria-pressed': String(span === selected(topic)),
              onclick: choose(span),
            },
            span[0].toUpperCase() + span.slice(1),
          ),
        ),
      ),
    ),
    upcoming
      ? [
          h(
            'p',
            { class: 'sums' },
            h('span', { class: late ? 'late' : null }, `${count(upcoming.overdue)} due already`),
            upcomingOf === 'all'
              ? h('span', null, `${count(total)} later`, upcoming.latest ? [', the last one ', moment(upcoming.latest)] : null)
              : [
                  h('span', null, `${count(total)} within the next ${upcomingOf}`),
                  h('span', null, `${count(upcoming.later)} later`),
                ],
          ),
          needed ? h('p', { class: 'sums' }, needed) : null,
          histogram(upcoming, upcomingOf, bar === undefined ? -1 : bar, (index) => {
            if (state.data.bar === index) return;
            state.data.bar = index;
            page.redraw();
          }),
        ]
      : loading(),
  );
}
