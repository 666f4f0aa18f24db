/* The last minutes of each topic: what the endpoint remembers, and what was seen since. */

const WINDOW = 10 * 60_000;
/** What is older than a minute needs no more than this. */
const RESOLUTION = 8_000;
const RECENT = 60_000;
/** After such a gap, as when the tab was hidden, the endpoint is asked for what was missed. */
const GAP = 15_000;
const TREND = 2 * 60_000;
const SHORTEST_TREND = 20_000;

const series = new Map();
let lastAt = 0;

/** Whether there is something to be filled in. */
export function hasGap(at) {
  return at - lastAt > GAP;
}

/** Adds what was just seen. */
export function record(topics, at) {
  const fill = hasGap(at);
  const seen = new Set();
  for (const topic of topics) {
    seen.add(topic.topic);
    const known = series.get(topic.topic) || [];
    const missed = fill ? (topic.history || []).map((point) => ({ ...point, at: Date.parse(point.at) })) : [];
    const points = [...known, ...missed.filter((point) => point.at < at && isNew(point, known))];
    points.sort((one, other) => one.at - other.at);
    if (!topic.problem) {
      points.push({
        at,
        scheduled: topic.scheduled,
        ready: topic.ready,
        leased: topic.leased,
        dead: topic.dead,
        lagMillis: topic.lagMillis,
      });
    }
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

/** What is known of a topic, oldest first. */
export function of(topic) {
  return series.get(topic) || [];
}

export const MINUTES = WINDOW / 60_000;

/** By how much a value changes in a minute, from the last two; null while too little is known. */
export function perMinute(topic, field) {
  const points = of(topic);
  const last = points.at(-1);
  const first = last && points.find((point) => point.at >= last.at - TREND);
  if (!first || last.at - first.at < SHORTEST_TREND) return null;
  return ((last[field] - first[field]) * 60_000) / (last.at - first.at);
}

/** By how much a value has grown in all that is known. */
export function growth(topic, field) {
  const points = of(topic);
  return points.length < 2 ? 0 : points.at(-1)[field] - points[0][field];
}
