import { formatMoneyRounded } from '../../domain/micros.ts';
import { sumOfArriving } from '../../domain/still-arriving.ts';
import { capitalised, grouped } from '../../domain/wording.ts';
import type {
  AccountResult,
  MessageResult,
  ReportResult,
  SliceResult,
  TotalResult,
} from '../../language/results/report-result.ts';
import { moreRows } from '../kit/terminal.ts';
import {
  bullets,
  count,
  firstOf,
  LINES_MAX,
  type NameOf,
  namesOf,
  oneLine,
  section,
  type TextLayout,
  withId,
  wrapText,
} from '../text/text-layout.ts';
import { type TableColumn, textTable } from '../text/text-table.ts';
import { arrivingWords } from './arriving-words.ts';
import { suggestionWords } from './decision-words.ts';
import { decisionBlocks, rulesTable } from './render-decisions.ts';
import { headBlocks } from './render-head.ts';

export function renderReportText(result: ReportResult, layout: TextLayout): string {
  const nameOf = namesOf(result.accounts);
  const blocks = [
    ...headBlocks(result, layout),
    section('Read', readTable(result.slices, nameOf, layout), layout),
    section('Not read', unreadTable(result.slices, nameOf, layout), layout),
    ...totalTables(result.totals, nameOf, layout).map(({ title, table }) => section(title, table, layout)),
    section('Rules', rulesTable(result.rules, nameOf, layout), layout),
    section('Open changes of earlier runs', decisionBlocks(result.settled, nameOf, layout), layout),
    section('Budgets', budgetBlocks(result, nameOf, layout), layout),
    section('Alerts', messageLines(result.messages, layout), layout),
    section('Accounts left out', bullets(leftOutLines(result.accounts, nameOf), layout), layout),
    section('Notes', bullets(result.notes, layout), layout),
    costLine(result, layout),
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

function costLine({ run: { operations } }: ReportResult, { width }: TextLayout): string {
  if (operations === 0) return '';
  return wrapText(`Used ${count(operations, 'operation')} of the advertising interface's daily quota.`, width, '', '');
}

export function messageLines(messages: readonly MessageResult[], { width }: TextLayout): string {
  const words = { accepted: 'sent to', pending: 'waiting for', failed: 'refused for', unknown: 'not confirmed for' };
  return messages
    .map(({ recipient, state, firstLine, alerts, instead }) => {
      const more = alerts > 1 ? ` · and ${count(alerts - 1, 'more alert')}` : '';
      const other = instead === undefined ? '' : `, sent by ${instead} instead`;
      return wrapText(`${words[state]} ${recipient}${other}: ${oneLine(firstLine)}${more}`, width, '  ', '    ');
    })
    .join('\n');
}

function budgetBlocks(result: ReportResult, nameOf: NameOf, layout: TextLayout): string {
  const { command } = result.run;
  const isDetailed = command !== 'budgets approve' && command !== 'budgets undo';
  const blocks = decisionBlocks(result.decisions, nameOf, layout, isDetailed);
  const suggests = result.decisions.some(({ kind, mode }) => kind === 'would_change' && mode === 'propose');
  if (!suggests) return blocks;
  return `${blocks}\n${wrapText(`${suggestionWords(result.run.mode)} See docs/go-live.md.`, layout.width, '  ', '  ')}`;
}

function readTable(slices: readonly SliceResult[], nameOf: NameOf, layout: TextLayout): string {
  if (slices.length === 0) return '';
  const lines = grouped(slices, ({ query, customerId }) => `${query} ${customerId}`);
  return lines.length <= LINES_MAX ? accountTable(lines, nameOf, layout) : queryTable(slices, layout);
}

function unreadTable(slices: readonly SliceResult[], nameOf: NameOf, layout: TextLayout): string {
  const lines = grouped(slices, ({ query, customerId }) => `${query} ${customerId}`);
  if (lines.length <= LINES_MAX) return '';
  const unread = lines.filter((line) => line.some(isUnread));
  if (unread.length === 0) return '';
  const rest = unread.length - LINES_MAX;
  const more = rest > 0 ? [moreRows(rest, layout)] : [];
  return [accountTable(unread.slice(0, LINES_MAX), nameOf, layout), ...more].join('\n');
}

function accountTable(lines: readonly (readonly SliceResult[])[], nameOf: NameOf, layout: TextLayout): string {
  const rows = lines.flatMap((line) => {
    const [first] = line;
    return first ? [[first.query, nameOf(first.customerId), daysText(line), rowsText(line)]] : [];
  });
  return textTable(readColumns({ title: 'Account', align: 'left', flexible: true }), rows, layout);
}

function readColumns(accounts: TableColumn): TableColumn[] {
  return [
    { title: 'Query', align: 'left', flexible: true },
    accounts,
    { title: 'Days', align: 'left' },
    { title: 'Rows', align: 'right' },
  ];
}

function queryTable(slices: readonly SliceResult[], layout: TextLayout): string {
  const rows = grouped(slices, ({ query }) => query).map((ofQuery) => {
    const accounts = grouped(ofQuery, ({ customerId }) => customerId);
    const read = accounts.filter((line) => !line.some(isUnread)).length;
    const all = accounts.length.toLocaleString('en-US');
    const share = read === accounts.length ? all : `${read.toLocaleString('en-US')} of ${all}`;
    const sum = ofQuery.every(({ notOffered }) => notOffered !== undefined) ? 'not offered' : sumText(ofQuery);
    return [ofQuery[0]?.query ?? '', share, daysText(ofQuery), sum];
  });
  return textTable(readColumns({ title: 'Accounts', align: 'right' }), rows, layout);
}

function isUnread({ failure, left }: SliceResult): boolean {
  return failure !== undefined || left !== undefined;
}

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

function leftOutLines(accounts: readonly AccountResult[], nameOf: NameOf): string[] {
  return grouped(
    accounts.filter(({ leftOut }) => leftOut !== undefined),
    ({ leftOut }) => leftOut ?? '',
  ).map((group) => {
    const names = group.map(({ customerId }) => withId(customerId, nameOf));
    return `${count(group.length, 'account')}, ${group[0]?.leftOut}: ${firstOf(names, LEFT_OUT_NAMED)}`;
  });
}

const CAMPAIGNS_SHOWN = 8;
const WITH_CAMPAIGNS_MAX = 5;

/** Only JSON shows these metrics. */
const ONLY_JSON = ['conversions_value', 'search_impression_share', 'search_rank_lost_impression_share'];
const TITLES: ReadonlyMap<string, string> = new Map([
  ['cpa', 'CPA'],
  ['roas', 'ROAS'],
  ['search_budget_lost_impression_share', 'Lost to budget'],
]);

/** Several queries can count the same clicks, so only one query shows campaigns. */
function totalTables(
  totals: readonly TotalResult[],
  nameOf: NameOf,
  layout: TextLayout,
): { readonly title: string; readonly table: string }[] {
  const queries = grouped(totals, ({ query }) => query);
  const divided = queries.filter((ofQuery) => parted(ofQuery).campaigns.length > 0);
  const most = Math.max(...divided.map(clicksOf));
  const main = divided.find((ofQuery) => clicksOf(ofQuery) === most);
  return queries.map((all) => {
    const ofQuery = all === main ? all : parted(all).whole;
    const metrics = [...(ofQuery[0]?.metrics.keys() ?? [])].filter((name) => !ONLY_JSON.includes(name));
    const accounts = grouped(ofQuery, ({ customerId }) => customerId);
    const few = accounts.length <= WITH_CAMPAIGNS_MAX;
    const rows = few
      ? accounts.flatMap((account) => accountRows(account, metrics, nameOf))
      : largestAccounts(ofQuery, metrics, nameOf);
    const columns: TableColumn[] = [
      { title: few && all === main ? 'Account and campaign' : 'Account', align: 'left', flexible: true },
      ...metrics.map((name) => ({ title: metricTitle(name), align: 'right' as const })),
    ];
    const table = textTable(columns, rows, layout);
    const arriving = sumOfArriving(ofQuery.map((one) => one.arriving));
    const note =
      arriving && metrics.includes('conversions')
        ? `\n${wrapText(arrivingWords(arriving), layout.width, '  ', '  ')}`
        : '';
    return { title: `Totals of ${ofQuery[0]?.query}`, table: `${table}${note}` };
  });
}

function clicksOf(totals: readonly TotalResult[]): number {
  return parted(totals).whole.reduce((sum, { metrics }) => sum + Number(metrics.get('clicks') ?? 0), 0);
}

function accountRows(totals: readonly TotalResult[], metrics: readonly string[], nameOf: NameOf): string[][] {
  const { whole, campaigns } = parted(totals);
  const heaviest = heaviestFirst(campaigns, metrics);
  const rest = heaviest.length - CAMPAIGNS_SHOWN;
  return [
    ...whole.map((total) => [withId(total.customerId, nameOf), ...cells(total, metrics)]),
    ...heaviest.slice(0, CAMPAIGNS_SHOWN).map((total) => [`  ${campaignName(total)}`, ...cells(total, metrics)]),
    ...(rest > 0 ? [[`  and ${count(rest, 'more campaign')}`, ...metrics.map(() => '')]] : []),
  ];
}

function largestAccounts(totals: readonly TotalResult[], metrics: readonly string[], nameOf: NameOf): string[][] {
  const largest = heaviestFirst(parted(totals).whole, metrics);
  const rest = largest.length - LINES_MAX;
  return [
    ...largest.slice(0, LINES_MAX).map((total) => [withId(total.customerId, nameOf), ...cells(total, metrics)]),
    ...(rest > 0 ? [[`and ${count(rest, 'more account')}`, ...metrics.map(() => '')]] : []),
  ];
}

function parted(totals: readonly TotalResult[]): { whole: TotalResult[]; campaigns: TotalResult[] } {
  return {
    whole: totals.filter(({ campaign }) => campaign === undefined),
    campaigns: totals.filter(({ campaign }) => campaign !== undefined),
  };
}

/** Sorts by an amount only if there is one currency, because currencies cannot be compared. */
function heaviestFirst(totals: readonly TotalResult[], metrics: readonly string[]): TotalResult[] {
  const oneCurrency = new Set(totals.map(({ currency }) => currency)).size < 2;
  const isMoney = (name: string) => name.endsWith('_micros');
  const weight = metrics.find((name) => isMoney(name) === oneCurrency) ?? metrics[0] ?? '';
  return totals.toSorted((a, b) => Number(b.metrics.get(weight) ?? 0) - Number(a.metrics.get(weight) ?? 0));
}

function metricTitle(column: string): string {
  const title = TITLES.get(column);
  if (title !== undefined) return title;
  return capitalised(column.replace(/_micros$/, '').replaceAll('_', ' '));
}

function campaignName({ campaign }: TotalResult): string {
  return oneLine(campaign?.name ?? `campaign ${campaign?.id}`);
}

function cells({ metrics: sums, currency }: TotalResult, metrics: readonly string[]): string[] {
  return metrics.map((name) => {
    const value = sums.get(name) ?? null;
    if (value === null) return '–';
    if (typeof value === 'bigint') {
      return name.endsWith('_micros') ? formatMoneyRounded(value, currency) : value.toLocaleString('en-US');
    }
    if (name === 'cpa') return formatMoneyRounded(BigInt(Math.round(value * 1e6)), currency);
    if (name.endsWith('_share')) return value.toLocaleString('en-US', { style: 'percent', maximumFractionDigits: 1 });
    return value.toLocaleString('en-US', { maximumFractionDigits: 2 });
  });
}
