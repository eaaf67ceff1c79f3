import { decideChanges } from '../../../src/rules/decide/decide-changes.ts';
import type { AccountFacts, BudgetFacts, Decision } from '../../../src/rules/decide/decision.ts';
import type { Refusal, RefusalCode } from '../../../src/rules/decide/refusal.ts';
import { accountOf, B71, budgetOf, type WishTexts, wishOf } from './guard-fixtures.ts';

/** A budget of 40.00 EUR that a rule would decrease by 15%, and what is different. */
export interface GuardCase {
  readonly name: string;
  /** The budget's amount in currency units. */
  readonly at?: string;
  readonly wish?: Omit<WishTexts, 'current'>;
  readonly budget?: Partial<BudgetFacts>;
  readonly account?: Partial<AccountFacts>;
  readonly others?: readonly BudgetFacts[];
  /** Wishes that are decided on together with it. */
  readonly beside?: readonly WishTexts[];
  readonly reason: string;
}

export type CasesOf<Codes extends RefusalCode> = Readonly<Record<Codes, readonly [GuardCase, ...GuardCase[]]>>;

/** As JSON keeps it. */
export function stored(refusal: Refusal): Refusal {
  return JSON.parse(JSON.stringify(refusal));
}

/** What becomes of the case's wish. */
export function decide({ at = '40', wish = {}, budget, account, others = [], beside = [] }: GuardCase): Decision {
  const facts = accountOf([budgetOf(B71, at, budget), ...others], account);
  const wishes = [{ ...wish, current: at }, ...beside].map(wishOf);
  const [decision] = decideChanges(wishes, facts, 'apply');
  if (!decision) throw new Error('There is no decision.');
  return decision;
}
