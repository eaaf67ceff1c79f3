import { daysOf } from '../../../src/domain/civil-date.ts';
import type { PlannedDecision } from '../../../src/domain/decision-facts.ts';
import { budgetId, type CustomerId } from '../../../src/domain/ids.ts';
import { micros } from '../../../src/domain/micros.ts';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import { type Rational, rational } from '../../../src/domain/rational.ts';
import type { PacingResult, PacingTarget } from '../../../src/language/results/report-result.ts';
import type { PaceReading } from '../../../src/language/rules/pacing/pace.ts';
import { account, accountId, decision } from './results.ts';

/** An amount in units of the currency as micros. */
export const euros = (amount: number): Rational => rational(BigInt(Math.round(amount * 1e6)));

const NOVEMBER = { from: civilDate('2026-11-01'), to: civilDate('2026-11-30') };

/** November with 3,000 to spend, settled to the 19th at 74.90 a day: too slow. */
export function reading(change: Partial<PaceReading> = {}): PaceReading {
  const { period = NOVEMBER, newestSettled = civilDate('2026-11-19') } = change;
  const dates = daysOf(period);
  return {
    currency: 'EUR',
    today: civilDate('2026-11-20'),
    band: { low: rational(95n, 100n), high: rational(105n, 100n) },
    per: 'month',
    period,
    target: euros(3000),
    wholeTarget: micros(3_000_000_000n),
    carried: euros(0),
    carriedMonths: 0,
    spent: euros(1423.1),
    unsettled: euros(0),
    newestSettled,
    idealToDate: euros(1900),
    budgeted: euros(2247),
    projected: euros(2180),
    most: undefined,
    current: 75_000_000n,
    wanted: euros(143.35),
    state: 'low',
    isBesideNumbers: false,
    why: 'paced to 3,000.00 EUR in November: 1,423.10 of 1,900.00 ideal to 2026-11-19, 2,247.00 with today’s budget, expected 95% to 105%',
    curve: { kind: 'even', learnedFrom: undefined },
    days: dates.map((date) => ({
      date,
      weight: rational(1n),
      cost: newestSettled !== undefined && date <= newestSettled ? euros(74.9) : undefined,
    })),
    budgets: [{ budgetId: budgetId('11'), amount: micros(75_000_000n), wanted: euros(143.35), label: 'Shoes' }],
    shortfall: undefined,
    ...change,
  };
}

const BECAUSE = 'it is paced, 2026-11-01 to 2026-11-19';
const CHANGE = 'pace budget to 3000 per month, limited by the step of 20%: 75.00 EUR to 90.00 EUR';

/** A pacing rule suggests a change, unless `facts` say otherwise. */
export const paced = (facts: Partial<PlannedDecision> = {}): PlannedDecision =>
  decision({
    rule: 'month-pacing',
    from: micros(75_000_000n),
    to: micros(90_000_000n),
    change: CHANGE,
    reason: `${BECAUSE}; ${CHANGE}`,
    ...facts,
  });

export function target(change: Partial<PacingTarget> = {}): PacingTarget {
  return {
    rule: 'month-pacing',
    customerId: accountId(1),
    subject: 'Shoes (campaign 21)',
    currency: 'EUR',
    campaignId: '21',
    campaignName: 'Shoes',
    budgetId: '11',
    covers: ['Shoes'],
    members: [],
    rates: [],
    mode: 'propose',
    reading: reading(),
    shouldBe: 90_000_000n,
    missing: 0n,
    limitedBy: ['step'],
    decisions: [paced()],
    because: BECAUSE,
    others: [],
    ...change,
  };
}

/** On pace: nothing is asked for. */
export function quiet(subject: string, customer: CustomerId = accountId(1)): PacingTarget {
  return target({
    subject,
    customerId: customer,
    campaignName: subject,
    decisions: [],
    limitedBy: [],
    shouldBe: 75_000_000n,
    reading: reading({
      state: 'in_band',
      wanted: undefined,
      spent: euros(1880),
      budgeted: euros(2950),
      projected: euros(2940),
      why: 'on pace: 2,950.00 of 3,000.00 EUR with today’s budget',
    }),
  });
}

export function pacing(change: Partial<PacingResult> = {}): PacingResult {
  return {
    target: 'sandbox (seed 1)',
    mode: 'propose',
    evaluatedAt: '2026-11-20T12:00:00Z',
    unread: false,
    notes: [],
    frozen: undefined,
    example: undefined,
    accounts: [account(1), account(2)],
    rules: [],
    targets: [target()],
    failures: [],
    ...change,
  };
}
