import { addDays, daysBetween } from '../domain/civil-date.ts';
import { isMade } from '../domain/made-change.ts';
import { formatMoney } from '../domain/micros.ts';
import type { PastChange } from '../domain/past-change.ts';
import type { Wish } from './decision.ts';
import { notServing } from './guard-serving.ts';
import type { Standing } from './guard-standing.ts';
import { type Refusal, refused } from './refusal.ts';

/** What a rule wishes for a budget that may be changed at all. */
export interface Asked {
  readonly wish: Wish;
  readonly standing: Standing;
  /** Who decided on the budget earlier in this run, for people: "trim for Trail Shoes (campaign 21)". */
  readonly winner: string | undefined;
}

type Guard = (asked: Asked) => Refusal | undefined;

/** Numbers of what does not run say nothing of what spends the money. */
const serving: Guard = ({ wish: { rule, stopped = [] } }) => notServing(rule, stopped);

const alreadyDecidedToday: Guard = ({ standing: { budget } }) => {
  const state = budget.decidedToday;
  if (state === undefined) return undefined;
  const end = isMade({ state }) ? '' : `, which was ${state}`;
  return refused('ALREADY_DECIDED_TODAY', `Budget ${budget.budgetId} already had its change of the day${end}.`);
};

const waitsForApproval: Guard = ({ standing: { budget } }) =>
  budget.proposed === undefined
    ? undefined
    : refused('WAITS_FOR_APPROVAL', `Change ${budget.proposed} of budget ${budget.budgetId} awaits approval.`);

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
  const change = `${formatMoney(no.from, currency)} to ${formatMoney(no.to, currency)}`;
  const again = `rules ask again on ${addDays(no.day, days)} at the earliest`;
  const held = cooldownDays === 0 ? again : `${again}, by the cooldown of ${cooldownDays} ${plural(cooldownDays)}`;
  return refused('REJECTED', `${change} was rejected by ${no.by} on ${no.day} (${no.code}): ${held}.`);
};

const decidedByOther: Guard = ({ standing: { budget }, winner }) =>
  winner === undefined
    ? undefined
    : refused(
        'DECIDED_BY_OTHER',
        `Budget ${budget.budgetId} was decided on by ${winner}: the order is a decrease before an increase, then the rule's file name.`,
      );

/** Whoever else changed the budget today had a reason that no rule knows. */
const foreignChange: Guard = ({ standing: { account, budget, currency } }) => {
  const change = budget.changes.findLast(({ by, day }) => by === 'foreign' && day >= account.today);
  if (change === undefined) return undefined;
  const [from, to] = [formatMoney(change.from, currency), formatMoney(change.to, currency)];
  const until = addDays(change.day, 1);
  const reason = `Budget ${budget.budgetId} was changed elsewhere from ${from} to ${to}, seen today: rules wait until ${until}.`;
  return refused('FOREIGN_CHANGE', reason);
};

const BY: Readonly<Record<PastChange['by'], string>> = {
  rule: 'by a rule',
  undo: 'by an undo',
  foreign: 'elsewhere',
};

/** A person's undo holds every rule for the rest of the day: none makes again at once what was just taken back. */
const cooldown: Guard = ({ wish, standing: { account, budget } }) => {
  const newest = budget.changes.at(-1);
  if (newest === undefined) return undefined;
  const { cooldownDays = 0 } = wish.rule.limits;
  const days = newest.by === 'undo' ? Math.max(cooldownDays, 1) : cooldownDays;
  if (daysBetween(newest.day, account.today) >= days) return undefined;
  const name = cooldownDays === 0 ? 'rules wait' : `the cooldown of ${cooldownDays} ${plural(cooldownDays)} lasts`;
  const reason = `Budget ${budget.budgetId} was changed ${BY[newest.by]} on ${newest.day}: ${name} until ${addDays(newest.day, days)}.`;
  return refused('COOLDOWN', reason);
};

const notEnoughData: Guard = ({ wish }) =>
  wish.tooLittle === undefined ? undefined : refused('NOT_ENOUGH_DATA', `There is too little data: ${wish.tooLittle}.`);

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

function plural(days: number): string {
  return days === 1 ? 'day' : 'days';
}
