import type { PastChange } from '../../../domain/budget-change.ts';
import { addDays, type CivilDate, daysBetween } from '../../../domain/civil-date.ts';
import { InvariantError } from '../../../domain/errors.ts';
import type { BudgetId } from '../../../domain/ids.ts';
import { budgetUnitOf, formatMoney, type Micros, roundDownToUnit, roundUpToUnit } from '../../../domain/micros.ts';
import { add, compare, exactText, multiply, type Rational, rational, subtract } from '../../../domain/rational.ts';
import type { Limits, Rule } from '../rule.ts';
import { type AccountTotals, guardTotals, totalsOf } from './account-totals.ts';
import type { AccountFacts, BudgetFacts, LimitName, RequestedChange, Subject } from './decision.ts';
import { type LimitFacts, type Refusal, type RefusalFacts, refused } from './refusal.ts';
import { limitWords } from './refusal-words.ts';
import { notServing } from './what-serves.ts';

export interface Guarded {
  readonly kind: 'guarded';
  readonly standing: Standing;
  readonly to: Micros;
  readonly limitedBy: LimitName | undefined;
  readonly change: string;
  readonly changeWithoutAmounts: string;
}

const NAMES_MAX = 3;

function alsoServes({ subject }: GuardedRequest, { campaigns }: BudgetFacts): string {
  if (subject.kind !== 'campaign') return '';
  const others = campaigns
    .filter(({ id }) => id !== subject.campaignId)
    .map(({ id, name }) => name ?? `campaign ${id}`);
  if (others.length === 0) return '';
  const more = others.length > NAMES_MAX ? ` and ${others.length - NAMES_MAX} more` : '';
  return ` (the budget also serves ${others.slice(0, NAMES_MAX).join(', ')}${more})`;
}

function unread({ source }: BudgetFacts): string {
  if (source === 'read') return '';
  return ' (the service does not show budgets: the old amount comes from the settings or from the last change by pacekeeper)';
}

/** Also of an agent, which has limits but no rule. */
export type GuardedRequest = Omit<RequestedChange, 'rule'> & {
  readonly rule: Pick<Rule, 'name' | 'limits' | 'includePaused'> & {
    readonly change: Pick<NonNullable<Rule['change']>, 'text'> | undefined;
  };
};

/** The order of the guards decides which refusal is reported. */
export function guardRequest(
  request: GuardedRequest,
  account: AccountFacts,
  totals: AccountTotals,
  winner: Winner | undefined,
): Guarded | Refusal {
  const { rule, subject, target } = request;
  if (rule.change === undefined) throw new InvariantError(`The rule ${rule.name} has no change, but requests one.`);
  const { text } = rule.change;
  const standing = guardStanding(request.budgetId, subject, account);
  if (standing.kind === 'refused') return standing;
  const past = guardPast({ request, standing, winner });
  if (past) return past;
  const { budget, currency } = standing;
  if (target === undefined) return refused('TARGET_UNKNOWN', { change: text, subject: subject.label });
  const implausible = guardPlausible(target, budget.amount, currency, text);
  if (implausible) return implausible;
  const held = holdTarget(target, standing, boundsOf(rule.limits, standing), text);
  if (held.kind === 'refused') return held;
  const { to, bound } = held;
  const beyond = guardTotals(totals, standing, to);
  if (beyond) return beyond;
  const holding = bound === undefined ? '' : `, limited by the ${limitWords(bound.limit, currency)}`;
  const amounts = `${formatMoney(budget.amount, currency)} to ${formatMoney(to, currency)}`;
  const words = `${text}${holding}`;
  const note = `${alsoServes(request, budget)}${unread(budget)}`;
  return {
    kind: 'guarded',
    standing,
    to,
    limitedBy: bound?.limit.name,
    change: `${words}: ${amounts}${note}`,
    changeWithoutAmounts: `${words}${note}`,
  };
}

export interface Standing {
  readonly kind: 'standing';
  readonly account: AccountFacts;
  readonly budget: BudgetFacts;
  readonly currency: string;
  /** The smallest step of amounts, in micros. */
  readonly unit: Micros;
}

