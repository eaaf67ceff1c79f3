import { type CivilDate, daysOf, endOfGrain, minuteText } from '../../domain/civil-date.ts';
import { shortLine } from '../../domain/outside-text.ts';
import { linkFrom, pathOf } from '../../domain/pages.ts';
import type { AccountMonth, MonthTarget } from '../../language/results/account-month.ts';
import type { LastRead } from '../../storage/records/runs/coverage-table.ts';
import { spendRows } from '../../storage/warehouse/publish/published-selects.ts';
import { smallChart } from '../../views/html/charts.ts';
import { type Html, html } from '../../views/html/html.ts';
import { type Cell, named, numbers, type TableColumn, table, words } from '../../views/html/table.ts';
import { counted, drawnAmount, monthText, shortDay } from '../../views/html/wording.ts';
import { shareOfChange, shortMoney, targetDigits } from '../../views/report/month-words.ts';
import { cumulativeSpend } from '../../views/report/pace.ts';
import type { AccountFacts, ReportFacts } from '../../views/report/report-facts.ts';
import { exploreLink } from '../explore/explore-link.ts';
import { offText } from './report-head.ts';

const SHOWN_MAX = 12;

/** Amounts in different currencies are never added. */
export function monthsSection(facts: ReportFacts, months: readonly AccountMonth[], here?: string): Html {
  const left = facts.accountsLeftOut;
  const rest = months.slice(SHOWN_MAX);
  return html`<section data-section="accounts" aria-labelledby="accounts">
<h2 id="accounts">Accounts</h2>
${monthTable(captionOf(months), months.slice(0, SHOWN_MAX), facts, true, here)}${
  rest.length > 0 &&
  html`<details><summary>${counted(rest.length, 'more account')}</summary>
${monthTable('More accounts', rest, facts, false, here)}</details>\n`
}${unknownBudgets(facts)}${left > 0 && html`<p class="note">${counted(left, 'account')} with fewer recent clicks ${left === 1 ? 'is' : 'are'} not shown. The published table account has all.</p>\n`}</section>
`;
}

function captionOf(months: readonly AccountMonth[]): string {
  const named = [...new Set(months.flatMap(({ month }) => month ?? []))].sort().map(monthText);
  return named.length === 0
    ? 'The month so far'
    : `${named.join(' or ')}, complete days only. Dots mark budget changes`;
}

function monthTable(
  caption: string,
  months: readonly AccountMonth[],
  facts: ReportFacts,
  hasCharts: boolean,
  here: string | undefined,
): Html {
  const anyTarget = months.some(({ target }) => target !== undefined);
  const anyConversions = months.some(({ conversions }) => conversions !== undefined);
  const byId = new Map(facts.accounts.map((account) => [account.customerId, account]));
  const columns: TableColumn[] = [
    ...words('Account', ...(hasCharts ? ['Month'] : [])),
    ...numbers('Spent', 'Month end', ...(anyTarget ? ['Target'] : []), 'Budgets allow up to', 'Last 7 days'),
    ...(anyConversions ? numbers('Conversions', 'CPA') : []),
  ];
  return table({
    caption,
    columns,
    rows: months.map((month): Cell[] => {
      const { currency, target, week, weekBefore, conversions, cpa } = month;
      const account = byId.get(month.customerId);
      return [
        accountCell(month, account, here),
        ...(hasCharts ? [account && monthChart(account, month, changeDays(facts, account))] : []),
        spentCell(month, facts, here),
        shortMoney(month.monthEnd, currency) ?? (month.month === undefined ? undefined : 'too few days'),
        ...(anyTarget ? [target && targetCell(target, month)] : []),
        shortMoney(month.cap, currency) ?? 'unknown',
        week && html`${shortMoney(week, currency)}<br><span class="note">${shareOfChange(week, weekBefore)}</span>`,
        ...(anyConversions
          ? [conversions?.toLocaleString('en-US', { maximumFractionDigits: 0 }), shortMoney(cpa, currency)]
          : []),
      ];
    }),
    none: noneWords(facts),
  });
}

function targetCell(target: MonthTarget, { month, currency }: AccountMonth): Html {
  const { projected, target: planned, off, isWhole, rule } = target;
  const when = target.month !== month && `, ${monthText(target.month)}`;
  const share = shareOfChange(projected, planned) ?? '';
  return html`${targetDigits(target, currency)} ${currency}<br>${offText(share, off)}${!isWhole && html`<br><span class="note">${named(rule)}${when}</span>`}`;
}

