import { grouped } from '../domain/grouped.ts';
import type { AccountResult, SliceResult } from './report-result.ts';
import { count, firstOf, LINES_MAX, type NameOf, type TextLayout, withId } from './text-layout.ts';
import { type TableColumn, textTable } from './text-table.ts';

/** What was read: a line per query and account, or per query alone where that would be more than anyone reads. */
export function readTable(slices: readonly SliceResult[], nameOf: NameOf, { width }: TextLayout): string {
  if (slices.length === 0) return '';
  const lines = grouped(slices, ({ query, customerId }) => `${query} ${customerId}`);
  return lines.length <= LINES_MAX ? accountTable(lines, nameOf, width) : queryTable(slices, width);
}

/** Of a list that is summed up: the queries and accounts of which something was not read. */
export function unreadTable(slices: readonly SliceResult[], nameOf: NameOf, { width }: TextLayout): string {
  const lines = grouped(slices, ({ query, customerId }) => `${query} ${customerId}`);
  if (lines.length <= LINES_MAX) return '';
  const unread = lines.filter((line) => line.some(isUnread));
  if (unread.length === 0) return '';
  const rest = unread.length - LINES_MAX;
  const more = rest > 0 ? [`and ${count(rest, 'more line', 'more lines')}; --format json has every one`] : [];
  return [accountTable(unread.slice(0, LINES_MAX), nameOf, width), ...more].join('\n');
}

function accountTable(lines: readonly (readonly SliceResult[])[], nameOf: NameOf, width: number): string {
  const columns: TableColumn[] = [
    { title: 'Query', align: 'left', flexible: true },
    { title: 'Account', align: 'left', flexible: true },
    { title: 'Days', align: 'left' },
    { title: 'Rows', align: 'right' },
  ];
  const rows = lines.flatMap((line) => {
    const [first] = line;
    return first ? [[first.query, nameOf(first.customerId), daysText(line), rowsText(line)]] : [];
  });
  return textTable(columns, rows, width);
}

function queryTable(slices: readonly SliceResult[], width: number): string {
  const columns: TableColumn[] = [
    { title: 'Query', align: 'left', flexible: true },
    { title: 'Accounts', align: 'right' },
    { title: 'Days', align: 'left' },
    { title: 'Rows', align: 'right' },
  ];
  const rows = grouped(slices, ({ query }) => query).map((ofQuery) => {
    const accounts = grouped(ofQuery, ({ customerId }) => customerId);
    const read = accounts.filter((line) => !line.some(isUnread)).length;
    const all = accounts.length.toLocaleString('en-US');
    const share = read === accounts.length ? all : `${read.toLocaleString('en-US')} of ${all}`;
    const sum = ofQuery.every(({ notOffered }) => notOffered !== undefined) ? 'not offered' : sumText(ofQuery);
    return [ofQuery[0]?.query ?? '', share, daysText(ofQuery), sum];
  });
  return textTable(columns, rows, width);
}

function isUnread({ failure, left }: SliceResult): boolean {
  return failure !== undefined || left !== undefined;
}

/** The first to the last day, whatever lies between: what is missing there is said elsewhere. */
function daysText(slices: readonly SliceResult[]): string {
  const days = slices.flatMap((slice) => slice.days ?? []);
  const from = days.map((range) => range.from).sort()[0];
  const to = days
    .map((range) => range.to)
    .sort()
    .at(-1);
  if (from === undefined) return 'now';
  return from === to ? from : `${from} to ${to}`;
}

function sumText(slices: readonly SliceResult[]): string {
  return slices.reduce((sum, { rows }) => sum + rows, 0n).toLocaleString('en-US');
}

function rowsText(slices: readonly SliceResult[]): string {
  const all = slices.length;
  const failed = slices.filter(({ failure }) => failure !== undefined).length;
  const left = slices.filter((slice) => slice.left !== undefined).length;
  if (slices.every(({ notOffered }) => notOffered !== undefined)) return 'not offered';
  if (failed + left === 0) return sumText(slices);
  if (failed + left === all) return failed > 0 ? 'failed' : 'left';
  return `${sumText(slices)} (${failed + left} of ${all} ${failed > 0 ? 'failed' : 'left'})`;
}

const LEFT_OUT_NAMED = 3;

/** Accounts that are not in use, by the service's word; of many the first ones are named. */
export function leftOutLines(accounts: readonly AccountResult[], nameOf: NameOf): string[] {
  return grouped(
    accounts.filter(({ leftOut }) => leftOut !== undefined),
    ({ leftOut }) => leftOut ?? '',
  ).map((group) => {
    const names = group.map(({ customerId }) => withId(customerId, nameOf));
    return `${count(group.length, 'account')}, ${group[0]?.leftOut}: ${firstOf(names, LEFT_OUT_NAMED)}`;
  });
}
