import type { Micros } from '../../domain/micros.ts';
import type { Rational } from '../../domain/rational.ts';
import { larger, type ServingBudget, smaller } from './paced-budgets.ts';

/** One of several budgets that get a part of a sum. All in whole units of the currency's smallest amount but `need`. */
export interface Sharing {
  /** The larger, the larger its part; in proportion to those of the others. */
  readonly need: bigint;
  readonly least: bigint;
  /** Undefined for no bound. */
  readonly most: bigint | undefined;
}

/**
 * Shares a sum by need between bounds, in whole units: the parts come to the sum where the bounds allow it, to less where all are
 * at their most, and to more only where all are at their least. What rounding leaves goes to the largest remainders.
 */
export function shareByNeed(sum: bigint, parts: readonly Sharing[]): bigint[] {
  const needs = parts.some(({ need }) => need > 0n) ? parts.map(({ need }) => need) : parts.map(() => 1n);
  const shares: (bigint | undefined)[] = parts.map(() => undefined);
  for (;;) {
    const free = shares.flatMap((share, index) => (share === undefined ? [index] : []));
    const left = sum - shares.reduce<bigint>((total, share) => total + (share ?? 0n), 0n);
    const need = free.reduce((total, index) => total + (needs[index] ?? 0n), 0n);
    // Bounds are compared with a part times the sum of the needs: nothing is rounded before the end.
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
    // Those that are pushed up take from the others, those that are held down give: the larger side is settled first.
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

/** What holds the amounts of single budgets, micros. */
export interface AmountBounds {
  readonly floor: Micros | undefined;
  readonly ceiling: Micros | undefined;
  /** The currency's smallest amount. */
  readonly unit: bigint;
}

/** The new amounts, by the place of the budget; undefined for one that stays as it is. */
export type NewAmounts = readonly (bigint | undefined)[];

/** A budget is held back where a day cost at least this share of it. */
const HELD_BACK = { n: 9n, d: 10n };
/** Held back, it would have spent more: a quarter is what it is believed to need beyond. */
const HELD_NEED = 5n;
const FREE_NEED = 4n;
/** How many times its amount a budget may become at once: more is how wrong units look, and is refused by a guard. */
const TIMES_MAX = 20n;
/** A raise leads to twice what the budget was of late at most: a target with a digit too many is seen before it costs a month. */
const RAISE_MAX = 2n;
/** What nothing was spent of says nothing about an amount that is so many times higher. */
const UNTRIED = 4n;
/** None gets less than this share of an equal part, or it could never show what it needs. */
const LEAST_SHARE = { n: 5n, d: 100n };

/**
 * Whether a larger amount would be spent, as far as anybody knows: a day cost nine tenths of what the budget was, or left less
 * than a click. One of which nothing was spent is not known until it was tried with an amount of the size that it should have.
 *
 * @param part What the budget should be, about.
 */
export function isHeldBack({ highest, tried, click, budget }: ServingBudget, part: bigint): boolean {
  if (highest * HELD_BACK.d >= tried * HELD_BACK.n) return true;
  return click === undefined ? budget.amount * UNTRIED < part : highest + click > tried;
}

/** Lowers budgets to `wanted` together. None is raised: a decrease that is refused or not yet approved makes no room. */
export function lowered(budgets: readonly ServingBudget[], wanted: Rational, bounds: AmountBounds): NewAmounts {
  const sum = unitsOf(wanted, bounds);
  const [only, ...others] = budgets;
  if (only !== undefined && others.length === 0) {
    // What the floor makes of a single amount is said by the guards.
    return [changed(atMostCeiling(larger(sum * bounds.unit, twentieth(only, bounds)), bounds), only)];
  }
  const parts = budgets.map((one) => {
    // One that somebody set above the ceiling comes down below it, or the guards would leave it where it is.
    const most = atMostCeiling(one.budget.amount, bounds) / bounds.unit;
    const low = larger(leastOf(sum, budgets.length, bounds), twentieth(one, bounds) / bounds.unit);
    return { need: needOf(one, isHeldBack(one, 0n)), least: smaller(low, most), most };
  });
  return shareByNeed(sum, parts).map((units, index) => changed(units * bounds.unit, budgets[index]));
}

function atMostCeiling(amount: bigint, { ceiling }: AmountBounds): bigint {
  return ceiling === undefined ? amount : smaller(amount, ceiling);
}

/**
 * Raises the budgets that are held back so that all come to `wanted` together at most, each to twice the most that it was of
 * late and to twenty times its amount: the rest follows on the next days. Where much of what the others have is not spent,
 * they are lowered to what they use with a quarter to spare, which makes room on the days after.
 */
export function raised(budgets: readonly ServingBudget[], wanted: Rational, bounds: AmountBounds): NewAmounts {
  const part = wanted.n / (wanted.d * (BigInt(budgets.length) || 1n));
  const held = budgets.filter((one) => isHeldBack(one, part));
  const total = budgets.reduce((sum, { budget }) => sum + budget.amount, 0n);
  const heldNow = held.reduce((sum, { budget }) => sum + budget.amount, 0n);
  const sum = unitsOf(wanted, bounds) - (total - heldNow + bounds.unit - 1n) / bounds.unit;
  // Of one that spent nothing at what it has, nobody knows the need: it is believed to be that of the others.
  const needs = held.map((one) => needOf(one, true)).filter((need) => need > 0n);
  const mean = needs.reduce((all, need) => all + need, 0n) / (BigInt(needs.length) || 1n);
  const parts = held.map((one): Sharing => {
    const least = (one.budget.amount + bounds.unit - 1n) / bounds.unit;
    // One that is at the ceiling leaves its part to the others; a single one is held by the guards, which say so.
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

/** What a budget goes down to where nothing is left for it; undefined where it is there. */
export function toLowest(one: ServingBudget, bounds: AmountBounds): bigint | undefined {
  const lowest = larger(bounds.floor ?? bounds.unit, twentieth(one, bounds));
  return lowest < one.budget.amount ? lowest : undefined;
}

/** How far a budget goes down at once: further is how wrong units look, and is refused, so that it would be left as it is. */
function twentieth({ budget }: ServingBudget, { unit }: AmountBounds): bigint {
  return ((budget.amount + TIMES_MAX * unit - 1n) / (TIMES_MAX * unit)) * unit;
}

const needOf = ({ recent }: ServingBudget, held: boolean): bigint => recent * (held ? HELD_NEED : FREE_NEED);

function unitsOf({ n, d }: Rational, { unit }: AmountBounds): bigint {
  return n <= 0n ? 0n : n / (d * unit);
}

/** In units; at least one, for no budget is nothing. */
function leastOf(sum: bigint, count: number, { floor, unit }: AmountBounds): bigint {
  const share = (sum * LEAST_SHARE.n) / (LEAST_SHARE.d * BigInt(count));
  const lowest = floor === undefined ? 1n : (floor + unit - 1n) / unit;
  return larger(share, lowest);
}

function changed(amount: bigint, before: ServingBudget | undefined): bigint | undefined {
  return amount === before?.budget.amount ? undefined : amount;
}
