import type { CivilDate } from '../../../domain/civil-date.ts';
import { InvariantError } from '../../../domain/errors.ts';
import type { CustomerId } from '../../../domain/ids.ts';
import { budgetUnitOf, type Micros, micros, roundDownToUnit } from '../../../domain/micros.ts';
import { add, compare, divide, multiply, type Rational, rational, subtract } from '../../../domain/rational.ts';
import type { DayNumber } from './curve.ts';
import { type AccountPart, evaluatePace, type PaceFinding, type PacePart } from './evaluate-pace.ts';
import type { PacedBudget, PaceRate, PaceReading } from './pace.ts';
import type { PaceScene, ServingBudget } from './paced-budgets.ts';
import { shareByNeed } from './share-amount.ts';

/** `rate` is undefined for an account in the currency of the target. */
export interface RatedPart extends AccountPart {
  readonly rate: PaceRate | undefined;
}

/** The least and the largest part of the amount that each account may have. Equal for fixed shares. */
export type Shares = ReadonlyMap<CustomerId, { readonly low: Rational; readonly high: Rational }>;

/** A share of 0.000001% has this many digits. */
const DIGITS = 10n ** 8n;

/** Shares in proportion to returns, within their bounds. They add up to 1. Undefined if a return is unknown, or all are 0. */
function sharesByReturn(
  shares: Shares,
  parts: ReadonlyMap<CustomerId, AccountPart>,
): ReadonlyMap<CustomerId, Rational> | undefined {
  const rows = Array.from(shares, ([customer, { low, high }]) => ({
    customer,
    need: parts.get(customer)?.returned ?? 0n,
    least: (low.n * DIGITS) / low.d,
    most: (high.n * DIGITS) / high.d,
  }));
  const returns = Array.from(shares.keys(), (customer) => parts.get(customer)?.returned);
  const isUnknown = returns.includes(undefined) || returns.every((one) => one === 0n);
  if (isUnknown && rows.some(({ least, most }) => least !== most)) return undefined;
  const split = shareByNeed(DIGITS, rows);
  return new Map(rows.map(({ customer }, index) => [customer, rational(split[index] ?? 0n, DIGITS)]));
}

/**
 * Decides a target of several accounts as if all campaigns were in one. With shares, each account is decided alone. The parts
 * must be of the same day: otherwise, accounts in different time zones could be in different months. An account that is a day
 * ahead counts its yesterday as still to come, at the amount of its budgets.
 *
 * Costs and budgets are rounded up to micros of the target's currency. New amounts are rounded down:
 * all together never exceed what is left. Returns the part of each account, with its own budgets.
 */
export function decideTogether(
  currency: string,
  parts: ReadonlyMap<CustomerId, RatedPart>,
  shares?: Shares,
): Map<CustomerId, PaceFinding> {
  const rated = Array.from(parts, ([customer, part]) => [customer, inCurrencyOfTarget(part)] as const);
  const [first] = rated;
  if (first === undefined) return new Map();
  const whole = decide(currency, new Map(rated));
  const split = shares && sharesByReturn(shares, parts);
  if (split === undefined || whole.reading.state === 'unknown') return inAccounts(whole, parts);
  const { target } = first[1].scene;
  const own = rated.map(([customer, part]): PartAlone => {
    const share = multiply(target, split.get(customer) ?? NOTHING);
    const { reading } = decide(currency, new Map([[customer, part]]), share);
    return { customer, part, share, reading };
  });
  const alone = affordable(target, own).map(({ customer, part, share }) => {
    return [customer, decide(currency, new Map([[customer, part]]), share)] as const;
  });
  const wanted = alone.map(([, { reading }]) => reading.wanted ?? rational(reading.current)).reduce(add);
  const isChanged = alone.some(([, { reading }]) => reading.wanted !== undefined);
  const together = { ...whole.reading, wanted: isChanged ? wanted : undefined };
  return new Map(
    alone.flatMap(([customer, { fires, reading }]) => {
      const part = parts.get(customer);
      return part ? [...inAccounts({ fires, reading: { ...reading, together } }, new Map([[customer, part]]))] : [];
    }),
  );
}

const NOTHING = rational(0n);

interface PartAlone {
  readonly customer: CustomerId;
  readonly part: AccountPart;
  /** In micros of the target's currency. */
  readonly share: Rational;
  readonly reading: PaceReading;
}

/**
 * Lowers the shares to what the whole amount can pay. If an account spent more than its share, less is left for the others.
 * And until an account's budgets are lowered, which someone may refuse, others are raised only by what remains.
 */
function affordable(target: Rational, parts: readonly PartAlone[]): PartAlone[] {
  const rows = parts.map((own) => {
    const { spent, unsettled, budgeted } = own.reading;
    const gone = add(spent, unsettled);
    return { own, gone, kept: subtract(budgeted, gone), left: above(own.share, gone) };
  });
  const total = (amounts: readonly Rational[]) => amounts.reduce(add, NOTHING);
  const left = above(target, total(rows.map(({ gone }) => gone)));
  const cut = partOf(left, total(rows.map((row) => row.left)));
  const cuts = rows.map((row) => {
    const most = multiply(row.left, cut);
    return { ...row, most, raise: above(most, row.kept) };
  });
  const room = above(left, total(rows.map(({ kept }) => kept)));
  const raised = partOf(room, total(cuts.map(({ raise }) => raise)));
  return cuts.map(({ own, gone, kept, left, most, raise }) => {
    if (left.n <= 0n) return own;
    const rest = raise.n > 0n ? add(kept, multiply(raise, raised)) : most;
    return { ...own, share: add(gone, rest) };
  });
}

const above = (amount: Rational, other: Rational): Rational =>
  compare(amount, other) > 0 ? subtract(amount, other) : NOTHING;

/** At most 1. */
const partOf = (amount: Rational, whole: Rational): Rational =>
  compare(amount, whole) < 0 ? (divide(amount, whole) ?? NOTHING) : rational(1n);

function decide(currency: string, parts: ReadonlyMap<CustomerId, AccountPart>, target?: Rational): PaceFinding {
  const all = [...parts.values()];
  const [first] = all;
  if (first === undefined) throw new InvariantError('A target has no account.');
  const { scene } = first;
  const account = { ...scene.account, currency };
  return evaluatePace(merged(parts), { ...scene, account, plan: mergedPlan(all), target: target ?? scene.target });
}

function inAccounts(
  { fires, reading }: PaceFinding,
  parts: ReadonlyMap<CustomerId, RatedPart>,
): Map<CustomerId, PaceFinding> {
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

function inCurrencyOfTarget({ part, scene, returned, rate }: RatedPart): AccountPart {
  if (rate === undefined) return { part, scene, returned };
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
    returned,
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
    beside: all.reduce((sum, { beside }) => add(sum, beside), NOTHING),
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
