import { cutText } from '../../domain/outside-text.ts';
import { type Html, html } from './html.ts';

/** An undefined value is shown as a dash. */
export type Cell = Html | string | number | bigint | undefined;

export interface TableColumn {
  readonly title: string;
  readonly numeric?: boolean;
  readonly long?: boolean;
}

export function words(...titles: readonly string[]): TableColumn[] {
  return titles.map((title) => ({ title }));
}

export function numbers(...titles: readonly string[]): TableColumn[] {
  return titles.map((title) => ({ title, numeric: true }));
}

/** `none` is shown instead of a table without rows. */
export interface TableOptions {
  readonly caption: string;
  readonly columns: readonly TableColumn[];
  readonly rows: readonly (readonly Cell[])[];
  readonly foot?: readonly (readonly Cell[])[];
  readonly none?: string;
}

/** On a phone, each row of a table with more columns becomes a block. */
const NARROW_MAX = 3;

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

/** In UTF-16 units. Services allow names of hundreds of characters. */
const NAME_MAX = 80;

/** Shortens a long name from a service. The tooltip shows the complete name. */
export function named(name: string): Html {
  const short = cutText(name, NAME_MAX);
  return short === name ? aside(name) : html`<bdi title="${name}">${short}</bdi>`;
}

/** For texts from services. Isolates the writing direction, for example of Arabic names. */
export function aside(text: string): Html {
  return html`<bdi>${text}</bdi>`;
}
