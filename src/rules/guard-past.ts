import { addDays, daysBetween } from '../domain/civil-date.ts';
import type { Wish } from './decision.ts';
import { notServing } from './guard-serving.ts';
import type { Standing } from './guard-standing.ts';
import { type Refusal, refused } from './refusal.ts';

/** What a rule wishes for a budget that may be changed at all. */
export interface Asked {
  readonly wish: Wish;
  readonly standing: Standing;
  readonly winner: Winner | undefined;
}

/** The wish that a budget was decided on by earlier in this run. */
export interface Winner {
  readonly rule: string;
  /** For people: "Trail Shoes (campaign 21)". */
  readonly subject: string;
}

type Guard = (asked: Asked) => Refusal | undefined;

/** Numbers of what does not run say nothing of what spends the money. */
const serving: Guard = ({ wish: { rule, stopped = [] } }) => notServing(rule, stopped);

const alreadyDecidedToday: Guard = ({ standing: { budget } }) => {
  const { budgetId, decidedToday: state } = budget;
  return state === undefined ? undefined : refused('ALREADY_DECIDED_TODAY', { budgetId, state });
};

const waitsForApproval: Guard = ({ standing: { budget } }) => {
  const { budgetId, proposed: proposal } = budget;
  return proposal === undefined ? undefined : refused('WAITS_FOR_APPROVAL', { budgetId, proposal });
};

/**
 * A person's NO is what was decided on the budget that day: no rule asks again before the account's next day, nor one with a
 * cooldown before that is over.
 */
const rejected: Guard = ({ wish, standing: { account, budget, currency } }) => {
  const no = budget.rejected;
  if (no === undefined) return undefined;
  const { cooldownDays = 0 } = wish.rule.limits;
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

/** Whoever else changed the budget today had a reason that no rule knows. */
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

/** A person's undo holds every rule for the rest of the day: none makes again at once what was just taken back. */
const cooldown: Guard = ({ wish, standing: { account, budget } }) => {
  const newest = budget.changes.at(-1);
  if (newest === undefined) return undefined;
  const { cooldownDays = 0 } = wish.rule.limits;
  const { by, day } = newest;
  const days = by === 'undo' ? Math.max(cooldownDays, 1) : cooldownDays;
  if (daysBetween(day, account.today) >= days) return undefined;
  return refused('COOLDOWN', { budgetId: budget.budgetId, by, day, cooldownDays, until: addDays(day, days) });
};

const notEnoughData: Guard = ({ wish: { tooLittle }, standing: { currency } }) =>
  tooLittle.length === 0 ? undefined : refused('NOT_ENOUGH_DATA', { missing: tooLittle, currency });

/** In this order; the first that refuses is named. */
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

/** Whether what decided runs, what the budget has been through, what else was decided, and whether there is enough to decide on. */
export function guardPast(asked: Asked): Refusal | undefined {
  for (const guard of GUARDS) {
    const refusal = guard(asked);
    if (refusal) return refusal;
  }
  return undefined;
}