/** Checks changes by rules and by people. Without a budget id, the campaign leads to a budget without a daily amount. */
export function guardStanding(
  wanted: BudgetId | undefined,
  { label, campaignId }: Pick<Subject, 'label' | 'campaignId'>,
  account: AccountFacts,
): Standing | Refusal {
  const { currency } = account;
  if (account.frozen !== undefined) return refused('FROZEN', { why: account.frozen });
  const unread = account.unreadable?.find(({ budgetId, campaigns }) =>
    wanted === undefined ? campaigns.some((id) => id === campaignId) : budgetId === wanted,
  );
  const budgetId = wanted ?? unread?.budgetId;
  if (unread?.total) {
    const amount = unread.total.amount === undefined ? null : String(unread.total.amount);
    return refused('TOTAL_BUDGET', { budgetId: unread.budgetId, amount, currency: currency ?? null });
  }
  const budget = budgetId && account.budgets.get(budgetId);
  if (budget === undefined || budget.amount <= 0n) {
    const amount = budget === undefined ? null : String(budget.amount);
    const facts = { subject: label, budgetId: budgetId ?? null, amount, currency: currency ?? null };
    return refused('BUDGET_NOT_KNOWN', facts);
  }
  const { removed, outcomeOpen, inDoubt } = budget;
  if (removed) return refused('BUDGET_REMOVED', { budgetId: budget.budgetId });
  if (currency === undefined) return refused('CURRENCY_NOT_KNOWN', { currency: null });
  const unit = budgetUnitOf(account);
  if (unit === undefined) return refused('CURRENCY_NOT_KNOWN', { currency });
  if (outcomeOpen) return refused('OUTCOME_OPEN', { budgetId: budget.budgetId });
  if (inDoubt) {
    const { expected, found, until } = inDoubt;
    const amounts = { expected: String(expected), found: String(found) };
    return refused('AMOUNT_IN_DOUBT', { budgetId: budget.budgetId, ...amounts, until, currency });
  }
  return { kind: 'standing', account, budget, currency, unit };
}

export interface Asked {
  readonly request: GuardedRequest;
  readonly standing: Standing;
  readonly winner: Winner | undefined;
}

export interface Winner {
  readonly rule: string;
  readonly subject: string;
}

type Guard = (asked: Asked) => Refusal | undefined;

const serving: Guard = ({ request: { rule, stopped = [] } }) => notServing(rule, stopped);

const alreadyDecidedToday: Guard = ({ standing: { budget } }) => {
  const { budgetId, decidedToday: state } = budget;
  return state === undefined ? undefined : refused('ALREADY_DECIDED_TODAY', { budgetId, state });
};

const waitsForApproval: Guard = ({ standing: { budget } }) => {
  const { budgetId, proposed: proposal } = budget;
  return proposal === undefined ? undefined : refused('WAITS_FOR_APPROVAL', { budgetId, proposal });
};

/** A rejection blocks rules until the next day, or until a longer cooldown ends. */
const rejected: Guard = ({ request, standing: { account, budget, currency } }) => {
  const no = budget.rejected;
  if (no === undefined) return undefined;
  const { cooldownDays = 0 } = request.rule.limits;
  const days = Math.max(cooldownDays, 1);
  if (daysBetween(no.day, account.today) >= days) return undefined;
  const { code: proposal, by, day } = no;
  return refused('REJECTED', {
    proposal,
    by,
    day,
    from: String(no.from),
    to: String(no.to),
    currency,
    cooldownDays,
    until: addDays(day, days),
  });
};

const decidedByOther: Guard = ({ standing: { budget }, winner }) =>
  winner === undefined ? undefined : refused('DECIDED_BY_OTHER', { budgetId: budget.budgetId, ...winner });

/** If the budget was changed elsewhere today, rules do not change the budget again. */
const foreignChange: Guard = ({ standing: { account, budget, currency } }) => {
  const change = budget.changes.findLast(({ by, day }) => by === 'foreign' && day >= account.today);
  if (change === undefined) return undefined;
  return refused('FOREIGN_CHANGE', {
    budgetId: budget.budgetId,
    from: String(change.from),
    to: String(change.to),
    currency,
    until: addDays(change.day, 1),
  });
};

