/* Tables that become cards on narrow pages. Roles are explicit, because the style of cards removes the implicit ones. */

import { h } from './dom.js';

/**
 * A table.
 *
 * @param caption the content of the table, for screen readers
 * @param columns `label`, `class` and, if the column can be sorted, `sorted` (ascending, descending or none) and
 *     `onsort`
 * @param rows `key`, `class` and `cells`, with one cell per column
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
      rows.map((row) =>
        h(
          'tr',
          { role: 'row', key: row.key, class: row.class },
          row.cells.map((content, index) => cell(columns[index], content, index === 0)),
        ),
      ),
    ),
  );
}

function heading(column) {
  const props = { role: 'columnheader', scope: 'col', class: column.class };
  if (!column.onsort) return h('th', props, column.label);
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
