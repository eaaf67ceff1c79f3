import { cutText } from '../domain/outside-text.ts';
import { type Html, html } from './html.ts';

/** What stands in a cell; nothing is shown as a dash, because an empty cell does not say whether it was forgotten. */
export type Cell = Html | string | number | bigint | undefined;

export interface TableColumn {
  readonly title: string;
  /** Right-aligned, with digits of one width. */
  readonly numeric?: boolean;
  /** A column of sentences, which gets room. */
  readonly long?: boolean;
}

/** Columns of words, by their titles. */
export function words(...titles: readonly string[]): TableColumn[] {
  return titles.map((title) => ({ title }));
}

/** Columns of numbers, by their titles. */
export function numbers(...titles: readonly string[]): TableColumn[] {
  return titles.map((title) => ({ title, numeric: true }));
}

/** The first cell of each row is its heading. `foot` are rows such as totals; `none` is said where there are no rows. */
export interface TableOptions {
  readonly caption: string;
  readonly columns: readonly TableColumn[];
  readonly rows: readonly (readonly Cell[])[];
  readonly foot?: readonly (readonly Cell[])[];
  readonly none?: string;
}

/** As many columns stand side by side on a phone; a table of more shows each row as a block there. */
const NARROW_MAX = 3;

/**
 * A table in a box of its own that scrolls, by keyboard too, so that a wide one never widens the page. On a phone each row of a
 * wide one is a block in which every cell names its column. What is a table, a row and a cell its roles say then, because such
 * a style makes readers of screens forget it.
 */
export function table({ caption, columns, rows, foot = [], none = 'None.' }: TableOptions): Html {
  if (rows.length === 0) return html`<p class="none">${caption}: ${none}</p>\n`;
  const wide = columns.length > NARROW_MAX;
  const role = (name: string) => wide && html` role="${name}"`;
  const head = columns.map(
    (column) => html`<th scope="col"${role('columnheader')}${classOf(column)}>${column.title}</th>`,
  );
  const rowOf = (row: readonly Cell[]): Html => {
    const cells = columns.map((column, index) => {
      const content = contentOf(row[index]);
      return index === 0
        ? html`<th scope="row"${role('rowheader')}${classOf(column)}>${content}</th>`
        : html`<td${role('cell')}${wide && html` data-label="${column.title}"`}${classOf(column)}>${content}</td>`;
    });
    return html`<tr${role('row')}>${cells}</tr>\n`;
  };
  return html`<div class="scroll" role="group" aria-label="${caption}" tabindex="0"><table${wide && html` class="rows" role="table"`}>
<caption><span>${caption}</span></caption>
<thead${role('rowgroup')}><tr${role('row')}>${head}</tr></thead>
<tbody${role('rowgroup')}>
${rows.map(rowOf)}</tbody>
${foot.length > 0 && html`<tfoot${role('rowgroup')}>\n${foot.map(rowOf)}</tfoot>\n`}</table></div>
`;
}

function classOf({ numeric, long }: TableColumn): Html | false {
  if (numeric === true) return html` class="number"`;
  return long === true && html` class="long"`;
}

function contentOf(cell: Cell): Html | string | number | bigint {
  return cell === undefined || cell === '' ? '–' : cell;
}

/** As much of a name tells it from others; services take names of hundreds of characters. */
const NAME_MAX = 80;

/** A name that came from outside, such as a campaign's, in a table: a long one is cut, and pointing at it shows all of it. */
export function named(name: string): Html {
  const short = cutText(name, NAME_MAX);
  return short === name ? aside(name) : html`<bdi title="${name}">${short}</bdi>`;
}

/** A text that came from outside: its direction of writing stays its own and turns nothing around it. */
export function aside(text: string): Html {
  return html`<bdi>${text}</bdi>`;
}
