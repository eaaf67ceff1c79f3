import { isPersons } from '../domain/budget-change.ts';
import type { CivilDate } from '../domain/civil-date.ts';
import type { CustomerId } from '../domain/ids.ts';
import { type Intent, insertIntent, type NewIntent, openIntents } from '../store/budgets/intent-table.ts';
import type { StateDb } from '../store/sqlite/open-state.ts';
import { type Application, type BudgetDeps, commit } from './budget-deps.ts';
import { carryOut } from './carry-out.ts';
import type { CheckOptions } from './check-intents.ts';
import { mayHaveBeenSent } from './intent-words.ts';
import { moveOn } from './move-intents.ts';

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

/**
 * Brings to an end, or as near to one as can be known, what earlier runs left open for one account. What was never sent is
 * given up: today's numbers decide anew. What may have been sent is read back: the target is there → confirmed; the old
 * amount → the same absolute amount is sent again; anything else → superseded. Where budgets cannot be read, the same
 * absolute amount is sent again, which changes nothing if the first one arrived. While budgets are frozen, reading back may
 * confirm and nothing is sent. `mayResend` says whether a rule's change may still be sent; what a person takes back always may.
 */
export async function settleIntents(
  deps: BudgetDeps,
  customer: CustomerId,
  intents: readonly Intent[],
  accountDay: () => CivilDate,
  mayResend: CheckOptions['mayResend'],
): Promise<ReadonlyMap<bigint, Application>> {
  const given = await giveUp(
    deps,
    intents.filter((intent) => !mayHaveBeenSent(intent)),
  );
  const settled = await carryOut(deps, customer, intents.filter(mayHaveBeenSent), {
    accountDay,
    mayResend: (intent, book) => intent.kind === 'undo' || mayResend(intent, book),
  });
  return new Map([...given, ...settled]);
}

/** Ends intents that were never sent; their budgets may get a new decision, also today. */
async function giveUp(deps: BudgetDeps, intents: readonly Intent[]): Promise<Map<bigint, Application>> {
  const reasonFor = (intent: Intent) =>
    isPersons(intent)
      ? 'It was never sent, and it is not sent later: ask for it again if it is still wanted.'
      : 'It was never sent, so it was decided anew.';
  if (intents.length === 0) return new Map();
  return commit(deps, 'check', async (trx) => {
    for (const intent of intents) {
      await moveOn(trx, deps, intent, { to: 'expired', code: 'NEVER_SENT', outcome: reasonFor(intent) });
    }
    return new Map(intents.map((intent) => [intent.id, { kind: 'expired', reason: reasonFor(intent) }]));
  });
}
