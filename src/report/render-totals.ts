import { grouped } from '../domain/grouped.ts';
import { formatMoneyRounded } from '../domain/micros.ts';
import type { TotalResult } from './report-result.ts';
import { count, LINES_MAX, type NameOf, oneLine, type TextLayout, withId } from './text-layout.ts';
import { type TableColumn, textTable } from './text-table.ts';

const CAMPAIGNS_SHOWN = 8;
/** More accounts than these are shown without their campaigns. */
const WITH_CAMPAIGNS_MAX = 5;

/**
 * Title and table of each query that has metrics: accounts with their largest campaigns, or the largest accounts alone. Several
 * queries often count the same clicks: campaigns are shown once, by the query with the most of them, as on the report page.
 */
export function totalTables(
  totals: readonly TotalResult[],
  nameOf: NameOf,
  { width }: TextLayout,
): { readonly title: string; readonly table: string }[] {
  const queries = grouped(totals, ({ query }) => query);
  const most = Math.max(...queries.map(clicksOf));
  const main = queries.find((ofQuery) => clicksOf(ofQuery) === most);
  return queries.map((all) => {
    const ofQuery = all === main ? all : parted(all).whole;
    const metrics = [...(ofQuery[0]?.metrics.keys() ?? [])];
    const accounts = grouped(ofQuery, ({ customerId }) => customerId);
    const few = accounts.length <= WITH_CAMPAIGNS_MAX;
    const columns: TableColumn[] = [
      { title: few && all === main ? 'Account and campaign' : 'Account', align: 'left', flexible: true },
      ...metrics.map((name) => ({ title: metricTitle(name), align: 'right' as const })),
    ];
    const rows = few
      ? accounts.flatMap((account) => accountRows(account, metrics, nameOf))
      : largestAccounts(ofQuery, metrics, nameOf);
    return { title: `Totals of ${ofQuery[0]?.query}`, table: textTable(columns, rows, width) };
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

/** By money where all of it is in one currency, by the first other metric elsewhere: yen and euros have no common order. */
function heaviestFirst(totals: readonly TotalResult[], metrics: readonly string[]): TotalResult[] {
  const oneCurrency = new Set(totals.map(({ currency }) => currency)).size < 2;
  const isMoney = (name: string) => name.endsWith('_micros');
  const weight = metrics.find((name) => isMoney(name) === oneCurrency) ?? metrics[0] ?? '';
  return totals.toSorted((a, b) => Number(b.metrics.get(weight) ?? 0) - Number(a.metrics.get(weight) ?? 0));
}

function metricTitle(column: string): string {
  const words = column.replace(/_micros$/, '').replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function campaignName({ campaign }: TotalResult): string {
  return oneLine(campaign?.name ?? `campaign ${campaign?.id}`);
}

function cells({ metrics: sums, currency }: TotalResult, metrics: readonly string[]): string[] {
  return metrics.map((name) => {
    const value = sums.get(name) ?? 0n;
    if (typeof value === 'bigint' && name.endsWith('_micros')) return formatMoneyRounded(value, currency);
    return value.toLocaleString('en-US');
  });
}
