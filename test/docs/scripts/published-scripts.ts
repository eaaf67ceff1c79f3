import { addDays, type CivilDate, daysOf, endOfGrain, monthStart, weekdayOf } from '../../../src/domain/civil-date.ts';
import { highestOf } from '../../../src/domain/micros.ts';
import type { Campaign } from '../../../src/sandbox/market/market.ts';
import type { ScriptedAccount } from './scripted-account.ts';

/** What a script knows when it runs in the morning. */
export interface Morning {
  readonly account: ScriptedAccount;
  readonly today: CivilDate;
  /** The newest day that the script reads. */
  readonly lastDay: CivilDate;
}

/** The amount in micros that a script sets for a campaign. */
export interface Wish {
  readonly campaign: Campaign;
  readonly amount: bigint;
}

/** The amount that the documented differences leave of one that is asked for. */
export type Hold = (campaign: Campaign, asked: bigint) => bigint;

/** Wishes are held afterwards. A script whose amounts depend on each other asks `hold` how far each one may go. */
export type Script = (morning: Morning, hold: Hold) => readonly Wish[];

/** A monthly amount per campaign, and the weights of the days from Monday. */
export interface MonthPlan {
  readonly named: string;
  readonly total: bigint;
  readonly weights: readonly bigint[];
}

export interface MonthSoFar {
  readonly spent: bigint;
  readonly left: bigint;
  readonly weights: { readonly today: bigint; readonly rest: bigint; readonly all: bigint };
}

export function monthSoFar(plan: MonthPlan, { account, today, lastDay }: Morning, campaign: Campaign): MonthSoFar {
  const from = monthStart(today);
  const days = daysOf({ from, to: endOfGrain('month', today) });
  const weightOf = (some: readonly CivilDate[]) =>
    some.reduce((sum, day) => sum + (plan.weights[weekdayOf(day) - 1] ?? 0n), 0n);
  const spent = from > lastDay ? 0n : costOf(account, campaign, from, lastDay);
  const left = spent < plan.total ? plan.total - spent : 0n;
  const rest = days.filter((day) => day >= today);
  return { spent, left, weights: { today: weightOf([today]), rest: weightOf(rest), all: weightOf(days) } };
}

/**
 * Flexible budgets, as documented among the solutions of the service's scripts, in the variant for months and weekdays: each
 * day, the rest of the total is shared by the weights of the days that are left.
 */
export function flexibleBudgets(plan: MonthPlan): Script {
  return (morning) =>
    wishes(
      morning.account.campaigns.filter(({ name }) => name.startsWith(plan.named)),
      (campaign) => {
        const { left, weights } = monthSoFar(plan, morning, campaign);
        return (left * weights.today) / weights.rest;
      },
    );
}

/** Weekday budgets: a sheet has an amount for each weekday, from Monday. Each day, the script sets it. */
export function weekdayBudgets(named: string, ofWeekdays: readonly bigint[]): Script {
  return ({ account, today }) =>
    wishes(
      account.campaigns.filter(({ name }) => name.startsWith(named)),
      () => ofWeekdays[weekdayOf(today) - 1] ?? 0n,
    );
}

export interface Winners {
  readonly days: number;
  readonly returnAbove: number;
  readonly lostAbove: number;
  readonly raisePercent: bigint;
  readonly ceiling: bigint;
}

/** Raise limited winners, as documented for rules of the service: conditions, a raise in percent, and an upper limit. */
export function raiseLimitedWinners({ days, returnAbove, lostAbove, raisePercent, ceiling }: Winners): Script {
  return ({ account, lastDay }) => {
    const winners = account.campaigns.filter((campaign) => {
      const { costMicros, value, eligible, lostToBudget } = sumOf(
        account,
        campaign,
        addDays(lastDay, 1 - days),
        lastDay,
      );
      const cost = Number(costMicros) / 1e6;
      return value > returnAbove * cost && lostToBudget > lostAbove * eligible;
    });
    return wishes(winners, ({ budget }) => {
      const raised = (account.amountOf(budget) * (100n + raisePercent)) / 100n;
      return raised < ceiling ? raised : ceiling;
    });
  };
}

