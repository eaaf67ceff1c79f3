import stringWidth from 'string-width';
import type { CustomerId } from '../domain/ids.ts';
import { formatMoneyChange } from '../domain/micros.ts';
import { refusalWords } from '../rules/refusal-words.ts';
import type { TrialRow } from '../trial/backtest-tally.ts';
import { count, type NameOf, oneLine, type TextLayout } from './text-layout.ts';
import { type TableColumn, textTable } from './text-table.ts';
import { wrapText } from './wrap-text.ts';

/** A row of a back-test and whose it is. */
export interface AccountRow {
  readonly customerId: CustomerId;
  readonly currency: string | undefined;
  readonly row: TrialRow;
}

/** Of so many rows the reason is read below them; a reason has several lines, and the later ones say the same of other days. */
const REASONS_SHOWN = 10;

/**
 * A line for each row. The reason has a column where all of it fits there, and otherwise lines of its own below the first rows.
 *
 * @param nameOf Undefined where all rows are of one account.
 */
export function rowsText(rows: readonly AccountRow[], nameOf: NameOf | undefined, { width }: TextLayout): string {
  if (rows.length === 0) return '';
  const alerts = rows.every(({ row }) => row.kind === 'alert');
  const held = rows.some(({ row }) => heldBy(row) !== '');
  const columns: TableColumn[] = [
    { title: 'Day', align: 'left' },
    ...(nameOf === undefined ? [] : [{ title: 'Account', align: 'left', flexible: true } as const]),
    { title: 'Subject', align: 'left', flexible: true },
    ...(alerts ? [] : [{ title: 'Budget', align: 'left' } as const]),
    ...(held ? [{ title: 'Held by', align: 'left' } as const] : []),
  ];
  const cells = rows.map(({ customerId, currency, row }) => [
    row.day,
    ...(nameOf === undefined ? [] : [nameOf(customerId)]),
    oneLine(row.subject.label),
    ...(alerts ? [] : [amountsOf(row, currency)]),
    ...(held ? [heldBy(row)] : []),
  ]);
  const reasons = rows.map(({ row }) => reasonOf(row));
  const why: TableColumn = { title: alerts ? 'What people would be told' : 'Why', align: 'left', flexible: true };
  const whole = columns.map((column) => ({ ...column, flexible: false }));
  const beside = textTable(
    [...whole, { ...why, flexible: false }],
    cells.map((row, place) => [...row, reasons[place] ?? '']),
    width,
  );
  if (fits(beside, width)) return beside;
  return reasonsBelow(textTable(columns, cells, width), reasons, width);
}

const fits = (text: string, width: number): boolean => text.split('\n').every((line) => stringWidth(line) <= width);

/** Each row of the table is one line of it, after that of the titles. */
function reasonsBelow(table: string, reasons: readonly string[], width: number): string {
  const [titles = '', ...lines] = table.split('\n');
  const rows = lines.flatMap((line, place) =>
    place < REASONS_SHOWN ? [line, wrapText(reasons[place] ?? '', width, '    ', '    ')] : [line],
  );
  const rest = reasons.length - REASONS_SHOWN;
  const more = `The words of the other ${count(rest, 'row')} are in --format json.`;
  return [titles, ...rows, ...(rest > 0 ? [wrapText(more, width, '', '')] : [])].join('\n');
}

function amountsOf(row: TrialRow, currency: string | undefined): string {
  if (row.kind === 'alert') return '';
  return row.kind === 'change' ? formatMoneyChange(row.from, row.to, currency) : 'refused';
}

/** The limit that a change was held to, or the code of what refused it. */
function heldBy(row: TrialRow): string {
  if (row.kind === 'alert') return '';
  return row.kind === 'change' ? (row.limitedBy ?? '') : row.refusal.code;
}

function reasonOf(row: TrialRow): string {
  return oneLine(row.kind === 'alert' ? row.text : row.kind === 'refusal' ? refusalWords(row.refusal) : row.reason);
}
