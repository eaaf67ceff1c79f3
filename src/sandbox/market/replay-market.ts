import { basename } from 'node:path';
import { type BudgetId, budgetId, type CampaignId, campaignId, customerId } from '../../domain/ids.ts';
import { type Micros, micros } from '../../domain/micros.ts';
import type { Account, AdGroup, Budget, Campaign, Keyword, Market } from './market.ts';
import { hashOf, uniform } from './random.ts';
import { type FileKeyword, type MarketRows, readMarketFile } from './read-market-file.ts';

const CAMPAIGNS_DEALT = 12;
const AD_GROUPS_DEALT = 4;

/**
 * Real history instead of the seeded one: one account in EUR and Berlin time whose days never change, whatever budgets
 * are set. Rows of the same keyword and day add up. Without a cost column each keyword's clicks cost a price that
 * follows from the seed. Throws InputError for a file that is no market.
 */
export async function replayMarket(file: string, seed: number): Promise<Market> {
  const rows = await readMarketFile(file);
  const costs = rows.costMicros ?? simulateCosts(rows, seed);
  const account = buildAccount(`Market ${basename(file)}`, rows, costs);
  const days = indexByDay(rows);
  const ascending = [...rows.dates].sort();
  const from = ascending[0];
  const to = ascending.at(-1);
  return {
    identity: `market ${basename(file)}`,
    simulatedCost: rows.costMicros === undefined,
    accounts: [account],
    ...(from !== undefined && to !== undefined ? { replayedDays: { from, to } } : {}),
    days: () => ascending,
    visitDay(_account, date, _moment, visit) {
      for (const row of days.get(date) ?? []) {
        visit(rows.keyword[row] ?? 0, rows.impressions[row] ?? 0, rows.clicks[row] ?? 0, costs[row] ?? 0);
      }
    },
  };
}

/** 0.20 to 1.80 EUR a click, whole cents, the same for a keyword on every day. */
function simulateCosts(rows: MarketRows, seed: number): Float64Array {
  const clickCosts = rows.keywords.map(
    ({ id }) => 10_000 * Math.round(20 + 160 * uniform(hashOf(`${seed}|${id}`), 0, 0)),
  );
  return Float64Array.from(rows.keyword, (keyword, row) => (clickCosts[keyword] ?? 0) * (rows.clicks[row] ?? 0));
}

/** For each day the places of its rows; the file need not be sorted. */
function indexByDay({ dates, date }: MarketRows): Map<string, Int32Array> {
  const counts = new Int32Array(dates.length);
  for (const day of date) counts[day] = (counts[day] ?? 0) + 1;
  const places = dates.map((_, day) => new Int32Array(counts[day] ?? 0));
  const filled = new Int32Array(dates.length);
  date.forEach((day, row) => {
    const at = filled[day] ?? 0;
    const list = places[day];
    if (list) list[at] = row;
    filled[day] = at + 1;
  });
  return new Map(dates.map((day, index) => [day, places[index] ?? new Int32Array(0)]));
}

function buildAccount(name: string, rows: MarketRows, costs: ArrayLike<number>): Account {
  const homes = dealHomes(rows.keywords);
  const campaigns = buildCampaigns(rows, costs, homes);
  const adGroups = new Map<string, AdGroup>();
  for (const key of [...new Set(homes.map(({ campaign, adGroup }) => adGroupKey(campaign, adGroup)))].sort()) {
    const id = String(9_200_000_001 + adGroups.size);
    adGroups.set(key, { id, name: (JSON.parse(key) as string[])[1] ?? '', status: 'ENABLED' });
  }
  const keywords = rows.keywords.flatMap(({ id, text, matchType }, index): Keyword[] => {
    const home = homes[index];
    const campaign = home && campaigns.get(home.campaign);
    const adGroup = home && adGroups.get(adGroupKey(home.campaign, home.adGroup));
    if (!campaign || !adGroup) return [];
    return [{ campaign, adGroup, criterionId: id, status: 'ENABLED', text: text ?? `keyword ${id}`, matchType }];
  });
  return {
    ...{ customerId: customerId('9000000001'), name, currency: 'EUR', timeZone: 'Europe/Berlin', keywords },
    campaigns: [...campaigns.values()],
    budgets: [...campaigns.values()].map(({ budget }) => budget),
  };
}

const adGroupKey = (campaign: string, adGroup: string): string => JSON.stringify([campaign, adGroup]);

interface Home {
  readonly campaign: string;
  readonly adGroup: string;
}

/**
 * Where each keyword belongs. What the file does not say is dealt like cards, in the order of the ids and not of the
 * rows, so that the same keywords in another order give the same account.
 */
function dealHomes(keywords: readonly FileKeyword[]): Home[] {
  const order = keywords.map((_, index) => index);
  order.sort((a, b) => compareIds(keywords[a]?.id ?? '', keywords[b]?.id ?? ''));
  const homes: Home[] = [];
  order.forEach((index, card) => {
    const { campaign, adGroup } = keywords[index] ?? {};
    // Keywords of one named ad group stay in one campaign.
    const hand = (adGroup === undefined ? card : hashOf(adGroup)) % CAMPAIGNS_DEALT;
    const dealtGroup = 1 + (Math.floor(card / CAMPAIGNS_DEALT) % AD_GROUPS_DEALT);
    homes[index] = {
      campaign: campaign ?? `Campaign ${String(hand + 1).padStart(2, '0')}`,
      adGroup: adGroup ?? `Ad group ${dealtGroup}`,
    };
  });
  return homes;
}

function compareIds(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}

/** Each campaign with a budget of its own, a fifth above what it cost on an average day, in whole euros. */
function buildCampaigns(rows: MarketRows, costs: ArrayLike<number>, homes: readonly Home[]): Map<string, Campaign> {
  const totals = new Map<string, number>();
  for (const { campaign } of homes) totals.set(campaign, 0);
  rows.keyword.forEach((keyword, row) => {
    const name = homes[keyword]?.campaign ?? '';
    totals.set(name, (totals.get(name) ?? 0) + (costs[row] ?? 0));
  });
  const names = [...totals.keys()].sort();
  return new Map(
    names.map((name, index) => {
      const id = campaignId(String(9_100_000_001 + index));
      const amount = dailyAmount(BigInt(totals.get(name) ?? 0), BigInt(rows.dates.length));
      const budget = ownBudget(budgetId(String(9_300_000_001 + index)), name, amount, id);
      return [name, { id, name, status: 'ENABLED', budget }];
    }),
  );
}

function dailyAmount(totalMicros: bigint, days: bigint): Micros {
  const euros = (totalMicros * 12n) / (10n * days * 1_000_000n) + 1n;
  return micros(euros * 1_000_000n);
}

function ownBudget(id: BudgetId, name: string, baseAmount: Micros, campaign: CampaignId): Budget {
  return { id, name, baseAmount, explicitlyShared: false, campaignIds: [campaign] };
}
