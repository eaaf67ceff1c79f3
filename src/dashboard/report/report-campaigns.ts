import type { CivilDate, DateRange } from '../../domain/civil-date.ts';
import type { Column } from '../../storage/columns/column.ts';
import { type Html, html } from '../../views/html/html.ts';
import { counted } from '../../views/html/wording.ts';
import { htmlTable } from '../../views/kit/html.ts';
import { onPage } from '../../views/kit/page-column.ts';
import { sheetOf } from '../../views/kit/sheet.ts';
import { calledCampaign } from '../../views/report/account-months.ts';
import { descending, sumsWithin } from '../../views/report/movers.ts';
import { paceOf, sumOfDays } from '../../views/report/pace.ts';
import type { AccountFacts, CampaignFacts, DailyBudget, ReportFacts } from '../../views/report/report-facts.ts';
import { CLICKS, CONVERSIONS, CPA, CPC, ROAS, SPEND, type Summed } from '../../views/report/sum-columns.ts';

const CAMPAIGNS_MAX = 25;

interface CampaignRow extends Summed {
  readonly label: string;
  readonly lostToBudget?: number | undefined;
  readonly monthEnd?: bigint | undefined;
  readonly budget?: DailyBudget | undefined;
}

const CAMPAIGN_COLUMNS: readonly Column<CampaignRow>[] = [
  onPage.text('Campaign', 'label'),
  { ...SPEND, title: 'Spent this month' },
  CLICKS,
  CPC,
  CONVERSIONS,
  CPA,
  ROAS,
  onPage.share('Lost to budget', 'lostToBudget'),
  onPage.money('Month end', 'monthEnd', { rounded: true }),
  onPage.money('Daily budget', ({ budget }) => budget?.dailyMicros, {
    note: ({ budget }) => budget && sharedWords(budget),
  }),
];

export function campaignTable(
  { campaigns = [], days, currency }: AccountFacts,
  month: DateRange,
  tables: ReportFacts['budgetTables'],
): Html {
  const all = campaigns
    .map((campaign) => ({ campaign, sums: sumsWithin(campaign.days, month) }))
    .sort((one, other) => descending(one.sums.costMicros ?? -1n, other.sums.costMicros ?? -1n));
  // Only for the shown campaigns, because thousands of campaigns would take too long.
  const shown = all.slice(0, CAMPAIGNS_MAX).map(({ campaign, sums }): CampaignRow => {
    const { budget, lostToBudget } = campaign;
    const monthEnd = paceOf(days, budget?.dailyMicros, costOf(campaign))?.projected;
    return { ...sums, label: calledCampaign(campaign), currency, lostToBudget, monthEnd, budget };
  });
  const rest = all.slice(CAMPAIGNS_MAX);
  const others = {
    ...sumOfDays(rest.map(({ sums }) => sums)),
    label: counted(rest.length, 'other campaign'),
    currency,
  };
  const foot = rest.length === 0 ? [] : [others];
  const anyBudget = shown.some(({ budget }) => budget !== undefined);
  return html`<h4>Campaigns</h4>
${htmlTable(sheetOf(CAMPAIGN_COLUMNS, [...shown, ...foot], 'people'), {
  caption: `Campaigns by spend${rest.length > 0 ? `, the first ${shown.length} of ${all.length.toLocaleString('en')}` : ''}`,
  none: 'no recent complete day.',
  foot: foot.length,
})}${shown.some(({ budget }) => budget === undefined) && html`<p class="note">${anyBudget ? 'The budgets of some campaigns are unknown' : 'The budgets of the campaigns are unknown'}: ${unknownLinks(tables)}.</p>\n`}`;
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
