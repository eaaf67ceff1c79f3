import { daysOf, endOfGrain, minuteText } from '../../domain/civil-date.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { shortLine } from '../../domain/outside-text.ts';
import { explorePath, linkFrom, pathOf } from '../../domain/pages.ts';
import type { AccountMonth } from '../../language/results/account-month.ts';
import type { Column } from '../../storage/columns/column.ts';
import type { LastRead } from '../../storage/records/runs/coverage-table.ts';
import { spendRows } from '../../storage/warehouse/publish/published-selects.ts';
import { smallChart } from '../../views/html/chart/small-chart.ts';
import { type Html, html } from '../../views/html/html.ts';
import { named } from '../../views/html/table.ts';
import { counted, drawnAmount, monthText, shortDay } from '../../views/html/wording.ts';
import { htmlTable } from '../../views/kit/html.ts';
import { onPage } from '../../views/kit/page-column.ts';
import { sheetOf } from '../../views/kit/sheet.ts';
import { numberWords } from '../../views/report/arriving-words.ts';
import { MONTH_COLUMNS } from '../../views/report/month-columns.ts';
import {
  lackedWords,
  shareOfChange,
  shortDigits,
  shortMoney,
  targetDigits,
  targetName,
} from '../../views/report/month-words.ts';
import { cumulativeSpend } from '../../views/report/pace.ts';
import type { AccountFacts, ReportFacts } from '../../views/report/report-facts.ts';
import { offText } from './report-head.ts';

const SHOWN_MAX = 12;

/** Amounts in different currencies are never added. */
export function monthsSection(facts: ReportFacts, months: readonly AccountMonth[], here?: string): Html {
  const left = facts.accountsLeftOut;
  const rest = months.slice(SHOWN_MAX);
  return html`<section data-section="accounts" aria-labelledby="accounts">
<h2 id="accounts">Accounts</h2>
${monthTable(captionOf(months, facts), months.slice(0, SHOWN_MAX), facts, true, here)}${
  rest.length > 0 &&
  html`<details><summary>${counted(rest.length, 'more account')}</summary>
${monthTable('More accounts', rest, facts, false, here)}</details>\n`
}${unknownBudgets(facts)}${left > 0 && html`<p class="note">${counted(left, 'account')} with fewer recent clicks ${left === 1 ? 'is' : 'are'} not shown. The published table account has all.</p>\n`}</section>
`;
}

function captionOf(months: readonly AccountMonth[], facts: ReportFacts): string {
  const named = [...new Set(months.flatMap(({ month }) => month ?? []))].sort().map(monthText);
  if (named.length === 0) return 'The month so far';
  const hasDots = months.slice(0, SHOWN_MAX).some((month) => changedDays(month, facts).length > 0);
  return `${named.join(' or ')}, complete days only${hasDots ? '. Dots mark budget changes' : ''}`;
}

/** Days of the month with budget changes, as far as the chart has a line. */
function changedDays({ customerId, month, completeUntil, spent, monthEnd }: AccountMonth, { changes }: ReportFacts) {
  if (month === undefined || completeUntil === undefined || spent === undefined) return [];
  const to = monthEnd === undefined ? completeUntil : endOfGrain('month', month);
  const days = changes.filter((one) => one.customerId === customerId).map(({ accountDay }) => accountDay);
  return days.filter((day) => day >= month && day <= to);
}

function monthTable(
  caption: string,
  months: readonly AccountMonth[],
  facts: ReportFacts,
  hasCharts: boolean,
  here: string | undefined,
): Html {
  const accounts = new Map(facts.accounts.map((account) => [account.customerId, account]));
  return htmlTable(sheetOf(pageColumns(accounts, facts, hasCharts), months, 'people'), {
    caption,
    path: here,
    none: noneWords(facts),
  });
}

