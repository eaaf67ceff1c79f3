import type { CivilDate } from '../../../domain/civil-date.ts';
import { type CampaignId, campaignId } from '../../../domain/ids.ts';
import type { Member, MemberDemand } from '../../../domain/member.ts';
import type { Rational } from '../../../domain/rational.ts';
import type { CampaignBudget, EvaluatedAccount } from '../evaluate/evaluated-account.ts';
import type { Candidate } from '../evaluate/subjects.ts';
import type { Limits } from '../rule.ts';
import type { Pace } from './pace.ts';
import { type PacePlan, USED_DAYS } from './plan-pace.ts';

/** A cost is undefined if it is unknown or negative. */
export class Costs {
  readonly #metric: number;
  readonly #places = new Map<CivilDate, number>();

  constructor(demand: MemberDemand, column: string) {
    this.#metric = demand.metrics.findIndex((metric) => metric.column === column);
    for (const [place, { from, to }] of demand.stretches.entries()) if (from === to) this.#places.set(from, place);
  }

  on(day: CivilDate, members: readonly Member[]): bigint | undefined {
    const place = this.#places.get(day);
    return place === undefined ? undefined : this.in([place], members);
  }

  /** Days without rows cost nothing. */
  in(places: readonly number[], members: readonly Member[]): bigint | undefined {
    let sum = 0n;
    for (const { stretches } of members) {
      for (const place of places) {
        const stretch = stretches[place];
        if (stretch === undefined) continue;
        const cost = stretch.sums[this.#metric];
        if (cost === null || cost === undefined || cost < 0n) return undefined;
        sum += cost;
      }
    }
    return sum;
  }
}

export interface ServingBudget {
  readonly budget: CampaignBudget;
  readonly members: readonly Member[];
  readonly label: string;
  readonly paused: boolean;
  /** Total cost of at most seven newest final days, in micros. `highest` is the highest cost of one of these days. */
  readonly recent: bigint;
  readonly highest: bigint;
  /** The highest amount on the days of `recent`, but at most today's amount. */
  readonly tried: bigint;
  /** The budget's highest amount, now or on a final day among the last 28 days. */
  readonly peak: bigint;
  /** Highest daily mean cost of a click. Without clicks, the lowest daily cost. Undefined without costs. */
  readonly click: bigint | undefined;
}

export interface Serving {
  readonly own: readonly ServingBudget[];
  readonly others: readonly ServingBudget[];
  readonly unknown: string | undefined;
}

type StatusOf = (member: Member) => string | undefined;

export function servingBudgets(
  { subject, figures, budgets }: Candidate,
  { account, costs, clicks, plan, statusOf, nobody }: PaceScene,
): Serving {
  const { recent } = plan;
  const week = recent.slice(-USED_DAYS);
  const groups = new Map<string, { budget: CampaignBudget; members: Member[]; names: (string | undefined)[] }>();
  for (const member of figures.members) {
    const id = campaignId(String(member.ids[0]));
    const budget = account.budgets.get(id);
    if (budget === undefined) {
      const unread = account.unreadable?.find(({ campaigns }) => campaigns.includes(id));
      const is = unread?.total ? 'is a total budget without a daily amount' : 'is not known';
      return { own: [], others: [], unknown: `the budget of campaign ${id} ${is}` };
    }
    const group = groups.get(budget.budgetId) ?? { budget, members: [], names: [] };
    groups.set(budget.budgetId, group);
    group.members.push(member);
    group.names.push(budget.campaignName ?? `campaign ${id}`);
  }
  const changed = new Set<string>(budgets.map(({ budgetId }) => budgetId));
  const all = [...groups.values()].map(({ budget, members, names }): ServingBudget => {
    const days = week.map((day) => costs.on(day, members) ?? 0n);
    const [first = '', ...more] = names;
    const amounts = recent.map((day) => account.highestOn(budget.budgetId, day) ?? budget.amount);
    const most = amounts.slice(-USED_DAYS).reduce(larger, 0n);
    return {
      budget,
      members,
      label: more.length === 0 ? first : `${names.length} campaigns`,
      paused: members.every((member) => !isServing(member, account, statusOf)),
      peak: amounts.reduce(larger, budget.amount),
      tried: most === 0n ? budget.amount : smaller(most, budget.amount),
      get click() {
        return dearestClick(recent, members, costs, clicks);
      },
      recent: days.reduce((sum, cost) => sum + cost, 0n),
      highest: days.reduce(larger, 0n),
    };
  });
  const own = all.filter(({ budget }) => changed.has(budget.budgetId));
  const others = all.filter(({ budget }) => !changed.has(budget.budgetId));
  const only = subject.kind === 'campaign' ? own[0] : undefined;
  const beside = only === undefined ? 0 : campaignsOf(only.budget, account.budgets) - 1;
  const whyUnknown = (): string | undefined => {
    if (figures.members.length === 0) return nobody;
    if (beside > 0) {
      const others = beside === 1 ? 'another campaign' : `${beside} other campaigns`;
      return `budget ${only?.budget.budgetId} also serves ${others}: pace it in a rule with "for: budget"`;
    }
    return own.length === 0 ? 'each of its budgets also serves campaigns that "where" excludes' : undefined;
  };
  return { own, others, unknown: whyUnknown() };
}

/** Recent daily cost of running budgets, in micros. Each budget counts with at most its current amount. */
export function spentBeside(others: readonly ServingBudget[], days: number): Rational {
  let sum = 0n;
  for (const { budget, recent, paused } of others) {
    const most = budget.amount * BigInt(days);
    if (!paused) sum += smaller(recent, most);
  }
  return { n: sum, d: BigInt(days || 1) };
}

/** The service's current status has priority over the status in the newest row. */
function isServing(member: Member, { budgets }: Pick<EvaluatedAccount, 'budgets'>, statusOf: StatusOf): boolean {
  const live = budgets.get(campaignId(String(member.ids[0])))?.campaignStatus;
  return (live ?? statusOf(member) ?? 'ENABLED') === 'ENABLED';
}

function dearestClick(
  days: readonly CivilDate[],
  members: readonly Member[],
  costs: Costs,
  clicks: Costs,
): bigint | undefined {
  let dearest: bigint | undefined;
  let cheapest: bigint | undefined;
  for (const day of days) {
    const cost = costs.on(day, members) ?? 0n;
    if (cost <= 0n) continue;
    const count = clicks.on(day, members) ?? 0n;
    if (cheapest === undefined || cost < cheapest) cheapest = cost;
    if (count > 0n) dearest = larger(dearest ?? 0n, (cost + count - 1n) / count);
  }
  return dearest ?? cheapest;
}

function campaignsOf({ budgetId }: CampaignBudget, budgets: ReadonlyMap<CampaignId, CampaignBudget>): number {
  let count = 0;
  for (const one of budgets.values()) if (one.budgetId === budgetId && one.campaignStatus !== 'REMOVED') count += 1;
  return count;
}

export interface PaceScene {
  readonly pace: Pace;
  readonly plan: PacePlan;
  /** All days of the period. `rest` contains the days from today on. */
  readonly days: readonly CivilDate[];
  readonly rest: readonly CivilDate[];
  /** Target for `days`, without amounts from earlier months. */
  readonly target: Rational;
  readonly limits: Pick<Limits, 'floor' | 'ceiling'>;
  readonly account: EvaluatedAccount;
  readonly costs: Costs;
  readonly clicks: Costs;
  readonly values: Costs;
  readonly placesReturned: readonly number[];
  /** Indexes into `MemberDemand.stretches`, by earlier month and week. */
  readonly placesOfEarlier: readonly (readonly (readonly number[])[])[];
  readonly statusOf: StatusOf;
  readonly nobody: string;
}

export function larger(a: bigint, b: bigint): bigint {
  return a < b ? b : a;
}

export function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
