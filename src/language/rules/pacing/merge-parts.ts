import type { CivilDate } from '../../../domain/civil-date.ts';
import { InvariantError } from '../../../domain/errors.ts';
import type { CustomerId } from '../../../domain/ids.ts';
import { budgetUnitOf, type Micros, micros, roundDownToUnit } from '../../../domain/micros.ts';
import { add, multiply, type Rational, rational } from '../../../domain/rational.ts';
import type { DayNumber } from './curve.ts';
import { type AccountPart, evaluatePace, type PaceFinding, type PacePart } from './evaluate-pace.ts';
import type { PacedBudget, PaceRate } from './pace.ts';
import type { PaceScene, ServingBudget } from './paced-budgets.ts';

/** `rate` is undefined for an account in the currency of the target. */
export interface RatedPart extends AccountPart {
  readonly rate: PaceRate | undefined;
}

/**
 * Decides a target of several accounts as if all campaigns were in one. The parts must be of the same day: otherwise,
 * accounts in different time zones could be in different months. An account that is a day ahead counts its
 * yesterday as still to come, at the amount of its budgets.
 *
 * Costs and budgets are rounded up to micros of the target's currency. New amounts are rounded down:
 * all together never exceed what is left. Returns the part of each account, with its own budgets.
 */
export function decideTogether(
  currency: string,
  parts: ReadonlyMap<CustomerId, RatedPart>,
): Map<CustomerId, PaceFinding> {
  const rated = new Map(Array.from(parts, ([customer, part]) => [customer, inCurrencyOfTarget(part)]));
  const all = [...rated.values()];
  const [first] = all;
  if (first === undefined) return new Map();
  const account = { ...first.scene.account, currency };
  const { reading, fires } = evaluatePace(merged(rated), { ...first.scene, account, plan: mergedPlan(all) });
  const found = new Map<CustomerId, PaceFinding>();
  let place = 0;
  for (const [customer, { part, scene, rate }] of parts) {
    const unit = budgetUnitOf(scene.account) ?? micros(1n);
    const own = part.serving.own.map(({ budget }, index): PacedBudget => {
      const decided = reading.budgets[place + index];
      if (decided === undefined) throw new InvariantError('A budget of a target is not decided.');
      return {
        ...decided,
        amount: budget.amount,
        wanted: decided.wanted && inCurrencyOfAccount(decided.wanted, rate, unit),
      };
    });
    place += own.length;
    // Copies what the reading computes on demand, because it is computed from all accounts.
    found.set(customer, { fires, reading: { ...reading, budgets: own, rate } });
  }
  return found;
}

function inCurrencyOfTarget({ part, scene, rate }: RatedPart): AccountPart {
  if (rate === undefined) return { part, scene };
  const up = (amount: bigint) => (amount * rate.rate.n + rate.rate.d - 1n) / rate.rate.d;
  const days = (list: readonly DayNumber[]) => list.map(({ date, value }) => ({ date, value: up(value) }));
  const budgets = (list: readonly ServingBudget[]) =>
    list.map((one) => ({
      ...one,
      budget: { ...one.budget, amount: micros(up(one.budget.amount)) },
      recent: up(one.recent),
      highest: up(one.highest),
      tried: up(one.tried),
      peak: up(one.peak),
      click: one.click === undefined ? undefined : up(one.click),
    }));
  const { serving, beside, open, carried } = part;
  return {
    scene,
    part: {
      ...part,
      serving: { ...serving, own: budgets(serving.own), others: budgets(serving.others) },
      recent: days(part.recent),
      spent: days(part.spent),
      beside: multiply(beside, rate.rate),
      open: open?.map(({ date, most }) => ({ date, most: multiply(most, rate.rate) })),
      carried,
    },
  };
}

/** A multiple of the currency's smallest unit, because the guards round a decrease up. */
function inCurrencyOfAccount(amount: Rational, rate: PaceRate | undefined, unit: Micros): Rational {
  if (rate === undefined) return amount;
  return rational(roundDownToUnit(multiply(amount, rational(rate.rate.d, rate.rate.n)), unit));
}

function merged(parts: ReadonlyMap<CustomerId, AccountPart>): PacePart {
  const all = Array.from(parts.values(), ({ part }) => part);
  // An account whose complete days have no rows spends nothing.
  const unknown = [...parts].find(
    ([, { part }]) => part.serving.unknown !== undefined && (!part.isEmpty || all.every(({ isEmpty }) => isEmpty)),
  );
  const known = all.flatMap(({ open }) => (open === undefined ? [] : [open]));
  return {
    isEmpty: all.every(({ isEmpty }) => isEmpty),
    serving: {
      own: all.flatMap(({ serving }) => serving.own),
      others: all.flatMap(({ serving }) => serving.others),
      unknown: unknown && `in account ${unknown[0]}, ${unknown[1].part.serving.unknown}`,
    },
    recent: byDay(all.map(({ recent }) => recent)).flatMap(([date, own]) =>
      own.length < all.length ? [] : [{ date, value: sumOf(own) }],
    ),
    spent: byDay(all.map(({ spent }) => spent)).map(([date, own]) => ({ date, value: sumOf(own) })),
    lacksCost: all.some(({ lacksCost }) => lacksCost),
    beside: all.reduce((sum, { beside }) => add(sum, beside), rational(0n)),
    open:
      known.length < all.length
        ? undefined
        : byDay(known).map(([date, own]) => ({ date, most: own.map(({ most }) => most).reduce(add) })),
    // Targets of several accounts carry nothing over.
    carried: all[0]?.carried,
  };
}

function byDay<Dated extends { readonly date: CivilDate }>(lists: readonly (readonly Dated[])[]) {
  return [...Map.groupBy(lists.flat(), ({ date }) => date)].sort(([one], [other]) => (one < other ? -1 : 1));
}

const sumOf = (days: readonly DayNumber[]): bigint => days.reduce((sum, { value }) => sum + value, 0n);

/** Costs are final where they are final in each account. */
function mergedPlan(parts: readonly AccountPart[]): PaceScene['plan'] {
  const [first] = parts;
  if (first === undefined) throw new InvariantError('A target has no account.');
  const bySettled = parts.map(({ scene }) => scene.plan.settled).sort((one, other) => one.length - other.length);
  return { ...first.scene.plan, settled: bySettled[0] ?? [] };
}