/** After an undo, rules wait at least until the next day. Otherwise a rule could repeat the undone change. */
const cooldown: Guard = ({ request, standing: { account, budget } }) => {
  const newest = budget.changes.at(-1);
  if (newest === undefined) return undefined;
  const { cooldownDays = 0 } = request.rule.limits;
  const { by, day } = newest;
  const days = by === 'undo' ? Math.max(cooldownDays, 1) : cooldownDays;
  if (daysBetween(day, account.today) >= days) return undefined;
  return refused('COOLDOWN', { budgetId: budget.budgetId, by, day, cooldownDays, until: addDays(day, days) });
};

const notEnoughData: Guard = ({ request: { tooLittle }, standing: { currency } }) =>
  tooLittle.length === 0 ? undefined : refused('NOT_ENOUGH_DATA', { missing: tooLittle, currency });

const GUARDS: readonly Guard[] = [
  serving,
  alreadyDecidedToday,
  waitsForApproval,
  rejected,
  decidedByOther,
  foreignChange,
  cooldown,
  notEnoughData,
];

function guardPast(asked: Asked): Refusal | undefined {
  for (const guard of GUARDS) {
    const refusal = guard(asked);
    if (refusal) return refusal;
  }
  return undefined;
}

export interface Held {
  readonly kind: 'held';
  readonly to: Micros;
  readonly bound: Bound | undefined;
}

/** Rounds towards the current amount, so that no change is larger than requested. `requested` is in micros. */
function holdTarget(requested: Rational, standing: Standing, bounds: readonly Bound[], change: string): Held | Refusal {
  const { currency, unit } = standing;
  const { amount } = standing.budget;
  const current = rational(amount);
  const direction = compare(requested, current);
  const about = { change, amount: String(amount), currency };
  if (direction === 0) return refused('NO_CHANGE', { ...about, unit: null, limit: null });

  let target = requested;
  let holding: Bound | undefined;
  for (const bound of bounds) {
    const edge = direction > 0 ? bound.high : bound.low;
    if (edge === undefined) continue;
    if (bound.limit.name !== 'step' && compare(edge, current) !== direction) {
      return refused(AT[bound.limit.name], atLimit(bound.limit, edge, standing));
    }
    if (compare(target, edge) === direction) {
      target = edge;
      holding = bound;
    }
  }

  const to = direction > 0 ? roundDownToUnit(target, unit) : roundUpBelow(target, amount, unit);
  if (to === undefined || compare(rational(to), current) !== direction) {
    return refused('NO_CHANGE', { ...about, unit: String(unit), limit: holding?.limit ?? null });
  }
  return outsideOf(to, bounds, currency) ?? { kind: 'held', to, bound: holding };
}

function outsideOf(to: Micros, bounds: readonly Bound[], currency: string): Refusal | undefined {
  for (const { low, high, limit } of bounds) {
    const side =
      low && compare(rational(to), low) < 0 ? 'below' : high && compare(rational(to), high) > 0 ? 'above' : undefined;
    if (side !== undefined) return refused('OUTSIDE_LIMITS', { to: String(to), currency, side, limit });
  }
  return undefined;
}

/** The step limit has no code, because the current amount is always within this limit. */
const AT = { drift: 'AT_DRIFT', floor: 'AT_FLOOR', ceiling: 'AT_CEILING' } as const;

function atLimit(limit: LimitFacts, edge: Rational, { budget, currency }: Standing): RefusalFacts['AT_FLOOR'] {
  const { budgetId, amount } = budget;
  return { budgetId, amount: String(amount), limit, end: String(edge.n / edge.d), currency };
}

/** Returns undefined if the rounded amount would be above `amount`, because that amount could exceed int64. */
function roundUpBelow(target: Rational, amount: Micros, unit: Micros): Micros | undefined {
  const highest = roundDownToUnit(rational(amount), unit);
  return compare(target, rational(highest)) > 0 ? undefined : roundUpToUnit(target, unit);
}

export const LARGEST = rational(2n ** 63n - 1n);
/** A change by a larger factor is probably a mistake, such as cents for currency units. */
export const FACTOR_MAX = rational(20n);

