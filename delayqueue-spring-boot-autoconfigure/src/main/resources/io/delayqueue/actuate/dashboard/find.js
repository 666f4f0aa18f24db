/* The view of the live messages of an id in all topics. */

import { read } from './api.js';
import { h } from './dom.js';
import { moment, name } from './format.js';
import { loading, messageLink, state } from './state.js';
import { table } from './table.js';

export function title({ id }) {
  return id;
}

export async function load({ id }, signal) {
  state.data.found = (await read('find', { id }, signal)).messages;
}

const COLUMNS = [
  { label: 'Topic', class: 'wide' },
  { label: 'State' },
  { label: 'Due' },
  { label: 'Attempts', class: 'number' },
];

export function draw({ id }) {
  const { found } = state.data;
  return [
    h(
      'div',
      { class: 'title' },
      h('nav', { 'aria-label': 'Where this is' }, h('a', { href: '#/' }, 'Topics')),
      h('h1', { id: 'heading', tabindex: '-1' }, name(id)),
    ),
    h(
      'section',
      { class: 'card', 'aria-label': 'Messages with this id' },
      !found
        ? loading()
        : found.length
          ? table('Messages with this id', COLUMNS, found.map(row))
          : h('p', { class: 'empty' }, 'There is no live message with this id in any topic.'),
    ),
  ];
}

function row({ topic, id, state: its, dueAt, attempts }) {
  return {
    key: topic,
    cells: [h('a', { href: messageLink(topic, id) }, name(topic)), its, moment(dueAt), String(attempts)],
  };
}
