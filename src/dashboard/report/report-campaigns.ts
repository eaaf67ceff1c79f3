import type { CivilDate, DateRange } from '../../domain/civil-date.ts';
import { type Html, html } from '../../views/html/html.ts';
import { type Cell, named, numbers, type TableColumn, table, words } from '../../views/html/table.ts';
import { amountText, costText, counted, countText, numberText, shareText } from '../../views/html/wording.ts';
import { calledCampaign } from '../../views/report/account-months.ts';
import { descending, sumsWithin } from '../../views/report/movers.ts';
import { paceOf, perClick, perConversion, returnOnSpend, sumOfDays } from '../../views/report/pace.ts';
import type { AccountFacts, CampaignFacts, DaySums, ReportFacts } from '../../views/report/report-facts.ts';

const CAMPAIGNS_MAX = 25;

export function campaignTable(
  { campaigns = [], days, currency }: AccountFacts,
  month: DateRange,
  tables: ReportFacts['budgetTables'],
): Html {
  const all = campaigns
    .map((campaign) => ({ campaign, sums: sumsWithin(campaign.days, month) }))
    .sort((one, other) => descending(one.sums.costMicros ?? -1n, other.sums.costMicros ?? -1n));
  // Only for the shown campaigns, because thousands of campaigns would take too long.
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
    ...numbers('Month end'),
    ...(anyBudget ? numbers('Daily budget') : []),
  ];
  const restSums = sumOfDays(rest.map(({ sums }) => sums));
  return html`<h4>Campaigns</h4>
${table({
  caption: `Campaigns by spend${rest.length > 0 ? `, the first ${shown.length} of ${all.length.toLocaleString('en')}` : ''}`,
  columns,
  rows: shown.map(({ campaign, pace, sums }): Cell[] => [
    named(calledCampaign(campaign)),
    costText(sums.costMicros, currency),
    countText(sums.clicks),
    costText(perClick(sums), currency),
    ...results(sums),
    ...(anyLost ? [shareText(campaign.lostToBudget)] : []),
    costText(pace?.projected, currency),
    ...(anyBudget ? [budgetCell(campaign, currency)] : []),
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
  if (budget.count === 1 && budget.isPartial !== true) return amount;
  const words = budget.count === 1 ? 'may be shared with unknown campaigns' : `shared by ${budget.count}`;
  return html`${amount}<br><span class="note">${words}</span>`;
}

/** A complete day without a row counts as zero. */
function costOf({ days }: CampaignFacts): (date: CivilDate) => bigint | undefined {
  return (date) => {
    const day = days.get(date);
    return day === undefined ? 0n : day.costMicros;
  };
}