/** On the dashboard, a link to the rows behind the sum. */
function spentCell(
  { customerId, month: from, completeUntil: to, spent, currency }: AccountMonth,
  facts: ReportFacts,
  here: string | undefined,
): Cell {
  const words = shortMoney(spent, currency);
  const { table: query, range } = facts;
  if (words === undefined || !here || !query || !from || !to) return words;
  const campaigns = range?.campaigns ?? [];
  return exploreLink(here, spendRows({ query, customers: [customerId], campaigns, range: { from, to } }), words);
}

function accountCell(
  { customerId, name, completeUntil }: AccountMonth,
  account: AccountFacts | undefined,
  here: string | undefined,
): Html {
  const called = named(name ?? customerId);
  const old = account && failedRead(account.lastRead);
  const state =
    completeUntil === undefined
      ? account?.days.length === 0
        ? 'no days read'
        : 'no complete day yet'
      : html`complete until <span class="day">${completeUntil}</span>`;
  const detailed = account?.campaigns === undefined ? undefined : `#a${customerId}`;
  const href = here === undefined ? detailed : linkFrom(here, pathOf('account', { customer: customerId }));
  return html`${href === undefined ? called : html`<a href="${href}">${called}</a>`}<br><span class="note">${old ?? state}</span>`;
}

function changeDays({ changes }: ReportFacts, { customerId }: AccountFacts): ReadonlySet<CivilDate> {
  return new Set(changes.filter((change) => change.customerId === customerId).map(({ accountDay }) => accountDay));
}

function monthChart(account: AccountFacts, month: AccountMonth, changed: ReadonlySet<CivilDate>): Html | undefined {
  const { month: from, completeUntil: newest, spent, monthEnd, target, currency } = month;
  if (from === undefined || newest === undefined || spent === undefined) return undefined;
  const dates = daysOf({ from, to: endOfGrain('month', from) });
  const sums = cumulativeSpend(account.days, dates, newest);
  const at = dates.indexOf(newest);
  const expected = dates.map((_, index) => {
    const end = drawnAmount(monthEnd);
    const now = drawnAmount(spent);
    if (end === undefined || now === undefined || index < at) return undefined;
    return now + ((end - now) * (index - at)) / Math.max(1, dates.length - 1 - at);
  });
  const planned = target?.isWhole ? drawnAmount(target.target) : undefined;
  const marks = dates.flatMap((date, index) => (changed.has(date) ? [index] : []));
  return smallChart({
    title: 'Spend of the month',
    summary: `${shortMoney(spent, currency)} until ${shortDay(newest)}, expected ${shortMoney(monthEnd, currency) ?? 'unknown'}`,
    kind: 'line',
    unit: currency ?? '',
    x: dates.map(shortDay),
    series: [
      { name: 'spent', values: sums.map(drawnAmount), marked: marks },
      { name: 'expected', values: expected, dashed: true, colour: 0, marked: marks.filter((index) => index > at) },
      ...(planned === undefined
        ? []
        : [{ name: 'target', values: dates.map((_, index) => (planned * (index + 1)) / dates.length), colour: 2 }]),
    ],
  });
}

function noneWords({ asOf, table: source, nearest }: ReportFacts): string {
  if (asOf === undefined || source !== undefined) return 'none read yet. Run pacekeeper report.';
  const needed = 'no table has clicks and cost per campaign and day';
  if (nearest === undefined) {
    return `${needed}. Add a query that selects campaign.id, segments.date, metrics.clicks and metrics.cost_micros, such as queries/keyword_stats.sql.`;
  }
  if (nearest.lacks.length === 0) return `${needed} yet. Run pacekeeper publish to build one from ${nearest.query}.`;
  return `${needed}. Add ${nearest.lacks.join(' and ')} to the query ${nearest.query}.`;
}

function unknownBudgets({ accounts, budgetTables }: ReportFacts): Html | false {
  const unknown = accounts.filter(({ budget, days }) => budget === undefined && days.length > 0).length;
  if (unknown === 0) return false;
  const whose =
    unknown === accounts.length
      ? 'All budgets are unknown'
      : `The budgets of ${counted(unknown, 'account')} are unknown`;
  return html`<p class="note">${whose}: ${unknownBudget(budgetTables)}.</p>\n`;
}

export function unknownBudget({ budgets }: ReportFacts['budgetTables']): Html {
  if (budgets.length > 0) return html`the table <code>${budgets.join(', ')}</code> does not list them`;
  return html`add a query that selects <code>campaign_budget.id</code> and <code>campaign_budget.amount_micros</code>, such as <code>queries/campaign_budget.sql</code>`;
}

export function failedRead({ at, failure }: LastRead): Html | undefined {
  if (failure === undefined) return undefined;
  return html`${at === undefined ? 'never read' : `as of ${minuteText(at)}`}, <span class="bad">last read failed</span>: ${shortLine(failure, FAILURE_MAX)}`;
}

const FAILURE_MAX = 120;
