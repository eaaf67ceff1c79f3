import { addDays, type CivilDate, type DateRange, daysOf } from '../../domain/civil-date.ts';
import { type Html, html } from '../../html/html.ts';
import { type Cell, named, numbers, type TableColumn, table, words } from '../../html/table.ts';
import {
  amountText,
  costText,
  counted,
  countText,
  numberText,
  percentText,
  rangeText,
  shareText,
} from '../../html/wording.ts';
import {
  newestSettled,
  paceOf,
  perClick,
  perConversion,
  perMille,
  returnOnSpend,
  settledDates,
  sumOfDays,
} from './pacing.ts';
import type { AccountFacts, CampaignFacts, DayFacts, DaySums, ReportFacts } from './report-facts.ts';
import { verdict } from './report-overview.ts';

const CAMPAIGNS_MAX = 25;
const MOVERS_MAX = 8;

export function campaignTable(
  { campaigns = [], days, currency }: AccountFacts,
  month: DateRange,
  tables: ReportFacts['budgetTables'],
): Html {
  const all = campaigns
    .map((campaign) => ({ campaign, sums: sumsWithin(campaign.days, month) }))
    .sort((one, other) => descending(one.sums.costMicros ?? -1n, other.sums.costMicros ?? -1n));
  // Computes the pace only of campaigns that are shown, because thousands would take too long.
  const shown = all.slice(0, CAMPAIGNS_MAX).map(({ campaign, sums }) => ({
    campaign,
    sums,
    pace: paceOf(days, campaign.budget?.dailyMicros, costOf(campaign)),
  }));
  const rest = all.slice(CAMPAIGNS_MAX);
  const anyBudget = shown.some(({ campaign }) => campaign.budget !== undefined);
  const anyLost = shown.some(({ campaign }) => campaign.lostToBudget !== undefined);
  const anyResults = shown.some(({ sums }) => sums.conversions !== undefined);
  const results = (sums: DaySums): Cell[] =>
    anyResults
      ? [numberText(sums.conversions), costText(perConversion(sums), currency), numberText(returnOnSpend(sums))]
      : [];
  const columns: TableColumn[] = [
    ...words('Campaign'),
    ...numbers('Spent this month', 'Clicks', 'Cost per click'),
    ...(anyResults ? numbers('Conversions', 'CPA', 'ROAS') : []),
    ...(anyLost ? numbers('Lost to budget') : []),
    ...numbers('Month at run rate'),
    ...(anyBudget ? [{ title: 'Daily budget', numeric: true }, { title: 'Forecast' }] : []),
  ];
  const restSums = sumOfDays(rest.map(({ sums }) => sums));
  return html`<h4>Campaigns</h4>
${table({
  caption: `Campaigns by spend${rest.length > 0 ? `, the first ${shown.length} of ${all.length.toLocaleString('en')}` : ''}`,
  columns,
  rows: shown.map(({ campaign, pace, sums }): Cell[] => [
    named(campaign.name ?? `campaign ${campaign.campaignId}`),
    costText(sums.costMicros, currency),
    countText(sums.clicks),
    costText(perClick(sums), currency),
    ...results(sums),
    ...(anyLost ? [shareText(campaign.lostToBudget)] : []),
    costText(pace?.projected, currency),
    ...(anyBudget
      ? [budgetCell(campaign, currency), pace !== undefined && isItsOwn(campaign) ? verdict(pace) : undefined]
      : []),
  ]),
  ...(rest.length === 0
    ? {}
    : {
        foot: [
          [
            `${counted(rest.length, 'other campaign')}`,
            costText(restSums.costMicros, currency),
            countText(restSums.clicks),
            costText(perClick(restSums), currency),
            ...results(restSums),
          ],
        ],
      }),
  none: 'no recent complete day.',
})}${shown.some(({ campaign }) => campaign.budget === undefined) && html`<p class="note">${anyBudget ? 'The budgets of some campaigns are unknown' : 'The budgets of the campaigns are unknown'}: ${unknownLinks(tables)}.</p>\n`}`;
}

function unknownLinks({ campaigns }: ReportFacts['budgetTables']): Html {
  if (campaigns.length > 0)
    return html`the table <code>${campaigns.join(', ')}</code> lacks removed campaigns and accounts that were not read`;
  return html`add a query that selects <code>campaign.id</code>, <code>campaign_budget.id</code> and <code>campaign_budget.amount_micros</code>, such as <code>queries/campaign.sql</code>`;
}

