import { InvariantError } from '../domain/errors.ts';
import { formatMoney, type Micros } from '../domain/micros.ts';
import { type AccountTotals, guardTotals } from './account-totals.ts';
import type { AccountFacts, BudgetFacts, LimitName, Wish } from './decision.ts';
import { holdTarget } from './guard-limits.ts';
import { guardPast, type Winner } from './guard-past.ts';
import { guardPlausible } from './guard-plausible.ts';
import { guardStanding, type Standing } from './guard-standing.ts';
import { boundsOf } from './limit-bounds.ts';
import { type Refusal, refused } from './refusal.ts';
import { limitWords } from './refusal-words.ts';

/** A wish that every guard lets through. */
export interface Guarded {
  readonly kind: 'guarded';
  readonly standing: Standing;
  readonly to: Micros;
  readonly limitedBy: LimitName | undefined;
  /** The change with its amounts, and the limit that held it. */
  readonly change: string;
  /** The same where its amounts stand beside it. */
  readonly changeWithoutAmounts: string;
}

const NAMES_MAX = 3;

/** A campaign's rule decides on a budget that others spend from, too: whoever reads the reason must see it. */
function alsoServes({ subject }: Wish, { campaigns }: BudgetFacts): string {
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
  return ' (the service does not show budgets: the old amount is the declared one, or what we last set)';
}

/**
 * The guards on a rule's wish, in order; the first that refuses is named. First what holds for everybody
 * (`guardStanding`), then the budget's past and the data (`guardPast`), then the wished amount itself (TARGET_UNKNOWN,
 * `guardPlausible`), then the rule's limits (`holdTarget`), then the account's bounds (`guardTotals`).
 */
export function guardWish(
  wish: Wish,
  account: AccountFacts,
  totals: AccountTotals,
  winner: Winner | undefined,
): Guarded | Refusal {
  const { rule, subject, target } = wish;
  if (rule.change === undefined)
    throw new InvariantError(`The rule ${rule.name} changes nothing and wishes for a change.`);
  const { text } = rule.change;
  const standing = guardStanding(wish.budgetId, subject.label, account);
  if (standing.kind === 'refused') return standing;
  const past = guardPast({ wish, standing, winner });
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
  const holding = bound === undefined ? '' : `, held by the ${limitWords(bound.limit, currency)}`;
  const amounts = `${formatMoney(budget.amount, currency)} to ${formatMoney(to, currency)}`;
  const words = `${text}${holding}`;
  const note = `${alsoServes(wish, budget)}${unread(budget)}`;
  return {
    kind: 'guarded',
    standing,
    to,
    limitedBy: bound?.limit.name,
    change: `${words}: ${amounts}${note}`,
    changeWithoutAmounts: `${words}${note}`,
  };
}
