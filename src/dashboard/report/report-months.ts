import { minuteText } from '../../domain/civil-date.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { shortLine } from '../../domain/outside-text.ts';
import { explorePath, linkFrom, pathOf } from '../../domain/pages.ts';
import { listed } from '../../domain/wording.ts';
import type { AccountMonth } from '../../language/results/account-month.ts';
import type { Column } from '../../storage/columns/column.ts';
import type { LastRead } from '../../storage/records/runs/coverage-table.ts';
import { spendRows } from '../../storage/warehouse/publish/published-selects.ts';
import { smallChart } from '../../views/html/chart/small-chart.ts';
import { type Html, html } from '../../views/html/html.ts';
import { aside, named } from '../../views/html/table.ts';
import { counted, monthText, rateText, shortDay, zoneWords } from '../../views/html/wording.ts';
import { htmlTable } from '../../views/kit/html.ts';
import { onPage } from '../../views/kit/page-column.ts';
import { sheetOf } from '../../views/kit/sheet.ts';
import { numberWords } from '../../views/report/arriving-words.ts';
import { MONTH_COLUMNS } from '../../views/report/month-columns.ts';
import { lackedWords, shareOfChange, shortDigits, targetDigits, targetName } from '../../views/report/month-words.ts';
import type { AccountFacts, ReportFacts } from '../../views/report/report-facts.ts';
import { microsOf, VALUE } from '../../views/report/sum-columns.ts';
import { changesOf, monthDrawing } from './report-course.ts';
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
}${unknownBudgets(facts)}${facts.range === undefined && html`<p class="note">${zoneWords(facts.accounts)}</p>\n`}${left > 0 && html`<p class="note">${counted(left, 'account')} with fewer recent clicks ${left === 1 ? 'is' : 'are'} not shown. The published table account has all.</p>\n`}</section>
`;
}

function captionOf(months: readonly AccountMonth[], facts: ReportFacts): string {
  const named = [...new Set(months.flatMap(({ month }) => month ?? []))].sort().map(monthText);
  if (named.length === 0) return 'The month so far';
  const shown = months.slice(0, SHOWN_MAX);
  const isPale = shown.some(({ arriving, spent }) => arriving !== undefined && spent !== undefined);
  const hasDots = shown.some((month) => changesOf(month, facts).length > 0);
  return `${named.join(' or ')}, complete days only${isPale ? '. Conversions of pale days are still arriving' : ''}${hasDots ? '. Dots mark budget changes' : ''}`;
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

/** The columns of the terminal and of JSON, with links, notes and a chart. A figure has its change in its cell. */
function pageColumns(
  accounts: ReadonlyMap<CustomerId, AccountFacts>,
  facts: ReportFacts,
  hasCharts: boolean,
): Column<AccountMonth>[] {
  const inNotes: Partial<Column<AccountMonth>> = { only: ['json'] };
  const more: Readonly<Record<string, Partial<Column<AccountMonth>>>> = {
    name: {
      page: (month, here) => accountLink(month, accounts, here),
      note: (month) => html`${month.currency && `${month.currency}, `}${readWords(month, accounts)}`,
    },
    currency: inNotes,
    spent_micros: { link: (month) => rowsPath(month, facts), importance: 2, note: weekNote },
    month_end_micros: {
      shown: ({ month, monthEnd, currency }) => shortDigits(monthEnd, currency) ?? (month && 'too few days'),
      importance: 2,
      note: ({ cap, currency }) => `budgets allow ${shortDigits(cap, currency) ?? 'an unknown amount'}`,
    },
    week_micros: inNotes,
    week_before_micros: inNotes,
    conversions: {
      note: ({ arriving }) =>
        arriving && html`<span class="arriving">${numberWords(arriving.soFar)} of them still arriving</span>`,
    },
    cpa_micros: { note: (month) => convertedNote(month, month.cpa) },
    // The note has the names.
    target_covers: inNotes,
    target_micros: {
      shown: ({ target, currency }) => target && targetDigits(target, currency),
      note: targetNote,
      importance: 2,
    },
  };
  const chart = onPage.text('Month', 'month', {
    page: (month: AccountMonth) => monthChart(accounts.get(month.customerId), month, facts),
  });
  return MONTH_COLUMNS.flatMap((column) => [
    ...(hasCharts && column.key === 'month_end_micros' ? [chart] : []),
    { ...column, ...more[column.key] },
    ...(column.key === 'cpa_micros' ? RETURN_COLUMNS : []),
  ]);
}

const RETURN_COLUMNS: readonly Column<AccountMonth>[] = [
  { ...VALUE, shown: ({ conversionsValue, currency }) => shortDigits(microsOf(conversionsValue), currency) },
  onPage.number('ROAS', 'roas', {
    shown: ({ roas }) => rateText(roas),
    note: (month) => convertedNote(month, month.roas),
  }),
];

function convertedNote({ arriving }: AccountMonth, rate: bigint | number | undefined): string | undefined {
  return rate !== undefined && arriving?.completeUntil ? `to ${shortDay(arriving.completeUntil)}` : undefined;
}

/** Such as "7 days 1,904, −1%". */
function weekNote({ week, weekBefore, currency }: AccountMonth): string | undefined {
  const change = shareOfChange(week, weekBefore);
  return week === undefined ? undefined : `7 days ${[shortDigits(week, currency), change].filter(Boolean).join(', ')}`;
}

function targetNote({ target, month, memberOf }: AccountMonth): Html | undefined {
  if (target === undefined) {
    return memberOf.length > 0 ? html`counts towards ${aside(listed(memberOf))}` : undefined;
  }
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
  const drawing = account && monthDrawing(account, month, facts);
  if (drawing === undefined || month.arriving === undefined) return drawing && smallChart(drawing);
  const { completeUntil, days } = month.arriving;
  const paleFrom = drawing.x.findLastIndex((date) => completeUntil !== undefined && date <= completeUntil);
  return smallChart({
    ...drawing,
    summary: `${drawing.summary}, conversions of the last ${days === 1 ? 'day' : `${days} days`} still arriving`,
    // Only the first line is spend. The others are a forecast and a target.
    series: drawing.series.map((one, index) => (index === 0 ? { ...one, paleFrom } : one)),
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
