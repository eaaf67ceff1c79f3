import { cutText } from '../../domain/outside-text.ts';
import { foldClass, foldingSteps, widthClass } from './folding.ts';
import { type Html, html } from './html.ts';

/** An undefined value is shown as a dash. */
export type Cell = Html | string | number | bigint | undefined;

export interface TableColumn {
  readonly title: string;
  readonly numeric?: boolean;
  readonly long?: boolean;
  /** As in a column of a listing. */
  readonly importance?: number | undefined;
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
/** The headings of a longer table stay in sight. Its columns fold, so it needs no box that scrolls. */
const SCREEN_ROWS = 25;

export function table({ caption, columns, rows, foot = [], none = 'None.' }: TableOptions): Html {
  if (rows.length === 0) return html`<p class="none">${caption}: ${none}</p>\n`;
  const wide = columns.length > NARROW_MAX;
  const role = (name: string) => wide && html` role="${name}"`;
  const all = [...rows, ...foot];
  const widths = columns.map((column, index) => widthOf(column, index, all));
  const steps = wide ? foldingSteps(columns.map((column, index) => foldable(column, widths[index] ?? 0))) : [];
  // If the second column folds, the first one shares its cell.
  const stepOf = (index: number) => steps[Math.max(1, index)] ?? 0;
  const head = columns.map((column, index) => {
    const classes = classOf(column, stepOf(index), wide && widthClass(widths[index] ?? 0));
    return html`<th scope="col"${role('columnheader')}${classes}>${column.title}</th>`;
  });
  const rowOf = (row: readonly Cell[]): Html => {
    const cells = columns.map((column, index) => {
      const content = contentOf(row[index]);
      const classes = classOf(column, stepOf(index), wide && isEmpty(row[index]) && 'empty');
      return index === 0
        ? html`<th scope="row"${role('rowheader')}${classes}>${content}</th>`
        : html`<td${role('cell')}${wide && html` data-label="${column.title}"`}${classes}>${content}</td>`;
    });
    return html`<tr${role('row')}>${cells}</tr>\n`;
  };
  const isTall = wide && rows.length > SCREEN_ROWS;
  return html`<div class="scroll${isTall && ' tall'}" role="group" aria-label="${caption}" tabindex="0"><table${wide && html` class="rows" role="table"`}>
<caption><span>${caption}</span></caption>
<thead${role('rowgroup')}><tr${role('row')}>${head}</tr></thead>
<tbody${role('rowgroup')}>
${rows.map(rowOf)}</tbody>
${foot.length > 0 && html`<tfoot${role('rowgroup')}>\n${foot.map(rowOf)}</tfoot>\n`}</table></div>
`;
}

function classOf({ numeric, long }: TableColumn, step: number, more: string | false): Html | false {
  const kind = numeric === true ? 'number' : long === true && 'long';
  const classes = [kind, more, step > 0 && foldClass(step)].filter((name) => name !== false);
  return classes.length > 0 && html` class="${classes.join(' ')}"`;
}

function foldable({ title, long, importance = long === true ? 0 : 1 }: TableColumn, width: number) {
  return { title, width, importance };
}

/** In `ch`. Numbers stay on one line, and texts wrap. */
const PADDING = 2;
const TEXT_MAX = 20;
const LONG_MAX = 40;
const CHART = 11;
/** The type of notes is smaller. */
const NOTE = 0.86;
const BOLD = 1.1;

function widthOf({ title, numeric, long }: TableColumn, index: number, rows: readonly (readonly Cell[])[]): number {
  const most = numeric === true ? Number.POSITIVE_INFINITY : long === true ? LONG_MAX : TEXT_MAX;
  const heading = Math.ceil(Math.max(...title.split(' ').map(({ length }) => length)) * BOLD);
  return rows.reduce((widest, row) => Math.max(widest, Math.min(most, lengthOf(row[index]))), heading) + PADDING;
}

/** The estimated width of the longest line. */
function lengthOf(cell: Cell): number {
  if (typeof cell !== 'object') return String(cell ?? '').length;
  if (cell.markup.includes('<svg')) return CHART;
  const lines = cell.markup.split('<br>').map((line) => {
    const { length } = line.replace(/<[^>]*>/g, '').replace(/&#?\w+;/g, '·');
    return /class="(?:wraps|note)"/.test(line) ? Math.ceil(Math.min(length, TEXT_MAX) * NOTE) : length;
  });
  return Math.max(...lines);
}

function isEmpty(cell: Cell): boolean {
  return cell === undefined || cell === '';
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
