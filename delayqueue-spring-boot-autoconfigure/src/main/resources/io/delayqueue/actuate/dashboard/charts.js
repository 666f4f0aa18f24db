/* SVG charts. The style sheet defines colours and strokes. */

import { h, svg } from './dom.js';
import { clock, count, counted, day, hour, lag, perSecond, second } from './format.js';
import { MINUTES, end as endOfAxis } from './history.js';

const WIDTH = 120;
const HEIGHT = 28;
const PAD = 2;

/** Sparklines by their points: the page is redrawn each second, but the points change only with each response. */
const drawn = new WeakMap();

const SHOWN = { lagMillis: lag, handled: perSecond, sent: perSecond };

/** A chart of the last minutes of one value, which ends at the same time as all others. A selected time is marked. */
export function sparkline(points, field, what, level, chosen) {
  const known = drawn.get(points) || new Map();
  drawn.set(points, known);
  // The views draw the same points with labels and levels of their own.
  const key = [field, level, what, endOfAxis(), chosen].join(' ');
  if (!known.has(key)) known.set(key, drawSparkline(points, field, what, level, nearest(points, chosen)));
  return known.get(key);
}

function drawSparkline(points, field, what, level, chosen) {
  const show = SHOWN[field] || count;
  if (points.length === 0) return null;
  const end = Math.max(endOfAxis(), points.at(-1).at);
  const start = end - MINUTES * 60_000;
  // the rate of sends is drawn beside that of attempts
  const other = field === 'handled' ? 'sent' : field;
  const top = Math.max(1, ...points.map((point) => Math.max(point[field], point[other])));
  const x = (point) => round((WIDTH * (point.at - start)) / (end - start));
  const y = (number) => round(HEIGHT - PAD - ((HEIGHT - 2 * PAD) * number) / top);
  const lineOf = (each) => points.map((point) => `${x(point)} ${y(point[each])}`).join(' L ');
  const line = lineOf(field);
  const last = points.at(-1)[field];
  const most = Math.max(...points.map((point) => point[field]));
  return svg(
    'svg',
    {
      class: `spark ${top === 1 && most === 0 ? 'flat' : level || ''}`,
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      preserveAspectRatio: 'none',
      role: 'img',
      'aria-label': `${what}, last ${MINUTES} minutes: now ${show(last)}, at most ${show(most)}`,
    },
    svg('title', null, `Now ${show(last)}, at most ${show(most)} in the last ${MINUTES} minutes`),
    svg('path', { class: 'spark-base', d: `M 0 ${HEIGHT - PAD} H ${WIDTH}` }),
    svg('path', { class: 'spark-area', d: `M ${x(points[0])} ${HEIGHT} L ${line} L ${x(points.at(-1))} ${HEIGHT} Z` }),
    other === field ? null : svg('path', { class: 'spark-line sent', d: `M ${lineOf(other)}` }),
    svg('path', { class: 'spark-line', d: `M ${line}${points.length === 1 ? ' h 0.1' : ''}` }),
    chosen ? svg('path', { class: 'mark-time', d: `M ${x(chosen)} 0 V ${HEIGHT}` }) : null,
  );
}

function round(number) {
  return Math.round(number * 10) / 10;
}

/**
 * A chart of several values over the last minutes.
 *
 * @param series the fields of the values, with their labels
 * @param show formats a value
 * @param chosen the time that is selected, or null
 * @param choose called with the selected time, or with null
 */
