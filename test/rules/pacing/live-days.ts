import { addDays, type CivilDate, daysOf, nextDay } from '../../../src/domain/civil-date.ts';
import { budgetId, campaignId, customerId } from '../../../src/domain/ids.ts';
import type { Member, MemberDemand } from '../../../src/domain/member.ts';
import { micros } from '../../../src/domain/micros.ts';
import type { Rule } from '../../../src/language/rules/rule.ts';
import { type DayOutcome, TrialAccount, type TrialDay, tryDay } from '../../../src/language/trial/trial-account.ts';

/** A campaign with a budget of its own, in units. */
export interface LiveCampaign {
  readonly budget: number;
  /** What people would spend on a day if no budget held them back. */
  readonly demandOn: (day: CivilDate) => number;
}

export interface LiveAccount {
  readonly rule: Rule;
  readonly campaigns: readonly LiveCampaign[];
  readonly from: CivilDate;
  readonly to: CivilDate;
  readonly settleDays?: number;
  /** How many quarters of its budget the service may spend on a day. */
  readonly quarters?: number;
  /** A day costs whole clicks of so much. */
  readonly clickMicros?: bigint;
}

export interface LiveDay {
  readonly today: CivilDate;
  readonly outcome: DayOutcome;
  /** By budget. */
  readonly before: ReadonlyMap<string, bigint>;
  readonly after: ReadonlyMap<string, bigint>;
  /** What the day came to, micros. */
  readonly cost: bigint;
}

const HALF_UNIT = 500_000n;

export const budgetAt = (index: number) => budgetId(String(71 + index));

/** An account day by day, five weeks of history before it: rule, guards, and what is spent of the budgets that come of it. */
export function* liveThrough(live: LiveAccount): Generator<LiveDay> {
  const { rule, campaigns, from, to, settleDays = 0, quarters = 4, clickMicros = HALF_UNIT } = live;
  const costs = campaigns.map(() => new Map<CivilDate, bigint>());
  const account = new TrialAccount({
    customerId: customerId('1234567890'),
    currency: 'EUR',
    budgets: campaigns.map(({ budget }, index) => ({
      budgetId: budgetAt(index),
      amount: micros(BigInt(budget) * 1_000_000n),
      campaigns: [{ id: campaignId(String(1 + index)), name: `C${index}` }],
    })),
    bounds: { dailyTotalMax: undefined, dailyExposureMax: undefined },
  });
  const amountAt = (index: number): bigint => account.amountOf(budgetAt(index)) ?? 0n;
  const amounts = () => new Map<string, bigint>(campaigns.map((_, at) => [budgetAt(at), amountAt(at)]));
  const spend = (day: CivilDate): bigint => {
    let sum = 0n;
    campaigns.forEach(({ demandOn }, index) => {
      const most = (amountAt(index) * BigInt(quarters)) / 4n;
      const wanted = BigInt(demandOn(day)) * 1_000_000n;
      const cost = ((wanted < most ? wanted : most) / clickMicros) * clickMicros;
      costs[index]?.set(day, cost);
      sum += cost;
    });
    return sum;
  };
  for (const day of daysOf({ from: addDays(from, -35), to: addDays(from, -1) })) spend(day);
  for (const today of daysOf({ from, to })) {
    const before = amounts();
    const day: TrialDay = {
      today,
      lastSettled: addDays(today, -1 - settleDays),
      settled: () => true,
      readToday: false,
      holidays: new Set(),
      members: (demand) => membersOf(costs, clickMicros, demand),
    };
    const outcome = tryDay(
      [rule],
      account,
      today,
      () => day,
      () => true,
    );
    account.apply(outcome.decisions, today);
    yield { today, outcome, before, after: amounts(), cost: spend(today) };
  }
}

function membersOf(
  costs: readonly ReadonlyMap<CivilDate, bigint>[],
  clickMicros: bigint,
  demand: MemberDemand,
): Member[] {
  return costs.map((own, index) => ({
    ids: [BigInt(index + 1)],
    stretches: demand.stretches.map(({ from, to }) => {
      let sum = 0n;
      for (let day = from; day <= to; day = nextDay(day)) sum += own.get(day) ?? 0n;
      return {
        sums: demand.metrics.map(({ column }) => (column === 'clicks' ? sum / clickMicros : sum)),
        attributes: demand.attributes.map((name) => ATTRIBUTES[name] ?? null),
      };
    }),
  }));
}

const ATTRIBUTES: Readonly<Record<string, string>> = { campaign_name: 'Shoes', campaign_status: 'ENABLED' };
