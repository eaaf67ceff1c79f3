import { type Micros, roundDownToUnit, roundUpToUnit } from '../../../domain/micros.ts';
import { type Rational, rational } from '../../../domain/rational.ts';
import type { Limits } from '../rule.ts';
import { larger, type ServingBudget, smaller } from './paced-budgets.ts';

/** `least` and `most` are multiples of the currency's smallest unit. */
export interface Sharing {
  readonly need: bigint;
  readonly least: bigint;
  readonly most: bigint | undefined;
}

/** The parts add up to `sum`, unless every part is at a limit. */
export function shareByNeed(sum: bigint, parts: readonly Sharing[]): bigint[] {
  const needs = parts.some(({ need }) => need > 0n) ? parts.map(({ need }) => need) : parts.map(() => 1n);
  const shares: (bigint | undefined)[] = parts.map(() => undefined);
  for (;;) {
    const free = shares.flatMap((share, index) => (share === undefined ? [index] : []));
    const left = sum - shares.reduce<bigint>((total, share) => total + (share ?? 0n), 0n);
    const need = free.reduce((total, index) => total + (needs[index] ?? 0n), 0n);
    // Multiplies limits instead of dividing shares, so that nothing is rounded before the end.
    const scale = need === 0n ? BigInt(free.length) || 1n : need;
    const held = free.map((index) => {
      const { least, most } = parts[index] ?? NOBODY;
      const part = left * (need === 0n ? 1n : (needs[index] ?? 0n));
      const low = least * scale;
      const high = most === undefined ? undefined : most * scale;
      const at = part < low ? least : high !== undefined && part > high ? most : undefined;
      return { index, part, at, beyond: at === undefined ? 0n : at * scale - part };
    });
    const beyond = held.reduce((total, one) => total + one.beyond, 0n);
    // Fixes either the parts raised to `least` or the parts cut to `most`, whichever moves more.
    const settled = held.filter((one) => one.at !== undefined && (beyond === 0n || one.beyond > 0n === beyond > 0n));
    if (settled.length === 0) return rounded(held, scale, shares, parts, left);
    for (const { index, at } of settled) shares[index] = at;
  }
}

const NOBODY: Sharing = { need: 0n, least: 0n, most: undefined };

function rounded(
  free: readonly { readonly index: number; readonly part: bigint }[],
  scale: bigint,
  shares: readonly (bigint | undefined)[],
  parts: readonly Sharing[],
  sum: bigint,
): bigint[] {
  const whole = shares.map((share) => share ?? 0n);
  let left = sum;
  for (const { index, part } of free) {
    whole[index] = part / scale;
    left -= part / scale;
  }
  const byRemainder = free.toSorted((a, b) => {
    const one = a.part % scale;
    const other = b.part % scale;
    return one > other ? -1 : one < other ? 1 : a.index - b.index;
  });
  for (const { index } of byRemainder) {
    const most = parts[index]?.most;
    const now = whole[index] ?? 0n;
    if (left <= 0n) break;
    if (most !== undefined && now >= most) continue;
    whole[index] = now + 1n;
    left -= 1n;
  }
  return whole;
}

/** `floor` and `ceiling` are multiples of `unit`. */
export interface AmountBounds extends Pick<Limits, 'floor' | 'ceiling'> {
  readonly unit: bigint;
}

/** Rounds the limits to their inside. */
export function boundsInUnits({ floor, ceiling }: Pick<Limits, 'floor' | 'ceiling'>, unit: Micros): AmountBounds {
  return {
    unit,
    floor: floor && roundUpToUnit(rational(floor), unit),
    ceiling: ceiling && roundDownToUnit(rational(ceiling), unit),
  };
}

/** In the order of the budgets. Undefined keeps the current amount. */
export type NewAmounts = readonly (bigint | undefined)[];

/** A budget counts as too small if one day cost at least nine tenths of the budget. */
const HELD_BACK = { n: 9n, d: 10n };
/** A budget that is too small is assumed to need a quarter more. */
const HELD_NEED = 5n;
const FREE_NEED = 4n;
/** The guards refuse a larger factor with UNIT_SANITY. */
const TIMES_MAX = 20n;
/** A raise at most doubles the highest recent amount, so that people notice a target with an extra digit. */
const RAISE_MAX = 2n;
/** Recent costs do not predict the spending of a budget more than four times as high. */
const UNTRIED = 4n;
/** Lowest share of an equal split. A smaller budget could never show how much it can spend. */
const LEAST_SHARE = { n: 5n, d: 100n };

/** True if one day spent at least nine tenths of the budget, or left less than a click costs. Without costs, true if the budget is far below `part`. */
export function isHeldBack({ highest, tried, click, budget }: ServingBudget, part: bigint): boolean {
  if (highest * HELD_BACK.d >= tried * HELD_BACK.n) return true;
  return click === undefined ? budget.amount * UNTRIED < part : highest + click > tried;
}

