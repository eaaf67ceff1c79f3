import type { CivilDate } from '../domain/civil-date.ts';
import type { CustomerId } from '../domain/ids.ts';
import { type Intent, insertIntent, type NewIntent, openIntents } from '../store/intent-table.ts';
import type { StateDb } from '../store/open-state.ts';
import { type Application, type BudgetDeps, commit } from './budget-deps.ts';
import { carryOut } from './carry-out.ts';

/**
 * Commits decisions as planned intents, all in one transaction. In their order; undefined for a budget that already had
 * its change of the account day, or that has a change under way whose end is not known. `beside` is given them in the same
 * transaction, to write down what was decided with them.
 */
export function planIntents(
  deps: Pick<BudgetDeps, 'state' | 'clock' | 'passes'>,
  runId: bigint | undefined,
  decisions: readonly NewIntent[],
  beside: (trx: StateDb, intents: readonly (Intent | undefined)[]) => Promise<void> = async () => undefined,
): Promise<(Intent | undefined)[]> {
  return commit(deps, 'plan', async (trx) => {
    const nameOf = ({ customerId, budgetId }: NewIntent) => `${customerId}/${budgetId}`;
    const open = new Set((await openIntents(trx)).map(nameOf));
    const intents: (Intent | undefined)[] = [];
    for (const decision of decisions) {
      const blocked = open.has(nameOf(decision));
      intents.push(blocked ? undefined : await insertIntent(trx, runId, decision, deps.clock.now()));
      open.add(nameOf(decision));
    }
    await beside(trx, intents);
    return intents;
  });
}

/**
 * Carries out planned intents of one account, in batches. `accountDay` tells the account's today. A foreign change
 * supersedes an intent and is recorded; while budgets are frozen intents expire; what surely was not made for a reason
 * that may pass is postponed. Never throws for an answer of the service.
 */
export function applyIntents(
  deps: BudgetDeps,
  customer: CustomerId,
  intents: readonly Intent[],
  accountDay: () => CivilDate,
): Promise<ReadonlyMap<bigint, Application>> {
  return carryOut(deps, customer, intents, { accountDay, mayResend: () => false });
}
