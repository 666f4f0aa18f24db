/* Formats numbers, times and names. */

import { h } from './dom.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const whole = new Intl.NumberFormat();
const short = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
const timeOfDay = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const minuteOfDay = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const dayOnly = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const dayAndTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** The offset of the server's clock from the browser's clock, in milliseconds. */
let ahead = 0;

/** Sets the server's time at a time of the browser's clock. */
export function setClock(serverTime, at) {
  ahead = Date.parse(serverTime) - at;
}

/** Now, by the server's clock. */
export function now() {
  return Date.now() + ahead;
}

/** A number; a dash if it is unknown. */
export function count(number) {
  return isKnown(number) ? whole.format(number) : '–';
}

function isKnown(number) {
  return number !== null && number !== undefined;
}

/** "1 message", "2 messages". */
export function counted(number, one, many = `${one}s`) {
  return `${whole.format(number)} ${number === 1 ? one : many}`;
}

/** A duration: "450 ms", "12 s", "3 m 12 s", "2 h 5 m", "3 d 4 h". */
export function span(millis) {
  if (millis < SECOND) return `${Math.max(0, Math.round(millis))} ms`;
  const units = [
    ['d', DAY],
    ['h', HOUR],
    ['m', MINUTE],
    ['s', SECOND],
  ];
  const first = units.findIndex(([, size]) => millis >= size);
  const [name, size] = units[first];
  const text = `${whole.format(Math.floor(millis / size))} ${name}`;
  const next = units[first + 1];
  const rest = next ? Math.floor((millis % size) / next[1]) : 0;
  return rest ? `${text} ${rest} ${next[0]}` : text;
}

/** A lag: a dash if it is unknown, "0 s" if there is none. */
export function lag(millis) {
  if (!isKnown(millis)) return '–';
  return millis > 0 ? span(millis) : '0 s';
}

/** A number of a minute as a rate: "0", "0.3/s", "12/s". */
export function perSecond(number) {
  if (!number) return '0';
  const rate = number / 60;
  if (rate < 0.1) return '<0.1/s';
  return `${rate < 10 ? short.format(rate) : whole.format(Math.round(rate))}/s`;
}

/** A rate: "100/min", "5/10 s". */
export function rateText({ count: number, periodMillis }) {
  const unit = { [SECOND]: 's', [MINUTE]: 'min', [HOUR]: 'h', [DAY]: 'd' }[periodMillis];
  return `${count(number)}/${unit || span(periodMillis)}`;
}

/** A rate as it is entered: "100/1m". */
export function rateValue({ count: number, periodMillis }) {
  const units = { d: DAY, h: HOUR, m: MINUTE, s: SECOND, ms: 1 };
  const unit = Object.keys(units).find((each) => periodMillis % units[each] === 0);
  return `${number}/${periodMillis / units[unit]}${unit}`;
}

/** What the number of parked messages of an ordered topic means. */
export function parkedText({ parked }) {
  const which = parked === 1 ? 'waits for another message of its key' : 'wait for another message of their key';
  return `${count(parked)} of the ready messages ${which}`;
}

/** The limits, such as "at most 3 at a time, 100/min". */
export function limitsText({ maxConcurrent, maxConcurrentPerKey, rate, maxMessages }) {
  const parts = [
    maxConcurrent ? `at most ${count(maxConcurrent)} at a time` : null,
    maxConcurrentPerKey ? `at most ${count(maxConcurrentPerKey)} at a time per key` : null,
    rate ? rateText(rate) + (rate.burst ? ` in bursts of at most ${count(rate.burst)}` : '') : null,
    maxMessages ? `at most ${counted(maxMessages, 'message')}` : null,
  ];
  return parts.filter(Boolean).join(', ') || 'none';
}

/** What holds due messages back, such as "held back by its rate of 100/min; empty at 09:40"; null if nothing does. */
export function heldBackText({ heldBackBy, effective, emptyAt }) {
  if (heldBackBy === 'hold') return 'held back by a message';
  if (heldBackBy === 'concurrency') return `held back by its limit of ${count(effective.maxConcurrent)} at a time`;
  if (heldBackBy === 'concurrency_per_key')
    return `held back by its per-key limit of ${count(effective.maxConcurrentPerKey)} at a time`;
  if (heldBackBy !== 'rate') return null;
  return `held back by its rate${effective.rate ? ` of ${rateText(effective.rate)}` : ''}; empty at ${hour(emptyAt)}`;
}