/** Stop at cap: all campaigns pause when the month has cost the cap, until the first of the next month. A pause is 0 here. */
export function stopAtCap(capMicros: bigint): Script {
  return ({ account, today, lastDay }) => {
    const from = monthStart(today);
    const cost = account.campaigns.reduce((sum, campaign) => sum + costOf(account, campaign, from, lastDay), 0n);
    if (from <= lastDay && cost >= capMicros) return wishes(account.campaigns, () => 0n);
    return from === today ? wishes(account.campaigns, ({ budget }) => budget.baseAmount) : [];
  };
}

export interface MovePlan {
  /** 1 is Monday. */
  readonly weekday: number;
  readonly days: number;
  readonly percent: bigint;
  readonly floor: bigint;
  readonly ceiling: bigint;
}

/**
 * Move budget: on one day of the week, the script ranks the budgets by conversions value ÷ cost. From the weakest on, each gives
 * a percentage of its amount, but keeps the lower limit. The money goes to the best until the upper limit, then to the next
 * better ones. The rest is not taken.
 */
export function moveBudget({ weekday, days, percent, floor, ceiling }: MovePlan): Script {
  return ({ account, today, lastDay }, hold) => {
    if (weekdayOf(today) !== weekday) return [];
    const ranked = account.account.budgets.flatMap((budget) => {
      const campaigns = account.campaigns.filter((one) => one.budget === budget);
      const [campaign] = campaigns;
      if (campaign === undefined) return [];
      const sums = campaigns.map((one) => sumOf(account, one, addDays(lastDay, 1 - days), lastDay));
      const cost = sums.reduce((sum, { costMicros }) => sum + Number(costMicros), 0);
      const returned = sums.reduce((sum, { value }) => sum + value, 0) / cost;
      const now = account.amountOf(budget);
      const lowest = hold(campaign, smaller(now, highestOf(floor, (now * (100n - percent)) / 100n)));
      const highest = hold(campaign, highestOf(now, ceiling));
      return [{ campaign, returned, now, lowest, highest, amount: BigInt(now) }];
    });
    ranked.sort((one, other) => one.returned - other.returned);
    for (const weak of ranked) {
      for (const strong of ranked.toReversed()) {
        if (strong.returned <= weak.returned) break;
        const part = smaller(weak.amount - weak.lowest, strong.highest - strong.amount);
        if (part <= 0n) continue;
        weak.amount -= part;
        strong.amount += part;
      }
    }
    return ranked.filter(({ amount, now }) => amount !== now);
  };
}

export const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);

function wishes(campaigns: readonly Campaign[], amountOf: (campaign: Campaign) => bigint): Wish[] {
  return campaigns.map((campaign) => ({ campaign, amount: amountOf(campaign) }));
}

export function costOf(account: ScriptedAccount, campaign: Campaign, from: CivilDate, to: CivilDate): bigint {
  return sumOf(account, campaign, from, to).costMicros;
}

export function sumOf(account: ScriptedAccount, campaign: Campaign, from: CivilDate, to: CivilDate) {
  const days = from > to ? [] : daysOf({ from, to });
  return days
    .map((day) => account.on(day, campaign))
    .reduce(
      (sum, day) => ({
        costMicros: sum.costMicros + day.costMicros,
        clicks: sum.clicks + day.clicks,
        conversions: sum.conversions + day.conversions,
        value: sum.value + day.value,
        eligible: sum.eligible + day.eligible,
        lostToBudget: sum.lostToBudget + day.lostToBudget,
      }),
      { costMicros: 0n, clicks: 0n, conversions: 0, value: 0, eligible: 0, lostToBudget: 0 },
    );
}
