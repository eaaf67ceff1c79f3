import { type CivilDate, type DateRange, daysOf, minuteText } from '../../domain/civil-date.ts';
import { pathOf } from '../../domain/pages.ts';
import { stillArriving } from '../../domain/still-arriving.ts';
import { grouped } from '../../domain/wording.ts';
import type { Column } from '../../storage/columns/column.ts';
import { DAY_MARKS } from '../../storage/columns/state-words.ts';
import { chart } from '../../views/html/chart/chart.ts';
import { dayChart } from '../../views/html/chart/day-chart.ts';
import type { Series } from '../../views/html/chart/plot.ts';
import { type Html, html } from '../../views/html/html.ts';
import { aside } from '../../views/html/table.ts';
import { amountText, costText, counted, countText, drawnMoney, monthText } from '../../views/html/wording.ts';
import { htmlTable } from '../../views/kit/html.ts';
import { onPage } from '../../views/kit/page-column.ts';
import { sheetOf } from '../../views/kit/sheet.ts';
import { accountPace, calledCampaign } from '../../views/report/account-months.ts';
import { arrivingWords } from '../../views/report/arriving-words.ts';
import { shortDigits } from '../../views/report/month-words.ts';
import { descending, sumsWithin } from '../../views/report/movers.ts';
import { cumulativeSpend, type Pacing, paceOf, sumOfDays, weekdayMeans } from '../../views/report/pace.ts';
import type {
  AccountFacts,
  CampaignFacts,
  DailyBudget,
  DayFacts,
  DaySums,
  ReportFacts,
} from '../../views/report/report-facts.ts';
import { CLICKS, CONVERSIONS, CPA, CPC, ROAS, SPEND, type Summed, VALUE } from '../../views/report/sum-columns.ts';
import { failedRead, unknownBudget } from './report-months.ts';
import { moversTable } from './report-movers.ts';

const TREND_DAYS = 60;

/** With a range, the charts have its days, and campaigns are left out. `here` is the path of a page of the dashboard. */
export function accountDetails(
  account: AccountFacts,
  tables: ReportFacts['budgetTables'],
  range?: DateRange,
  here?: string,
): Html {
  const { customerId, name, currency, timeZone } = account;
  const days = range
    ? account.days.filter(({ date }) => date >= range.from && date <= range.to)
    : account.days.slice(-TREND_DAYS);
  const pace = accountPace(account);
  return html`<section aria-labelledby="a${customerId}">
<h3 id="a${customerId}">${aside(name ?? customerId)}</h3>
<p class="muted">Account ${customerId}, ${currency ?? 'currency unknown'}, ${timeZone ?? 'time zone unknown'}. ${
    account.budget === undefined
      ? html`Its budgets are unknown: ${unknownBudget(tables)}.`
      : `Daily budgets: ${amountText(account.budget.dailyMicros, currency)} in ${counted(account.budget.count, 'budget')}, from ${account.budget.source}.`
  } ${failedRead(account.lastRead) ?? (account.lastRead.at !== undefined && `Numbers as of ${minuteText(account.lastRead.at)}.`)}${account.oldBudgets.map((old) => html` The table <code>${old.table}</code> is ${failedRead(old)}`)}</p>
${
  pace === undefined
    ? html`<p class="none">No complete day yet, so no numbers for the month.</p>\n`
    : html`${sentence(pace, currency)}<div class="charts">
${paceChart(account, pace)}${trendChart(
  days,
  'Spend',
  currency ?? '',
  (complete) =>
    drawnMoney(
      complete.map((day) => day?.costMicros),
      currency,
    ),
  ({ costMicros }) => costText(costMicros, currency),
)}${trendChart(
  days,
  'Clicks',
  '',
  (complete) => ({ values: complete.map((day) => (day?.clicks === undefined ? undefined : Number(day.clicks))) }),
  ({ clicks }) => countText(clicks),
)}${weekdayChart({ ...account, days })}</div>
${monthsTable(account)}${range === undefined && html`${campaignTable(account, pace.month, tables, here)}${moversTable(account, here)}`}`
}</section>
`;
}

function sentence(
  { month, daysGone, daysSettled, spent, projected, idealOfMonth }: Pacing,
  currency: string | undefined,
): Html {
  const whole = daysOf(month).length;
  const gaps = daysGone - daysSettled;
  const ended = daysSettled === whole;
  return html`<p>${monthText(month.from)}: <strong>${costText(spent, currency) ?? 'an unknown amount'}</strong> spent in ${counted(daysSettled, 'complete day')} of ${whole}${gaps > 0 && ` (${counted(gaps, 'earlier day')} ${gaps === 1 ? 'is' : 'are'} missing or provisional)`}. ${
    ended
      ? 'The month is complete.'
      : projected === undefined
        ? 'No forecast yet: it needs seven complete days with known costs.'
        : html`At the weekday rates of the last four weeks, it would end at <strong>${costText(projected, currency)}</strong>${idealOfMonth !== undefined && `; today’s budgets allow ${amountText(idealOfMonth, currency)}`}.`
  }</p>\n`;
}

