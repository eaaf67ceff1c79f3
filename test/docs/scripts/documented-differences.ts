import { addDays, type CivilDate, daysBetween, daysOf } from '../../../src/domain/civil-date.ts';
import type { BudgetId } from '../../../src/domain/ids.ts';
import { highestOf } from '../../../src/domain/micros.ts';
import type { Campaign } from '../../../src/sandbox/market/market.ts';
import { type MonthPlan, type MonthSoFar, type Morning, monthSoFar, smaller, sumOf } from './published-scripts.ts';

/** A change of an earlier day. */
export interface Change {
  readonly day: CivilDate;
  readonly budgetId: BudgetId;
  readonly from: bigint;
  readonly to: bigint;
  /** The amount that the script asks for, without the differences. */
  readonly wanted: bigint;
}

export interface Moment extends Morning {
  readonly campaign: Campaign;
  readonly now: bigint;
  /** Earlier changes of the budget. */
  readonly changes: readonly Change[];
}

/** A place where the rule decides otherwise than the script, as the documentation says. */
export interface Difference {
  /** Words of the documentation. */
  readonly says: string;
  /** The days that pass until a day is read. */
  readonly waitDays?: number;
  /** Alters the amount that is asked for. `now` means no change. */
  readonly hold?: (asked: bigint, moment: Moment) => bigint;
}

const STEP = 10_000n;
const down = (amount: bigint) => amount - (amount % STEP);
const up = (amount: bigint) => down(amount + STEP - 1n);
const range = (lastDay: CivilDate, days: number) => daysOf({ from: addDays(lastDay, 1 - days), to: lastDay });

export const ROUNDED: Difference = {
  says: "Amounts round to the smallest step of the currency, towards today's amount.",
  hold: (asked, { now }) => (asked < now ? up(asked) : down(asked)),
};

/** The exceptions of pacing, in the order in which they are applied. */
export function paced(plan: MonthPlan, floor: bigint): Difference[] {
  const months = new WeakMap<Moment, MonthSoFar>();
  const far = (moment: Moment): MonthSoFar => {
    const month = months.get(moment) ?? monthSoFar(plan, moment, moment.campaign);
    months.set(moment, month);
    return month;
  };
  return [
    {
      says: 'So on its first day, the amount is multiplied by 31 ÷ 30.4.',
      hold: (asked, moment) => {
        const { left, weights } = far(moment);
        const isFirst = /-(?:01|03|05|07|08|10|12)-01$/.test(moment.today);
        return isFirst ? (left * weights.today * 310n) / (weights.rest * 304n) : asked;
      },
    },
    {
      says: "at most twice the day's normal share of the target. This maximum never lowers a budget that is too low.",
      hold: (asked, moment) => {
        const { weights } = far(moment);
        const held = smaller(asked, (2n * plan.total * weights.today) / weights.all);
        return asked < moment.now ? held : highestOf(held, moment.now);
      },
    },
    { says: 'The amount is rounded down', hold: down },
    {
      says: 'If the result is within the band, nothing changes.',
      hold: (asked, moment) => {
        const { spent, left, weights } = far(moment);
        const budgeted = (spent * weights.today + moment.now * weights.rest) * 100n;
        const target = plan.total * weights.today;
        return left > 0n && budgeted >= 95n * target && budgeted <= 105n * target ? moment.now : asked;
      },
    },
    {
      says: 'every recent day left over 10% of the budget, and at least the cost of one click | The budget is not raised.',
      hold: (asked, { account, campaign, lastDay, now }) => {
        if (asked <= now) return asked;
        const click = range(lastDay, 28)
          .map((day) => account.on(day, campaign))
          .map(({ costMicros, clicks }) => (clicks === 0n ? 0n : (costMicros + clicks - 1n) / clicks))
          .reduce((a, b) => highestOf(a, b), 0n);
        const week = range(lastDay, 7);
        const had = smaller(
          now,
          week.map((day) => account.highestOn(campaign.budget, day)).reduce((a, b) => highestOf(a, b), 0n),
        );
        const isUnspent = week.every((day) => {
          const rest = had - account.on(day, campaign).costMicros;
          return rest * 10n > had && rest >= click;
        });
        return isUnspent ? now : asked;
      },
    },
    {
      says: 'The budget rises at most to twice the highest budget of the last 28 complete days.',
      hold: (asked, { account, campaign, lastDay, now }) => {
        if (asked <= now) return asked;
        const highest = range(lastDay, 28)
          .map((day) => account.highestOn(campaign.budget, day))
          .reduce((a, b) => highestOf(a, b), now);
        return smaller(asked, 2n * highest);
      },
    },
    { says: 'smallest amount', hold: (asked) => highestOf(asked, floor) },
  ];
}

export function waitsForConversions(waitDays: number): Difference {
  return { says: 'It waits for complete conversions.', waitDays };
}

export function minimumConversions(conversions: number, days: number): Difference {
  return {
    says: 'refuses a change if the days of `over` have fewer clicks',
    hold: (asked, { account, campaign, lastDay, now }) => {
      const sum = sumOf(account, campaign, addDays(lastDay, 1 - days), lastDay);
      return sum.conversions < conversions ? now : asked;
    },
  };
}

export function cooldown(days: number): Difference {
  return {
    says: 'refuses a change on the 20th if anyone changed the budget on the 18th (COOLDOWN).',
    hold: (asked, { changes, today, now }) => {
      const newest = changes.at(-1);
      return newest !== undefined && daysBetween(newest.day, today) < days ? now : asked;
    },
  };
}

export function drift(percent: bigint, days: number): Difference {
  return {
    says: 'largest total change within 30 days, up or down',
    hold: (asked, { changes, today, now }) => {
      const base = changes.find(({ day }) => daysBetween(day, today) < days)?.from ?? now;
      return smaller(asked, (base * (100n + percent)) / 100n);
    },
  };
}

export function receivesAtMost(percent: bigint): Difference {
  return {
    says: 'no budget gives or receives a larger part at once',
    hold: (asked, { now }) => smaller(asked, (now * (100n + percent)) / 100n),
  };
}

export function cutInsteadOfPause(percent: bigint, floor: bigint): Difference {
  return {
    says: 'Cut all budgets, but not below 5 EUR',
    hold: (asked, { now }) => (asked === 0n ? highestOf(smaller(now, floor), (now * (100n - percent)) / 100n) : asked),
  };
}

export const STAYS_LOW: Difference = {
  says: 'Next month, budgets stay low.',
  hold: (asked, { now }) => smaller(asked, now),
};
