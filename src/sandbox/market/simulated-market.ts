import { addDays, type CivilDate, type DateRange, daysBetween } from '../../domain/civil-date.ts';
import { InvariantError } from '../../domain/errors.ts';
import type { CustomerId } from '../../domain/ids.ts';
import type { Micros } from '../../domain/micros.ts';
import { civilDate } from '../../domain/parse-civil-date.ts';
import { buildAccount } from './build-account.ts';
import { demandOf, type Shock, simulateCampaignDay } from './campaign-demand.ts';
import type { Account, Budget, Campaign, VisitRow } from './market.ts';
import { hashOf, uniform } from './random.ts';
import { ACCOUNT_PLANS, type AccountPlan, type CampaignPlan } from './seeded-plans.ts';

export interface CampaignShock extends ShockDays {
  readonly campaign: Campaign;
}

/** Budgets limit spending, but never change the demand or the random values. */
export interface SimulatedMarket {
  readonly identity: string;
  readonly seed: number;
  readonly simulatedCost: boolean;
  readonly account: Account;
  /** Undefined if every day has data. */
  readonly days: DateRange | undefined;
  shocksWithin(range: DateRange): readonly CampaignShock[];
  spendDay(date: CivilDate, amountOf: (budget: Budget) => Micros, visit: VisitRow): void;
}

export type SimulatedChoice =
  | { readonly kind: 'seeded'; readonly customerId: CustomerId | undefined }
  | { readonly kind: 'planned'; readonly campaigns: number };

export const SEEDED_CUSTOMERS: readonly string[] = ACCOUNT_PLANS.map(({ customerId }) => customerId);

/** Without shocks, a seeded account has the same data as in the sandbox. */
export function simulatedMarket(seed: number, choice: SimulatedChoice, shocks: boolean): SimulatedMarket {
  const { plan, account } = accountOf(seed, choice);
  const demands = demandOf(seed, account, plan);
  const active = account.campaigns.filter(({ status }) => status === 'ENABLED');
  const known = new Map<string, ShockDays | undefined>();
  const shockOf = (campaign: Campaign, stretch: number) => {
    if (!shocks) return undefined;
    const key = `${campaign.id} ${stretch}`;
    if (!known.has(key)) known.set(key, shockIn(seed, campaign.id, stretch));
    return known.get(key);
  };
  return {
    identity: `seed ${seed}`,
    seed,
    simulatedCost: true,
    account,
    days: undefined,
    shocksWithin: (range) => active.flatMap((campaign) => shocksOf(campaign, range, shockOf)),
    spendDay(date, amountOf, visit) {
      const stretch = stretchOf(date);
      for (const demand of demands) {
        // A float is exact enough, because the amount only limits simulated clicks and costs.
        const amountMicros = Number(amountOf(demand.campaign.budget));
        const effect = effectOn(shockOf(demand.campaign, stretch), date);
        for (const { unitIndex, impressions, clicks, clickCostMicros, wanted } of simulateCampaignDay(
          demand,
          date,
          amountMicros,
          effect,
        )) {
          visit(unitIndex, impressions, clicks, clicks * clickCostMicros, wanted);
        }
      }
    },
  };
}

function accountOf(seed: number, choice: SimulatedChoice): { readonly plan: AccountPlan; readonly account: Account } {
  if (choice.kind === 'planned') {
    const plan = simulatedPlan(seed, choice.campaigns);
    const account = buildAccount(plan, ACCOUNT_PLANS.length);
    return { plan, account: { ...account, budgets: account.budgets.filter((one) => one.campaignIds.length > 0) } };
  }
  const found = ACCOUNT_PLANS.findIndex(({ customerId }) => customerId === choice.customerId);
  const index = choice.customerId === undefined ? 0 : found;
  const plan = ACCOUNT_PLANS[index];
  if (plan === undefined) throw new InvariantError(`The seeded market has no account ${choice.customerId}.`);
  return { plan, account: buildAccount(plan, index) };
}