/** The columns of the terminal and of JSON, with links, notes and a chart. */
function pageColumns(
  accounts: ReadonlyMap<CustomerId, AccountFacts>,
  facts: ReportFacts,
  hasCharts: boolean,
): Column<AccountMonth>[] {
  const more: Readonly<Record<string, Partial<Column<AccountMonth>>>> = {
    name: { page: (month, here) => accountLink(month, accounts, here), note: (month) => readWords(month, accounts) },
    currency: { title: 'Currency' },
    spent_micros: { link: (month) => rowsPath(month, facts), importance: 2 },
    month_end_micros: {
      shown: ({ month, monthEnd, currency }) => shortDigits(monthEnd, currency) ?? (month && 'too few days'),
      importance: 2,
    },
    cap_micros: { title: 'Budgets allow up to', shown: ({ cap, currency }) => shortDigits(cap, currency) ?? 'unknown' },
    conversions: { note: ({ arriving }) => arriving && `${numberWords(arriving.soFar)} still arriving` },
    cpa_micros: {
      note: ({ arriving, cpa }) =>
        cpa !== undefined && arriving?.completeUntil ? `to ${shortDay(arriving.completeUntil)}` : undefined,
    },
    // The note has the names.
    target_covers: { only: ['json'] },
    target_micros: {
      shown: ({ target, currency }) => target && targetDigits(target, currency),
      note: targetNote,
      importance: 2,
    },
  };
  const isLast = ({ key }: Column<AccountMonth>) => key === 'cap_micros';
  const inOrder = MONTH_COLUMNS.toSorted((one, other) => Number(isLast(one)) - Number(isLast(other)));
  const columns = inOrder.map((column) => ({ ...column, ...more[column.key] }));
  const chart = onPage.text('Month', 'month', {
    page: (month: AccountMonth) => monthChart(accounts.get(month.customerId), month, facts),
  });
  return hasCharts ? columns.toSpliced(2, 0, chart) : columns;
}

function targetNote({ target, month }: AccountMonth): Html | undefined {
  if (target === undefined) return undefined;
  const { projected, target: planned, isWhole } = target;
  const when = target.month !== month && `, ${monthText(target.month)}`;
  return html`${offText(shareOfChange(projected, planned) ?? '', target)}${!isWhole && html`<br><span class="wraps">${named(targetName(target))}${when}</span>`}`;
}

/** The rows behind the sum. */
function rowsPath(
  { customerId, month: from, completeUntil: to }: AccountMonth,
  facts: ReportFacts,
): string | undefined {
  const { table: query, range } = facts;
  if (!query || !from || !to) return undefined;
  const campaigns = range?.campaigns ?? [];
  return explorePath(spendRows({ query, customers: [customerId], campaigns, range: { from, to } }));
}

function accountLink(
  { customerId, name }: AccountMonth,
  accounts: ReadonlyMap<CustomerId, AccountFacts>,
  here: string | undefined,
): Html {
  const called = named(name ?? customerId);
  const detailed = accounts.get(customerId)?.campaigns === undefined ? undefined : `#a${customerId}`;
  const href = here === undefined ? detailed : linkFrom(here, pathOf('account', { customer: customerId }));
  return href === undefined ? called : html`<a href="${href}">${called}</a>`;
}

function readWords(
  { customerId, completeUntil, lackedDays }: AccountMonth,
  accounts: ReadonlyMap<CustomerId, AccountFacts>,
): Html | string {
  const account = accounts.get(customerId);
  const old = account && failedRead(account.lastRead);
  if (old !== undefined) return old;
  if (completeUntil !== undefined)
    return html`complete until <span class="day">${completeUntil}</span>${lackedDays > 0 && `, ${lackedWords(lackedDays)}`}`;
  return account?.days.length === 0 ? 'no days read' : 'no complete day yet';
}

function monthChart(account: AccountFacts | undefined, month: AccountMonth, facts: ReportFacts): Html | undefined {
  const { month: from, completeUntil: newest, spent, monthEnd, target, currency } = month;
  if (account === undefined || from === undefined || newest === undefined || spent === undefined) return undefined;
  const changed = new Set(changedDays(month, facts));
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
  const marks = dates.flatMap((date, index) => (changed.has(date) ? { index, words: '' } : []));
  return smallChart({
    title: 'Spend of the month',
    summary: `${shortMoney(spent, currency)} until ${shortDay(newest)}, expected ${shortMoney(monthEnd, currency) ?? 'unknown'}`,
    series: [
      { name: 'spent', values: sums.map(drawnAmount), marks },
      { name: 'expected', values: expected, dashed: true, colour: 1, marks: marks.filter(({ index }) => index > at) },
      ...(planned === undefined
        ? []
        : [{ name: 'target', values: dates.map((_, index) => (planned * (index + 1)) / dates.length), colour: 3 }]),
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