/** `target` is in micros. `change` is null for an amount that a person sets. */
function guardPlausible(
  target: Rational,
  current: Micros,
  currency: string,
  change: string | null,
): Refusal | undefined {
  const facts = { change, from: String(current), to: String(target.n / target.d), currency };
  if (target.n <= 0n) return refused('NOT_POSITIVE', facts);
  if (compare(target, LARGEST) > 0) return refused('TOO_LARGE', facts);
  const now = rational(current);
  const isApart = compare(target, multiply(now, FACTOR_MAX)) > 0 || compare(multiply(target, FACTOR_MAX), now) < 0;
  return isApart ? refused('UNIT_SANITY', facts) : undefined;
}

/** Lowest and highest amount that the limit allows, in micros. */
interface Bound {
  readonly limit: LimitFacts;
  readonly low: Rational | undefined;
  readonly high: Rational | undefined;
}

function boundsOf(limits: Limits, { account, budget }: Standing): Bound[] {
  const { step, drift, floor, ceiling } = limits;
  const bounds: Bound[] = [];
  if (step) {
    bounds.push({ limit: { name: 'step', share: exactText(step) }, ...around(rational(budget.amount), step) });
  }
  if (drift) {
    const base = driftBase(budget.changes, budget.amount, account.today, drift.days);
    const limit = { name: 'drift', share: exactText(drift.share), days: drift.days, base: String(base) } as const;
    bounds.push({ limit, ...around(rational(base), drift.share) });
  }
  return [...bounds, ...floorAndCeiling(floor, ceiling)];
}

function floorAndCeiling(floor: Limits['floor'], ceiling: Limits['ceiling']): Bound[] {
  const bounds: Bound[] = [];
  if (floor !== undefined) {
    bounds.push({ limit: { name: 'floor', amount: String(floor) }, low: rational(floor), high: undefined });
  }
  if (ceiling !== undefined) {
    bounds.push({ limit: { name: 'ceiling', amount: String(ceiling) }, low: undefined, high: rational(ceiling) });
  }
  return bounds;
}

function around(amount: Rational, share: Rational): { low: Rational; high: Rational } {
  const distance = multiply(amount, share);
  return { low: subtract(amount, distance), high: add(amount, distance) };
}

/** Drift counts from the amount before the first change within `days`. After a change elsewhere, drift counts from the new amount. */
export function driftBase(changes: readonly PastChange[], current: Micros, today: CivilDate, days: number): Micros {
  let base: Micros | undefined;
  for (const change of changes.toReversed()) {
    if (daysBetween(change.day, today) >= days) break;
    if (change.by === 'foreign') return base ?? change.to;
    base = change.from;
  }
  return base ?? current;
}

export interface FixedAmount {
  readonly budgetId: BudgetId;
  /** The amount that the budget must still have. */
  readonly from: Micros;
  readonly to: Micros;
  readonly floor: Micros | undefined;
  readonly ceiling: Micros | undefined;
}

/** Never alters the amount, because a person agreed to exactly this amount. */
export function guardFixedAmount(wanted: FixedAmount, account: AccountFacts): Standing | Refusal {
  const { budgetId, from, to, floor, ceiling } = wanted;
  const standing = guardStanding(budgetId, { label: `budget ${budgetId}`, campaignId: undefined }, account);
  if (standing.kind === 'refused') return standing;
  const { budget, currency, unit } = standing;
  if (budget.amount !== from) {
    const amounts = { from: String(from), to: String(budget.amount), currency };
    return refused('FOREIGN_CHANGE', { budgetId, ...amounts, until: null });
  }
  if (to === from) {
    return refused('NO_CHANGE', { change: null, amount: String(from), currency, unit: null, limit: null });
  }
  const refusal =
    guardPlausible(rational(to), from, currency, null) ??
    outsideOf(to, floorAndCeiling(floor, ceiling), currency) ??
    (to % unit === 0n ? undefined : refused('OUTSIDE_LIMITS', { to: String(to), currency, unit: String(unit) })) ??
    guardTotals(totalsOf(account), standing, to);
  return refusal ?? standing;
}
