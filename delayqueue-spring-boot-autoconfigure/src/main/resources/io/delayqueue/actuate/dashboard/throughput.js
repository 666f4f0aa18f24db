/* The throughput of a topic or of all topics. The other charts mark the time that is selected here. */

import { timeline } from './charts.js';
import { h } from './dom.js';
import { perSecond } from './format.js';
import * as history from './history.js';
import { page, state } from './state.js';

const SERIES = { sent: 'sent', handled: 'handled', failed: 'failed' };

/** The rates of the last minute, and their course. Without a topic, those of all topics. */
export function throughputSection(topic) {
  const points = topic ? history.of(topic) : history.total();
  const last = points.at(-1);
  return h(
    'section',
    { class: 'card', 'aria-labelledby': 'throughput' },
    h(
      'div',
      { class: 'card-head' },
      h('h2', { id: 'throughput' }, `Throughput, ${history.MINUTES} minutes`),
      h(
        'p',
        { class: 'legend' },
        Object.entries(SERIES).map(([field, label]) =>
          h(
            'span',
            { class: field },
            h('i', { class: `key ${field}`, 'aria-hidden': 'true' }),
            h('strong', null, perSecond(last ? last[field] : 0)),
            ` ${label}`,
          ),
        ),
      ),
    ),
    timeline(points, SERIES, perSecond, topic ? 'Throughput of the topic' : 'Throughput of all topics', state.data.at, (at) => {
      if (state.data.at === at) return;
      state.data.at = at;
      page.redraw();
    }),
  );
}