export function timeline(points, series, show, what, chosen, choose) {
  const end = endOfAxis();
  const start = end - MINUTES * 60_000;
  const fields = Object.keys(series);
  const top = Math.max(1, ...points.flatMap((point) => fields.map((field) => point[field])));
  const x = (at) => round((1000 * (at - start)) / (end - start));
  const y = (number) => round(100 - (96 * number) / top);
  const line = (field) => points.map((point) => `${x(point.at)} ${y(point[field])}`).join(' L ');
  const at = nearest(points, chosen);
  const said = (point) => fields.map((field) => `${show(point[field])} ${series[field]}`).join(', ');
  const pick = (event) => {
    const box = event.currentTarget.getBoundingClientRect();
    choose(start + ((end - start) * (event.clientX - box.x)) / box.width);
  };
  const step = (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by || !points.length) return;
    event.preventDefault();
    const index = at ? points.indexOf(at) + by : by > 0 ? 0 : points.length - 1;
    choose(points[Math.max(0, Math.min(points.length - 1, index))].at);
  };
  return h(
    'div',
    { class: 'histogram' },
    h('p', { class: 'scale', 'aria-hidden': 'true' }, show(top)),
    svg(
      'svg',
      {
        class: 'bars timeline',
        viewBox: '0 0 1000 100',
        preserveAspectRatio: 'none',
        tabindex: '0',
        role: 'slider',
        'aria-label': `${what} in the last ${MINUTES} minutes. Select a time with the arrow keys.`,
        'aria-valuemin': '0',
        'aria-valuemax': String(Math.max(0, points.length - 1)),
        'aria-valuenow': String(at ? points.indexOf(at) : Math.max(0, points.length - 1)),
        'aria-valuetext': points.length ? `${clock((at || points.at(-1)).at)}: ${said(at || points.at(-1))}` : 'no data yet',
        onpointermove: pick,
        onpointerleave: () => choose(null),
        onkeydown: step,
        onblur: () => choose(null),
      },
      [0.25, 0.5, 0.75, 1].map((part) => svg('path', { class: 'grid', d: `M 0 ${100 * part} H 1000` })),
      points.length ? fields.map((field) => svg('path', { class: `series ${field}`, d: `M ${line(field)}` })) : null,
      at ? svg('path', { class: 'mark-time', d: `M ${x(at.at)} 0 V 100` }) : null,
    ),
    h(
      'p',
      { class: 'axis', 'aria-hidden': 'true' },
      [0, 0.25, 0.5, 0.75, 1].map((part) => h('span', null, hour(start + part * (end - start)))),
    ),
    h('p', { class: 'readout', 'aria-hidden': 'true' }, at ? `${clock(at.at)}: ${said(at)}` : ''),
  );
}

/** The point at a time, or null. */
export function nearest(points, at) {
  if (at === null || at === undefined || !points.length) return null;
  return points.reduce((best, point) => (Math.abs(point.at - at) < Math.abs(best.at - at) ? point : best));
}

/**
 * A chart of the numbers of messages that become due.
 *
 * @param upcoming the response of the endpoint
 * @param chosen the index of the selected bar, or -1
 * @param choose called with the index of the selected bar, or -1
 */
export function histogram(upcoming, spanName, chosen, choose) {
  const { counts } = upcoming;
  const top = Math.max(1, ...counts);
  const total = counts.reduce((sum, each) => sum + each, 0);
  const days = (counts.length * upcoming.widthMillis) / 86_400_000;
  const axis = spanName === 'minute' ? second : days > 2 ? day : hour;
  const at = (index) => Date.parse(upcoming.from) + index * upcoming.widthMillis;
  const pick = (event) => {
    const box = event.currentTarget.getBoundingClientRect();
    choose(Math.max(0, Math.min(counts.length - 1, Math.floor((counts.length * (event.clientX - box.x)) / box.width))));
  };
  const step = (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by) return;
    event.preventDefault();
    choose(chosen < 0 ? (by > 0 ? 0 : counts.length - 1) : Math.max(0, Math.min(counts.length - 1, chosen + by)));
  };
  const between = (index) => `${clockOf(at(index))} – ${clockOf(at(index + 1))}`;
  const said = (index) => `${between(index)}: ${counted(counts[index], 'message')}`;
  return h(
    'div',
    { class: 'histogram' },
    h('p', { class: 'scale', 'aria-hidden': 'true' }, total ? count(top) : ''),
    svg(
      'svg',
      {
        class: 'bars',
        viewBox: `0 0 ${counts.length} 100`,
        preserveAspectRatio: 'none',
        tabindex: '0',
        role: 'slider',
        'aria-label': `Messages that become due${spanName === 'all' ? '' : ` within the next ${spanName}`}. Select a bar with the arrow keys.`,
        'aria-valuemin': '0',
        'aria-valuemax': String(counts.length - 1),
        'aria-valuenow': String(Math.max(0, chosen)),
        'aria-valuetext': chosen < 0 ? `${counted(total, 'message')} in all` : said(chosen),
        onpointermove: pick,
        onpointerleave: () => choose(-1),
        onkeydown: step,
        onblur: () => choose(-1),
      },
      [0.25, 0.5, 0.75].map((part) => svg('path', { class: 'grid', d: `M 0 ${100 * part} H ${counts.length}` })),
      counts.map((each, index) => {
        const size = each ? Math.max(2, (100 * each) / top) : 0;
        return svg('rect', {
          class: index === chosen ? 'chosen' : null,
          x: index + 0.1,
          width: 0.8,
          y: round(100 - size),
          height: round(size),
        });
      }),
      svg('path', { class: 'grid', d: `M 0 100 H ${counts.length}` }),
    ),
    h(
      'p',
      { class: 'axis', 'aria-hidden': 'true' },
      [0, 0.25, 0.5, 0.75, 1].map((part) => h('span', null, axis(at(counts.length * part)))),
    ),
    h('p', { class: 'readout', 'aria-hidden': 'true' }, chosen < 0 ? '' : said(chosen)),
  );
}

function clockOf(millis) {
  return clock(millis);
}
