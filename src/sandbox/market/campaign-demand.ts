import { type CivilDate, daysBetween, weekdayOf } from '../../domain/civil-date.ts';
import { InvariantError } from '../../domain/errors.ts';
import { smallestUnit } from '../../domain/micros.ts';
import { civilDate } from '../../domain/parse-civil-date.ts';
import { type Account, type Campaign, type Keyword, type OpenGroup, unitsOf } from './market.ts';
import { hashOf, uniform } from './random.ts';
import type { AccountPlan, CampaignPlan } from './seeded-plans.ts';

/** The clicks and impressions that a campaign would get with an unlimited budget. */
export interface CampaignDemand {
  readonly campaign: Campaign;
  readonly hash: number;
  /** Share of the budget that this campaign can spend, from 0 to 1. */
  readonly budgetShare: number;
  readonly unitMicros: number;
  readonly units: readonly UnitDemand[];
}

interface UnitDemand {
  readonly index: number;
  readonly hash: number;
  readonly paused: boolean;
  readonly impressionsPerDay: number;
  readonly clicksPerImpression: number;
  readonly clickCostMicros: number;
}

export interface DayRow {
  readonly unitIndex: number;
  readonly impressions: number;
  /** Impressions that an unlimited budget would have brought. */
  readonly wanted: number;
  readonly clicks: number;
  readonly clickCostMicros: number;
}

export function demandOf(seed: number, account: Account, plan: AccountPlan): CampaignDemand[] {
  const unitMicros = Number(smallestUnit(account.currency) ?? 10_000n);
  return plan.campaigns.map((campaignPlan, index) => {
    const campaign = account.campaigns[index];
    if (campaign === undefined) throw new InvariantError(`No campaign for the plan "${campaignPlan.name}".`);
    const budgetShare = typeof campaignPlan.budget === 'number' ? 1 : campaignPlan.budget.share;
    const hash = hashOf(`${seed}|${account.customerId}|${campaign.id}`);
    const units = unitDemands(seed, account, campaign, campaignPlan, budgetShare);
    return { campaign, hash, budgetShare, unitMicros, units };
  });
}

function unitDemands(
  seed: number,
  account: Account,
  campaign: Campaign,
  plan: CampaignPlan,
  budgetShare: number,
): UnitDemand[] {
  const members = unitsOf(account).flatMap((unit, index) => {
    if (unit.campaign !== campaign) return [];
    const hash = hashOf(`${seed}|${account.customerId}|${unitKey(unit)}`);
    return [{ unit, index, hash, weight: (0.02 + uniform(hash, 0, 0)) ** 3 + 0.02 }];
  });
  const totalWeight = members.reduce((sum, { unit, weight }) => sum + (isPaused(unit) ? 0 : weight), 0);
  const budgetUnits = Number(campaign.budget.baseAmount) / 1_000_000;
  const clicksPerDay = (budgetUnits * budgetShare * plan.demand) / plan.clickCost;
  const impressionsPerDay = campaign.status !== 'ENABLED' ? 0 : clicksPerDay / plan.clicksPerImpression;
  return members.map(({ unit, index, hash, weight }) => ({
    index,
    hash,
    paused: isPaused(unit),
    impressionsPerDay: (impressionsPerDay * weight) / totalWeight,
    clicksPerImpression: plan.clicksPerImpression,
    clickCostMicros: plan.clickCost * 1_000_000 * spread(uniform(hash, 0, 1), 0.15),
  }));
}

export function unitKey(unit: Keyword | OpenGroup): string {
  return 'group' in unit ? unit.group.id : `${unit.adGroup.id}|${unit.criterionId}`;
}

const isPaused = (unit: Keyword | OpenGroup): boolean => !('group' in unit) && unit.status === 'PAUSED';

export interface Shock {
  readonly demandTimes: number;
  readonly clickCostTimes: number;
}

const NO_SHOCK: Shock = { demandTimes: 1, clickCostTimes: 1 };

export function simulateCampaignDay(
  demand: CampaignDemand,
  date: CivilDate,
  amountMicros: number,
  shock = NO_SHOCK,
): readonly DayRow[] {
  const day = hashOf(date);
  const age = daysBetween(EPOCH, date);
  const level = WEEKDAYS[weekdayOf(date) - 1] ?? 1;
  const busy = level * trend(demand.hash, age) * spread(uniform(demand.hash, day, 0), 0.12) * shock.demandTimes;
  const rows: DayRow[] = [];
  for (const unit of demand.units) {
    if (unit.paused && !servesThisWeek(unit, age)) continue;
    const row = unitDay(unit, day, busy, demand.unitMicros, shock.clickCostTimes);
    if (row.impressions > 0) rows.push(row);
  }
  return heldToBudget(rows, amountMicros * demand.budgetShare * spentShare(demand.hash, day));
}

/** Demand factors from Monday to Sunday, with a mean of 1. */
const WEEKDAYS = [1.1, 1.12, 1.08, 1.04, 0.96, 0.82, 0.88];

const EPOCH = civilDate('2020-01-01');
const SEASON_DAYS = 240;

/** `age` is in days since 2020-01-01. */
function trend(hash: number, age: number): number {
  const phase = age / SEASON_DAYS + uniform(hash, 0, 0);
  return 1 + 0.08 * Math.sin(2 * Math.PI * phase);
}

const spread = (draw: number, width: number): number => 1 - width + 2 * width * draw;

/** Paused keywords serve in some weeks, because they have past data in real accounts. */
function servesThisWeek(unit: UnitDemand, age: number): boolean {
  return uniform(unit.hash, Math.floor(age / 7), 2) < 0.3;
}

function unitDay(unit: UnitDemand, day: number, busy: number, unitMicros: number, clickCostTimes: number): DayRow {
  const draw = (number: number) => uniform(unit.hash, day, number);
  // Adding a random number before rounding down preserves averages below 1.
  const impressions = Math.floor(unit.impressionsPerDay * busy * spread(draw(3), 0.5) + draw(4));
  const meanClicks = impressions * unit.clicksPerImpression * spread(draw(5), 0.3);
  const clicks = impressions === 0 ? 0 : Math.min(impressions, Math.floor(meanClicks + draw(6)));
  const costMicros = unit.clickCostMicros * spread(draw(7), 0.07) * clickCostTimes;
  const clickCostMicros = Math.max(1, Math.round(costMicros / unitMicros)) * unitMicros;
  return { unitIndex: unit.index, impressions, wanted: impressions, clicks, clickCostMicros };
}

/** The share of an exhausted budget that is spent: 0.95 to 1.03. `day` is the hash of a date. */
export const spentShare = (hash: number, day: number): number => 0.95 + 0.08 * uniform(hash, day, 1);

/** If the rows cost more than the limit, reduces all rows by the same factor. The result never costs more than the limit. */
export function heldToBudget(rows: readonly DayRow[], limitMicros: number): readonly DayRow[] {
  const wanted = rows.reduce((sum, row) => sum + row.clicks * row.clickCostMicros, 0);
  if (wanted <= limitMicros) return rows;
  const kept = limitMicros / wanted;
  let money = 0;
  return rows.map((row) => {
    money += row.clicks * row.clickCostMicros * kept;
    const clicks = Math.min(row.clicks, Math.floor(money / row.clickCostMicros));
    money -= clicks * row.clickCostMicros;
    return { ...row, clicks, impressions: Math.max(clicks, Math.round(row.impressions * kept)) };
  });
}