/** Raises no budget, because decreases of other budgets can be refused or delayed. */
export function lowered(budgets: readonly ServingBudget[], wanted: Rational, bounds: AmountBounds): NewAmounts {
  const sum = unitsOf(wanted, bounds);
  const [only, ...others] = budgets;
  if (only !== undefined && others.length === 0) {
    // For a single budget, the guards apply the floor and report this limit.
    return [changed(atMostCeiling(larger(sum * bounds.unit, twentieth(only, bounds)), bounds), only)];
  }
  const parts = budgets.map((one) => {
    // The guards would refuse an amount above the ceiling.
    const most = atMostCeiling(one.budget.amount, bounds) / bounds.unit;
    const low = larger(leastOf(sum, budgets.length, bounds), twentieth(one, bounds) / bounds.unit);
    return { need: needOf(one, isHeldBack(one, 0n)), least: smaller(low, most), most };
  });
  return shareByNeed(sum, parts).map((units, index) => changed(units * bounds.unit, budgets[index]));
}

function atMostCeiling(amount: bigint, { ceiling }: AmountBounds): bigint {
  return ceiling === undefined ? amount : smaller(amount, ceiling);
}

/** Raises budgets that are too small. Lowers other budgets if more than a tenth of all budgets was unspent. */
export function raised(budgets: readonly ServingBudget[], wanted: Rational, bounds: AmountBounds): NewAmounts {
  const part = wanted.n / (wanted.d * (BigInt(budgets.length) || 1n));
  const held = budgets.filter((one) => isHeldBack(one, part));
  const total = budgets.reduce((sum, { budget }) => sum + budget.amount, 0n);
  const heldNow = held.reduce((sum, { budget }) => sum + budget.amount, 0n);
  const sum = unitsOf(wanted, bounds) - (total - heldNow + bounds.unit - 1n) / bounds.unit;
  // Without recent costs, the need is unknown, so the mean of the other needs is used.
  const needs = held.map((one) => needOf(one, true)).filter((need) => need > 0n);
  const mean = needs.reduce((all, need) => all + need, 0n) / (BigInt(needs.length) || 1n);
  const parts = held.map((one): Sharing => {
    const least = (one.budget.amount + bounds.unit - 1n) / bounds.unit;
    // For a single budget, the guards apply the ceiling and report this limit.
    const ceiling = bounds.ceiling === undefined || budgets.length === 1 ? undefined : bounds.ceiling / bounds.unit;
    const times = smaller(one.budget.amount * TIMES_MAX, one.peak * RAISE_MAX) / bounds.unit;
    return {
      need: needOf(one, true) || mean,
      least,
      most: larger(least, ceiling === undefined ? times : smaller(times, ceiling)),
    };
  });
  const shares = shareByNeed(sum, parts);
  const isSpent =
    budgets.reduce((highest, one) => highest + one.highest, 0n) * HELD_BACK.d >=
    budgets.reduce((tried, one) => tried + one.tried, 0n) * HELD_BACK.n;
  const least = leastOf(unitsOf(wanted, bounds), budgets.length, bounds) * bounds.unit;
  return budgets.map((one) => {
    const place = held.indexOf(one);
    if (place >= 0) return changed((shares[place] ?? 0n) * bounds.unit, one);
    if (isSpent || held.length === 0) return undefined;
    const used = (one.highest * HELD_NEED) / FREE_NEED;
    const needed = (larger(used, least) / bounds.unit + 1n) * bounds.unit;
    return needed < one.budget.amount ? needed : undefined;
  });
}

/** Undefined if the budget is already at or below the lowest amount. */
export function toLowest(one: ServingBudget, bounds: AmountBounds): bigint | undefined {
  const lowest = larger(bounds.floor ?? bounds.unit, twentieth(one, bounds));
  return lowest < one.budget.amount ? lowest : undefined;
}

/** The guards refuse a larger decrease, because the unit is probably wrong. */
function twentieth({ budget }: ServingBudget, { unit }: AmountBounds): bigint {
  return ((budget.amount + TIMES_MAX * unit - 1n) / (TIMES_MAX * unit)) * unit;
}

const needOf = ({ recent }: ServingBudget, held: boolean): bigint => recent * (held ? HELD_NEED : FREE_NEED);

function unitsOf({ n, d }: Rational, { unit }: AmountBounds): bigint {
  return n <= 0n ? 0n : n / (d * unit);
}

/** At least one unit, because no budget can be zero. */
function leastOf(sum: bigint, count: number, { floor, unit }: AmountBounds): bigint {
  const share = (sum * LEAST_SHARE.n) / (LEAST_SHARE.d * BigInt(count));
  const lowest = floor === undefined ? 1n : floor / unit;
  return larger(share, lowest);
}

function changed(amount: bigint, before: ServingBudget | undefined): bigint | undefined {
  return amount === before?.budget.amount ? undefined : amount;
}
