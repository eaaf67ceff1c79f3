import type { CivilDate, DateRange } from '../domain/civil-date.ts';
import { InvariantError } from '../domain/errors.ts';
import type { CustomerId } from '../domain/ids.ts';
import type { Micros } from '../domain/micros.ts';
import { buildAccount } from './build-account.ts';
import { demandOf, simulateCampaignDay } from './campaign-demand.ts';
import type { Account, Budget, Campaign, VisitRow } from './market.ts';
import { ACCOUNT_PLANS, type AccountPlan } from './seeded-plans.ts';
import { effectOn, type ShockDays, shockIn, stretchOf } from './shocks.ts';
import { simulatedPlan } from './simulated-plan.ts';

/** What befell a campaign. */
export interface CampaignShock extends ShockDays {
  readonly campaign: Campaign;
}

/** One account whose days can be spent with one set of budgets or another: the demand and its luck are the same. */
export interface SimulatedMarket {
  /** `seed 1`, `market FILE`. */
  readonly identity: string;
  /** No cost was given, and clicks cost what follows from the seed. */
  readonly simulatedCost: boolean;
  readonly account: Account;
  /** The days that have demand; undefined where it has no end. */
  readonly days: DateRange | undefined;
  /** Those that touch the days, campaign by campaign. */
  shocksWithin(range: DateRange): readonly CampaignShock[];
  /** Visits the rows of the complete day, spent with these daily amounts. */
  spendDay(date: CivilDate, amountOf: (budget: Budget) => Micros, visit: VisitRow): void;
}

/** Which account the simulation is about; the first of the sandbox's where nothing is said. */
export type SimulatedChoice =
  | { readonly kind: 'seeded'; readonly customerId: CustomerId | undefined }
  | { readonly kind: 'planned'; readonly campaigns: number };

/** The ids of the accounts that the sandbox's market has. */
export const SEEDED_CUSTOMERS: readonly string[] = ACCOUNT_PLANS.map(({ customerId }) => customerId);

/**
 * An account of the sandbox's seeded market, or one made of as many campaigns as are wanted. Without shocks its days are
 * those of the sandbox. `customerId` is one of {@link SEEDED_CUSTOMERS}.
 */
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
    simulatedCost: true,
    account,
    days: undefined,
    shocksWithin: (range) => active.flatMap((campaign) => shocksOf(campaign, range, shockOf)),
    spendDay(date, amountOf, visit) {
      const stretch = stretchOf(date);
      for (const demand of demands) {
        // The budget only steers how many clicks the simulation allows; no amount of money is computed from this float.
        const amountMicros = Number(amountOf(demand.campaign.budget));
        const effect = effectOn(shockOf(demand.campaign, stretch), date);
        for (const { keywordIndex, impressions, clicks, clickCostMicros } of simulateCampaignDay(
          demand,
          date,
          amountMicros,
          effect,
        )) {
          visit(keywordIndex, impressions, clicks, clicks * clickCostMicros);
        }
      }
    },
  };
}

function accountOf(seed: number, choice: SimulatedChoice): { readonly plan: AccountPlan; readonly account: Account } {
  if (choice.kind === 'planned') {
    const plan = simulatedPlan(seed, choice.campaigns);
    return { plan, account: withoutEmptyBudgets(buildAccount(plan, ACCOUNT_PLANS.length)) };
  }
  const found = ACCOUNT_PLANS.findIndex(({ customerId }) => customerId === choice.customerId);
  const index = choice.customerId === undefined ? 0 : found;
  const plan = ACCOUNT_PLANS[index];
  if (plan === undefined) throw new InvariantError(`The seeded market has no account ${choice.customerId}.`);
  return { plan, account: buildAccount(plan, index) };
}

/** A plan always has a shared budget, and a small account no campaign for it. */
function withoutEmptyBudgets(account: Account): Account {
  return { ...account, budgets: account.budgets.filter(({ campaignIds }) => campaignIds.length > 0) };
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