function paceChart({ days, budget, currency }: AccountFacts, pace: Pacing): Html {
  const dates = daysOf(pace.month);
  const spent = cumulativeSpend(days, dates, pace.newest);
  const ideal = dates.map((_, index) => budget && budget.dailyMicros * BigInt(index + 1));
  return dayChart({
    title: `${monthText(pace.month.from)}, cumulative`,
    summary:
      budget === undefined
        ? 'Spend from the month’s first day. No budget is known.'
        : 'Spend from the month’s first day. Today’s daily budgets are the cap.',
    unit: currency ?? '',
    x: dates,
    series: [
      {
        name: 'spent',
        ...drawnMoney(spent, currency),
        end: { value: shortDigits(pace.spent, currency), word: 'spent' },
      },
      ...(budget === undefined
        ? []
        : [
            {
              name: 'cap: today’s budgets',
              ...drawnMoney(ideal, currency),
              dashed: true,
              end: { value: shortDigits(pace.idealOfMonth, currency), word: 'cap' },
            },
          ]),
    ],
  });
}

function trendChart(
  days: readonly DayFacts[],
  title: string,
  unit: string,
  drawn: (days: readonly (DayFacts | undefined)[]) => Pick<Series, 'values' | 'texts'>,
  valueText: (day: DayFacts) => string | undefined,
): Html {
  const columns: readonly Column<DayFacts>[] = [
    onPage.day('Day', 'date'),
    onPage.number(title, undefined, { shown: valueText }),
    onPage.text('State', ({ state }) => DAY_MARKS[state][1]),
  ];
  const open = days.filter(({ state }) => state !== 'settled').length;
  return dayChart({
    title: `${title} per day`,
    summary: `${title} of ${counted(days.length, 'day')}${open > 0 ? `, without ${counted(open, 'incomplete day')}` : ''}.`,
    unit,
    x: days.map(({ date }) => date),
    series: [{ name: title, ...drawn(days.map((day) => (day.state === 'settled' ? day : undefined))) }],
    table: htmlTable(sheetOf(columns, days, 'people'), { caption: `${title} per day` }),
  });
}

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;

interface Weekday extends Summed {
  readonly weekday: number;
  readonly days: number;
}

const WEEKDAY_COLUMNS: readonly Column<Weekday>[] = [
  onPage.text('Weekday', ({ weekday }) => WEEKDAYS[weekday - 1]),
  onPage.count('Days', 'days'),
  SPEND,
  CLICKS,
];

function weekdayChart({ days, currency }: AccountFacts): Html {
  const clicks = weekdayMeans(days, (one) => one.clicks);
  const rows = weekdayMeans(days, (one) => one.costMicros).map((one, index) => ({
    ...one,
    costMicros: one.mean,
    clicks: clicks[index]?.mean,
    currency,
  }));
  return chart({
    title: 'Spend by weekday',
    summary: 'The mean of each weekday in at most 28 days, complete days only.',
    unit: currency ?? '',
    x: [...WEEKDAYS],
    series: [
      {
        name: 'spend',
        ...drawnMoney(
          rows.map(({ mean }) => mean),
          currency,
        ),
        bars: true,
      },
    ],
    table: htmlTable(sheetOf(WEEKDAY_COLUMNS, rows, 'people'), { caption: 'Means by weekday' }),
  });
}

interface PastMonth extends Summed {
  readonly month: string;
  readonly complete: number;
}

const PAST_MONTH_COLUMNS: readonly Column<PastMonth>[] = [
  onPage.text('Month', 'month'),
  onPage.count('Complete days', 'complete'),
  SPEND,
  CLICKS,
  CPC,
];

function monthsTable({ days, currency }: AccountFacts): Html | false {
  const settled = days.filter(({ state }) => state === 'settled');
  const months = grouped(settled, ({ date }) => date.slice(0, 7));
  if (months.length < 2) return false;
  const rows = months.map((ofMonth) => {
    const month = monthText(`${ofMonth[0]?.date.slice(0, 7)}-01` as CivilDate);
    return { ...sumOfDays(ofMonth), month, complete: ofMonth.length, currency };
  });
  return html`<details><summary>Months</summary>
${htmlTable(sheetOf(PAST_MONTH_COLUMNS, rows, 'people'), { caption: 'By month, complete days only' })}</details>\n`;
}

const CAMPAIGNS_MAX = 25;