export function bytes(number) {
  if (number < 1024) return `${whole.format(number)} B`;
  const units = ['KiB', 'MiB', 'GiB'];
  let size = number / 1024;
  let unit = 0;
  while (size >= 1024 && unit < units.length - 1) {
    size /= 1024;
    unit++;
  }
  return `${short.format(size)} ${units[unit]}`;
}

/** What is shown of the payload of a message or dead letter, and the size of what is stored. */
export function payloadOf({ payloadText: text, payloadBase64: base64, payloadBytes: stored }) {
  const hidden = text === undefined && base64 === undefined;
  if (stored !== undefined) return { text, base64, size: stored, hidden, truncated: !hidden };
  const size = text === undefined ? atob(base64).length : new TextEncoder().encode(text).length;
  return { text, base64, size, hidden: false, truncated: false };
}

/** The time of day, with the date unless it is today. */
export function clock(instant) {
  const date = new Date(instant);
  return date.toDateString() === new Date().toDateString() ? timeOfDay.format(date) : dayAndTime.format(date);
}

/** The hour and minute, for axes. */
export function hour(instant) {
  return minuteOfDay.format(new Date(instant));
}

/** The date, for axes. */
export function day(instant) {
  return dayOnly.format(new Date(instant));
}

/** A time with its second, for axes. */
export function second(instant) {
  return timeOfDay.format(new Date(instant));
}

/** "in 3 m", "3 m ago". */
export function relative(instant) {
  const left = Date.parse(instant) - now();
  if (Math.abs(left) < SECOND) return 'now';
  const whole = Math.floor(Math.abs(left) / SECOND) * SECOND;
  return left > 0 ? `in ${span(whole)}` : `${span(whole)} ago`;
}

/** A time element with the local time or the given text. Its title is the instant in ISO 8601. */
export function time(instant, text) {
  if (!instant) return '–';
  return h('time', { datetime: instant, title: instant }, text || clock(instant));
}

/** The relative and the local time. */
export function moment(instant) {
  if (!instant) return '–';
  return h('span', { class: 'moment' }, time(instant, relative(instant)), ' ', h('small', null, clock(instant)));
}

/**
 * A topic or an id, isolated from the direction of the surrounding text. Invisible characters are replaced by a visible
 * one, so that names that differ only in them look different.
 */
export function name(text) {
  const parts = text.split(/(\p{C}|^\s+|\s+$)/u).filter((part) => part !== '');
  return h(
    'bdi',
    { class: 'name' },
    parts.map((part) => (/^(\p{C}|\s+)$/u.test(part) ? unseen(part) : part)),
  );
}

const TURNS = /([\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069])/u;

/**
 * A text with parts from outside, isolated from the direction of the surrounding text. Characters that change the
 * direction are shown.
 */
export function words(text) {
  const parts = text.split(TURNS).filter((part) => part !== '');
  return h(
    'bdi',
    null,
    parts.map((part) => (TURNS.test(part) ? unseen(part) : part)),
  );
}

/** Indents JSON and returns other text unchanged. Tokens such as 24.50 and large numbers keep their spelling. */
export function indented(text) {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  let depth = 0;
  const broken = () => `\n${'  '.repeat(depth)}`;
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g) || [];
  return tokens
    .map((token, index) => {
      const before = tokens[index - 1];
      if (token === '}' || token === ']') {
        depth--;
        return before === '{' || before === '[' ? token : broken() + token;
      }
      const first = before === '{' || before === '[' || before === ',';
      const lead = first ? broken() : before === ':' ? ' ' : '';
      if (token === '{' || token === '[') depth++;
      return lead + token;
    })
    .join('');
}

function unseen(text) {
  const codes = [...text].map((char) => `U+${char.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}`);
  return h('span', { class: 'unseen-char', title: codes.join(' ') }, [...text].map(() => '␣').join(''));
}
