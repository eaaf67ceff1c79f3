import { decideChanges } from '../../../src/language/rules/decide/decide-changes.ts';
import type { AccountFacts, BudgetFacts, Decision } from '../../../src/language/rules/decide/decision.ts';
import type { Refusal, RefusalCode } from '../../../src/language/rules/decide/refusal.ts';
import { accountOf, B71, budgetOf, type RequestTexts, requestOf } from './guard-fixtures.ts';

/** A budget of 40.00 EUR that a rule would decrease by 15%, and what is different. */
export interface GuardCase {
  readonly name: string;
  /** The budget's amount in currency units. */
  readonly at?: string;
  readonly request?: Omit<RequestTexts, 'current'>;
  readonly budget?: Partial<BudgetFacts>;
  readonly account?: Partial<AccountFacts>;
  readonly others?: readonly BudgetFacts[];
  /** Requested changes that are decided on together with it. */
  readonly beside?: readonly RequestTexts[];
  readonly reason: string;
}

export type CasesOf<Codes extends RefusalCode> = Readonly<Record<Codes, readonly [GuardCase, ...GuardCase[]]>>;

/** As JSON keeps it. */
export function stored(refusal: Refusal): Refusal {
  return JSON.parse(JSON.stringify(refusal));
}

/** What becomes of the case's request. */
export function decide({ at = '40', request = {}, budget, account, others = [], beside = [] }: GuardCase): Decision {
  const facts = accountOf([budgetOf(B71, at, budget), ...others], account);
  const requests = [{ ...request, current: at }, ...beside].map(requestOf);
  const [decision] = decideChanges(requests, facts, 'apply');
  if (!decision) throw new Error('There is no decision.');
  return decision;
}