function shocksOf(
  campaign: Campaign,
  { from, to }: DateRange,
  shockOf: (campaign: Campaign, stretch: number) => ShockDays | undefined,
): CampaignShock[] {
  const found: CampaignShock[] = [];
  for (let stretch = stretchOf(from); stretch <= stretchOf(to); stretch += 1) {
    const shock = shockOf(campaign, stretch);
    if (shock !== undefined && shock.from <= to && shock.to >= from) found.push({ ...shock, campaign });
  }
  return found;
}

/** If there are at least this many campaigns, the last three share a budget. */
const SHARING_FROM = 10;
const SHARES = [0.4, 0.35, 0.25];

function simulatedPlan(seed: number, campaigns: number): AccountPlan {
  return {
    customerId: '5000000001',
    name: `Simulated account of ${campaigns} ${campaigns === 1 ? 'campaign' : 'campaigns'}`,
    currency: 'EUR',
    timeZone: 'Europe/Berlin',
    sharedBudget: { name: 'Shared budget', amount: 90 },
    orderValue: 60,
    forms: ['{}', 'buy {}', '{} online', 'best {}'],
    everywhere: 'sale',
    campaigns: Array.from({ length: campaigns }, (_, index) => campaignPlan(seed, index, campaigns)),
  };
}

function campaignPlan(seed: number, index: number, campaigns: number): CampaignPlan {
  const number = String(index + 1).padStart(3, '0');
  const draw = (place: number) => uniform(hashOf(`plan|${seed}`), index, place);
  const share = campaigns < SHARING_FROM ? undefined : SHARES[index - campaigns + SHARES.length];
  return {
    name: `Campaign ${number}`,
    budget: share === undefined ? 10 + Math.floor(draw(0) * 120) : { share },
    demand: 0.35 + 1.5 * draw(1) ** 2,
    clickCost: 0.3 + 3.2 * draw(2) ** 2,
    clicksPerImpression: 0.03 + 0.08 * draw(3),
    conversionsPerClick: 0.01 + 0.05 * draw(4),
    status: 'ENABLED',
    channel: 'SEARCH',
    terms: ['a', 'b', 'c'].map((letter) => `product ${number}${letter}`),
  };
}

export type ShockKind = 'surge' | 'collapse' | 'dear_clicks';

interface ShockDays extends DateRange {
  readonly kind: ShockKind;
}

const EFFECTS: Readonly<Record<ShockKind, Shock>> = {
  surge: { demandTimes: 2, clickCostTimes: 1 },
  collapse: { demandTimes: 0.1, clickCostTimes: 1 },
  dear_clicks: { demandTimes: 1, clickCostTimes: 1.5 },
};

const EPOCH = civilDate('2020-01-01');
/** Each campaign has at most one shock in a period of this length. */
const STRETCH_DAYS = 28;
const CHANCE = 0.45;

const stretchOf = (date: CivilDate): number => Math.floor(daysBetween(EPOCH, date) / STRETCH_DAYS);

/** The result depends only on the arguments, so rules cannot influence shocks. */
function shockIn(seed: number, campaign: string, stretch: number): ShockDays | undefined {
  const who = hashOf(`shock|${seed}|${campaign}`);
  const draw = (number: number) => uniform(who, stretch, number);
  if (draw(0) >= CHANCE) return undefined;
  const kind = draw(1) < 0.4 ? 'surge' : draw(1) < 0.7 ? 'collapse' : 'dear_clicks';
  const days = kind === 'surge' ? 3 + Math.floor(draw(2) * 4) : kind === 'collapse' ? 1 : 7;
  const from = addDays(EPOCH, stretch * STRETCH_DAYS + Math.floor(draw(3) * (STRETCH_DAYS - days + 1)));
  return { kind, from, to: addDays(from, days - 1) };
}

function effectOn(shock: ShockDays | undefined, date: CivilDate): Shock | undefined {
  return shock !== undefined && shock.from <= date && date <= shock.to ? EFFECTS[shock.kind] : undefined;
}