interface CampaignRow extends Summed {
  readonly label: string;
  /** Undefined for the sum of the others. */
  readonly pagePath?: string;
  readonly lostToBudget?: number | undefined;
  readonly monthEnd?: bigint | undefined;
  readonly budget?: DailyBudget | undefined;
}

const CAMPAIGN_COLUMNS: readonly Column<CampaignRow>[] = [
  onPage.text('Campaign', 'label', { link: ({ pagePath }) => pagePath }),
  { ...SPEND, title: 'Spent this month' },
  CLICKS,
  CPC,
  CONVERSIONS,
  CPA,
  VALUE,
  ROAS,
  onPage.share('Lost to budget', 'lostToBudget'),
  onPage.money('Month end', 'monthEnd', { rounded: true }),
  onPage.money('Daily budget', ({ budget }) => budget?.dailyMicros, {
    note: ({ budget }) => budget && sharedWords(budget),
  }),
];

function campaignTable(
  { customerId, campaigns = [], days, lag, currency }: AccountFacts,
  month: DateRange,
  tables: ReportFacts['budgetTables'],
  here: string | undefined,
): Html {
  const all = campaigns
    .map((campaign) => ({ campaign, sums: sumsWithin(campaign.days, month) }))
    .sort((one, other) => descending(one.sums.costMicros ?? -1n, other.sums.costMicros ?? -1n));
  // Only for the shown campaigns, because thousands of campaigns would take too long.
  const shown = all.slice(0, CAMPAIGNS_MAX).map(({ campaign, sums }): CampaignRow => {
    const { budget, lostToBudget } = campaign;
    const monthEnd = paceOf(days, budget?.dailyMicros, costOf(campaign))?.projected;
    return {
      ...sums,
      converted: convertedIn(campaign, month, lag),
      label: calledCampaign(campaign),
      pagePath: pathOf('campaign', { customer: customerId, campaign: campaign.campaignId }),
      currency,
      lostToBudget,
      monthEnd,
      budget,
    };
  });
  const rest = all.slice(CAMPAIGNS_MAX);
  const others = {
    ...sumOfDays(rest.map(({ sums }) => sums)),
    converted: sumOfDays(rest.map(({ campaign }) => convertedIn(campaign, month, lag))),
    label: counted(rest.length, 'other campaign'),
    currency,
  };
  const foot = rest.length === 0 ? [] : [others];
  const inMonth = days.filter(({ date, state }) => state === 'settled' && date >= month.from && date <= month.to);
  const arriving = lag && stillArriving(inMonth, lag);
  const byValue = days.some(({ conversionsValue }) => conversionsValue !== undefined);
  const columns = CAMPAIGN_COLUMNS.filter((column) => byValue || column.title !== VALUE.title);
  const anyBudget = shown.some(({ budget }) => budget !== undefined);
  return html`<h4>Campaigns</h4>
${htmlTable(sheetOf(columns, [...shown, ...foot], 'people'), {
  caption: `Campaigns by spend${rest.length > 0 ? `, the first ${shown.length} of ${all.length.toLocaleString('en')}` : ''}`,
  none: 'no recent complete day.',
  foot: foot.length,
  path: here,
})}${arriving && html`<p class="note">${arrivingWords(arriving)}</p>\n`}${shown.some(({ budget }) => budget === undefined) && html`<p class="note">${anyBudget ? 'The budgets of some campaigns are unknown' : 'The budgets of the campaigns are unknown'}: ${unknownLinks(tables)}.</p>\n`}`;
}

function convertedIn({ days }: CampaignFacts, { from, to }: DateRange, lag: AccountFacts['lag']): DaySums {
  if (lag === undefined) return sumsWithin(days, { from, to });
  const { completeUntil: until } = lag;
  return until === undefined ? sumOfDays([]) : sumsWithin(days, { from, to: until < to ? until : to });
}

function unknownLinks({ campaigns }: ReportFacts['budgetTables']): Html {
  if (campaigns.length > 0)
    return html`the table <code>${campaigns.join(', ')}</code> lacks removed campaigns and accounts that were not read`;
  return html`add a query that selects <code>campaign.id</code>, <code>campaign_budget.id</code> and <code>campaign_budget.amount_micros</code>, such as <code>queries/campaign.sql</code>`;
}

function sharedWords({ count: campaigns, isPartial }: DailyBudget): string | undefined {
  if (campaigns > 1) return `shared by ${campaigns}`;
  return isPartial === true ? 'may be shared with unknown campaigns' : undefined;
}

/** A complete day without a row counts as zero. */
function costOf({ days }: CampaignFacts): (date: CivilDate) => bigint | undefined {
  return (date) => {
    const day = days.get(date);
    return day === undefined ? 0n : day.costMicros;
  };
}
