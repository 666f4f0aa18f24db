/* Tables that become cards on narrow pages. Roles are explicit, because the style of cards removes the implicit ones. */

import { h } from './dom.js';

/** The elements of rows: the page is redrawn each second, but most rows change only with a response. */
const drawn = new WeakMap();

/**
 * A table.
 *
 * @param caption the content of the table, for screen readers
 * @param columns `label`, `class` and, if the column can be sorted, `sorted` (ascending, descending or none) and
 *     `onsort`
 * @param rows `cells`, with one cell per column, and properties of the element, such as `key` and `class`. The same row
 *     has the same result.
 */
export function table(caption, columns, rows, className) {
  return h(
    'table',
    { class: `table ${className || ''}`, role: 'table' },
    h('caption', { class: 'unseen' }, caption),
    h('thead', { role: 'rowgroup' }, h('tr', { role: 'row' }, columns.map(heading))),
    h(
      'tbody',
      { role: 'rowgroup' },
      rows.map((row) => {
        if (!drawn.has(row)) drawn.set(row, drawRow(columns, row));
        return drawn.get(row);
      }),
    ),
  );
}

function drawRow(columns, { cells, ...props }) {
  return h(
    'tr',
    { role: 'row', ...props },
    cells.map((content, index) => cell(columns[index], content, index === 0)),
  );
}

function heading(column) {
  const props = { role: 'columnheader', scope: 'col', class: column.class };
  if (!column.onsort) return h('th', props, column.label || h('span', { class: 'unseen' }, 'Actions'));
  return h(
    'th',
    { ...props, 'aria-sort': column.sorted },
    h('button', { type: 'button', class: 'sort', onclick: column.onsort }, column.label),
  );
}

function cell(column, content, first) {
  const props = { class: column.class, 'data-label': column.label };
  return first
    ? h('th', { ...props, role: 'rowheader', scope: 'row' }, content)
    : h('td', { ...props, role: 'cell' }, content);
}
