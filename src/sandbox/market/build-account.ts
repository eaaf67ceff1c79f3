import { budgetId, campaignId, customerId } from '../../domain/ids.ts';
import { micros } from '../../domain/micros.ts';
import type { Account, AdGroup, Budget, Campaign, Keyword, MatchType, OpenGroup, Status } from './market.ts';
import { hashOf, uniform } from './random.ts';
import type { AccountPlan, CampaignPlan } from './seeded-plans.ts';

const MATCH_TYPES: readonly MatchType[] = ['EXACT', 'PHRASE', 'BROAD'];
const PAUSED_KEYWORDS = 0.06;

/** Ids and amounts do not depend on the seed, so stored budget changes fit every seed. */
export function buildAccount(plan: AccountPlan, accountIndex: number): Account {
  const ids = idSeries(accountIndex);
  const campaignIds = plan.campaigns.map(() => campaignId(ids.campaign()));
  const budgets = buildBudgets(plan, campaignIds, ids.budget);
  const campaigns = plan.campaigns.map((campaign, index): Campaign => {
    const id = campaignIds[index];
    const own = budgets.find((candidate) => id !== undefined && candidate.campaignIds.includes(id));
    // Budgets do not list removed campaigns. A removed campaign gets the first budget.
    const budget = own ?? budgets[0];
    if (id === undefined || budget === undefined) throw new RangeError('A campaign of the plan has no budget.');
    const { name, status, channel, conversionsPerClick } = campaign;
    const results = { conversionsPerClick, orderValue: plan.orderValue };
    return { id, name, status, channel, budget, results };
  });
  const everywhereId = ids.criterion();
  const keywords: Keyword[] = [];
  const openGroups: OpenGroup[] = [];
  for (const [index, campaign] of campaigns.entries()) {
    for (const term of plan.campaigns[index]?.terms ?? []) {
      const isAssetGroup = campaign.channel === 'PERFORMANCE_MAX';
      const group: AdGroup = { id: isAssetGroup ? ids.assetGroup() : ids.adGroup(), name: term, status: 'ENABLED' };
      if (campaign.channel !== 'SEARCH') openGroups.push({ campaign, group });
      else {
        for (const form of plan.forms) {
          keywords.push(keywordOf(campaign, group, form.replace('{}', term), ids.criterion()));
        }
        keywords.push(keywordOf(campaign, group, plan.everywhere, everywhereId));
      }
    }
  }
  const { name, currency, timeZone } = plan;
  return {
    customerId: customerId(plan.customerId),
    name,
    currency,
    timeZone,
    budgets,
    campaigns,
    keywords,
    openGroups,
  };
}

function buildBudgets(plan: AccountPlan, campaignIds: readonly Campaign['id'][], nextId: () => string): Budget[] {
  const idsWhere = (wanted: (campaign: CampaignPlan) => boolean) =>
    campaignIds.filter((_, index) => {
      const campaign = plan.campaigns[index];
      return campaign !== undefined && wanted(campaign);
    });
  const shared: Budget = {
    id: budgetId(nextId()),
    name: plan.sharedBudget.name,
    baseAmount: micros(BigInt(plan.sharedBudget.amount) * 1_000_000n),
    explicitlyShared: true,
    campaignIds: idsWhere(({ budget, status }) => typeof budget !== 'number' && status !== 'REMOVED'),
  };
  const own = plan.campaigns.flatMap((campaign): Budget[] => {
    if (typeof campaign.budget !== 'number') return [];
    return [
      {
        id: budgetId(nextId()),
        name: campaign.name,
        baseAmount: micros(BigInt(campaign.budget) * 1_000_000n),
        explicitlyShared: false,
        campaignIds: idsWhere((candidate) => candidate === campaign),
      },
    ];
  });
  return [shared, ...own];
}

function keywordOf(campaign: Campaign, adGroup: AdGroup, text: string, criterionId: string): Keyword {
  const draw = (number: number) => uniform(hashOf(text), hashOf(adGroup.id), number);
  const status: Status = draw(0) < PAUSED_KEYWORDS ? 'PAUSED' : 'ENABLED';
  const matchType = MATCH_TYPES[Math.floor(draw(1) * MATCH_TYPES.length)] ?? 'BROAD';
  return { campaign, adGroup, criterionId, status, text, matchType };
}

function idSeries(
  accountIndex: number,
): Record<'campaign' | 'budget' | 'adGroup' | 'assetGroup' | 'criterion', () => string> {
  const series = (start: number, step: number) => {
    let next = start + accountIndex * 1_000_000_000;
    return () => {
      next += step;
      return String(next);
    };
  };
  return {
    campaign: series(17_204_000_000, 104_729),
    budget: series(11_087_000_000, 15_485),
    adGroup: series(132_610_000_000, 7_919),
    assetGroup: series(6_540_000_000, 3_571),
    criterion: series(297_350_000_000, 6_101),
  };
}