function budgetCell({ budget }: CampaignFacts, currency: string | undefined): Cell {
  if (budget === undefined) return undefined;
  const amount = amountText(budget.dailyMicros, currency);
  if (isItsOwn({ budget })) return amount;
  const words = budget.count === 1 ? 'may be shared with unknown campaigns' : `shared by ${budget.count}`;
  return html`${amount}<br><span class="note">${words}</span>`;
}

function isItsOwn({ budget }: Pick<CampaignFacts, 'budget'>): boolean {
  return budget?.count === 1 && budget.isPartial !== true;
}

/** A complete day without a row counts as zero. */
function costOf({ days }: CampaignFacts): (date: CivilDate) => bigint | undefined {
  return (date) => {
    const day = days.get(date);
    return day === undefined ? 0n : day.costMicros;
  };
}

export function moversTable({ campaigns = [], days, currency }: AccountFacts): Html {
  const windows = moverWindows(days);
  if (windows === undefined) {
    return html`<h4>Movers</h4>\n<p class="none">The last 14 days are not all complete, so weeks are not compared.</p>\n`;
  }
  const found = movers(campaigns, windows, MOVERS_MAX);
  return html`<h4>Movers</h4>
${table({
  caption: `${rangeText(windows.now)} against the seven days before`,
  columns: [...words('Campaign'), ...numbers('Spend before', 'Spend now', 'Change', 'Clicks', 'Cost per click')],
  rows: found.map(({ campaign, now, before }) => [
    named(campaign.name ?? `campaign ${campaign.campaignId}`),
    costText(before.costMicros, currency),
    costText(now.costMicros, currency),
    changeText(now.costMicros, before.costMicros, currency),
    fromTo(countText(before.clicks), countText(now.clicks)),
    fromTo(costText(perClick(before), currency), costText(perClick(now), currency)),
  ]),
  none: 'no campaign’s spend changed.',
})}`;
}

function changeText(
  now: bigint | undefined,
  before: bigint | undefined,
  currency: string | undefined,
): string | undefined {
  if (now === undefined || before === undefined) return undefined;
  const difference = now - before;
  const share = percentText(perMille(difference, before), true);
  const amount = costText(difference, currency)?.replace('-', '−');
  return `${difference > 0n ? '+' : ''}${amount}${share === undefined ? ' (new)' : ` (${share})`}`;
}

function fromTo(before: string | undefined, now: string | undefined): string {
  return `${before ?? '–'} → ${now ?? '–'}`;
}

function descending(one: bigint, other: bigint): number {
  return one < other ? 1 : one > other ? -1 : 0;
}

export interface Windows {
  readonly now: DateRange;
  readonly before: DateRange;
}

/** Undefined unless all 14 days are complete: a partial week cannot be compared with a full week. */
export function moverWindows(days: readonly DayFacts[]): Windows | undefined {
  const until = newestSettled(days);
  if (until === undefined) return undefined;
  const settled = settledDates(days);
  const windows = {
    now: { from: addDays(until, -6), to: until },
    before: { from: addDays(until, -13), to: addDays(until, -7) },
  };
  const all = daysOf({ from: windows.before.from, to: until });
  return all.every((date) => settled.has(date)) ? windows : undefined;
}

export interface Move {
  readonly campaign: CampaignFacts;
  readonly now: DaySums;
  readonly before: DaySums;
}

function sumsWithin(days: ReadonlyMap<CivilDate, DaySums>, range: DateRange): DaySums {
  return sumOfDays(daysOf(range).flatMap((date) => days.get(date) ?? []));
}

/** Omits campaigns whose spend is unchanged or unknown. */
export function movers(campaigns: readonly CampaignFacts[], windows: Windows, most: number): Move[] {
  const size = ({ now, before }: Move) => {
    const difference = (now.costMicros ?? 0n) - (before.costMicros ?? 0n);
    return difference < 0n ? -difference : difference;
  };
  return campaigns
    .map((campaign) => ({
      campaign,
      now: sumsWithin(campaign.days, windows.now),
      before: sumsWithin(campaign.days, windows.before),
    }))
    .filter((move) => move.now.costMicros !== undefined && move.before.costMicros !== undefined && size(move) > 0n)
    .sort((one, other) => descending(size(one), size(other)))
    .slice(0, most);
}
