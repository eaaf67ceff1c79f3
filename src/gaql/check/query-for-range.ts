import type { CivilDate, DateRange } from '../../domain/civil-date.ts';
import { printForService, printQuery } from '../syntax/print-query.ts';
import type { Condition, Literal } from '../syntax/tree.ts';
import { DATE_FIELD, isCoreDate } from './check-dates.ts';
import type { CheckedQuery } from './check-query.ts';
import { isPattern } from './check-value.ts';

/** Why a query's window cannot be replaced by other days; undefined when it can. */
export function fixedToItsWindow({ columns, limit, window }: CheckedQuery): string | undefined {
  if (limit !== undefined) return 'it has a LIMIT, so that its rows are not all rows of a day';
  if (window === undefined || !columns.some(({ field }) => field === DATE_FIELD))
    return `it does not select ${DATE_FIELD}`;
  return undefined;
}

/**
 * Whether the query's rows of some days are the same whether these days are asked for alone or with others: it selects
 * the day, nothing coarser, has no LIMIT, and its date conditions leave every day of the window.
 */
export function isCuttable(query: CheckedQuery): boolean {
  const coarser = query.columns.some(({ field }) => field !== DATE_FIELD && isCoreDate(field));
  const dated = query.tree.where.filter(({ field }) => isCoreDate(field.name));
  return fixedToItsWindow(query) === undefined && !coarser && dated.every(leavesNoGap);
}

function leavesNoGap(condition: Condition): boolean {
  if (condition.field.name !== DATE_FIELD) return false;
  if (condition.kind === 'comparison') return condition.operator !== '!=' && !isPattern(condition.operator);
  return condition.kind === 'during' || condition.kind === 'between';
}

/**
 * The text to send for exactly these days, both ends included, in the place of every date condition of the query. Only
 * for a query that is not {@link fixedToItsWindow}.
 */
export function queryForRange({ tree }: CheckedQuery, { from, to }: DateRange): string {
  const first = tree.where.findIndex(({ field }) => isCoreDate(field.name));
  const where = tree.where.flatMap((condition, index) => {
    if (!isCoreDate(condition.field.name)) return [condition];
    return index === first ? [between(condition, from, to)] : [];
  });
  return printForService({ ...tree, where });
}

function between({ field, operatorSpan }: Condition, from: CivilDate, to: CivilDate): Condition {
  const day = (date: CivilDate): Literal => ({ kind: 'string', text: date, raw: `'${date}'`, span: field.span });
  return { kind: 'between', field: { ...field, name: DATE_FIELD }, operatorSpan, low: day(from), high: day(to) };
}

/**
 * What the query asks of a day: its text without the days where it can be cut, so that days read by it stay its own when
 * its window becomes another; otherwise all of its text.
 */
export function questionOf(query: CheckedQuery): string {
  if (!isCuttable(query)) return query.text;
  const where = query.tree.where.filter(({ field }) => !isCoreDate(field.name));
  const select = query.tree.select.map((field) => ({ ...field, alias: undefined }));
  return printQuery({ ...query.tree, select, where });
}
