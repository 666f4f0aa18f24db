/* The last minutes of each topic: the samples of the endpoint and the responses since. */

import { failedOf } from './state.js';

const WINDOW = 10 * 60_000;
/** The minimum interval between points that are older than a minute. */
const RESOLUTION = 8_000;
const RECENT = 60_000;
/** After a longer gap, as while the tab was hidden, the samples of the endpoint are requested. */
const GAP = 15_000;

const series = new Map();
let lastAt = 0;
let sums;

/** Whether samples of the endpoint are needed to fill a gap. */
export function hasGap(at) {
  return at - lastAt > GAP;
}

/** Adds the topics of a response. */
export function record(topics, at) {
  const fill = hasGap(at);
  const seen = new Set();
  for (const topic of topics) {
    seen.add(topic.topic);
    const known = series.get(topic.topic) || [];
    const missed = fill ? topic.history.map((sample) => pointOf(sample, Date.parse(sample.at), sample.failed)) : [];
    const points = [...known, ...missed.filter((point) => point.at < at && isNew(point, known))];
    points.sort((one, other) => one.at - other.at);
    if (!topic.problem) points.push(pointOf(topic, at, failedOf(topic.attempts)));
    series.set(
      topic.topic,
      thinned(
        points.filter((point) => point.at > at - WINDOW),
        at,
      ),
    );
  }
  for (const topic of series.keys()) {
    if (!seen.has(topic)) series.delete(topic);
  }
  lastAt = at;
  sums = null;
}

function pointOf({ scheduled, ready, parked, leased, dead, lagMillis, sent, handled }, at, failed) {
  return { at, scheduled, ready, parked, leased, dead, lagMillis, sent, handled, failed };
}

function thinned(points, at) {
  let last = -Infinity;
  return points.filter((point) => {
    const kept = point.at > at - RECENT || point.at - last >= RESOLUTION;
    if (kept) last = point.at;
    return kept;
  });
}

function isNew(point, known) {
  return known.every((other) => Math.abs(other.at - point.at) > GAP / 3);
}

/** The points of a topic, oldest first. */
export function of(topic) {
  return series.get(topic) || [];
}

/** The throughput of all topics, oldest first. Points of all topics have the same times. */
export function total() {
  if (!sums) {
    const byTime = new Map();
    for (const points of series.values()) {
      for (const { at, sent, handled, failed } of points) {
        const sum = byTime.get(at) || { at, sent: 0, handled: 0, failed: 0 };
        byTime.set(at, sum);
        sum.sent += sent;
        sum.handled += handled;
        sum.failed += failed;
      }
    }
    sums = [...byTime.values()].sort((one, other) => one.at - other.at);
  }
  return sums;
}

/** The end of the time axis of all charts. */
export function end() {
  return lastAt;
}

export const MINUTES = WINDOW / 60_000;
