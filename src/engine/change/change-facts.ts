import type { DecisionFacts } from '../../domain/decision-facts.ts';
import type { DecidedChange } from '../../storage/records/budgets/decided-change.ts';
import { decisionsOfRun } from '../../storage/records/budgets/decision-table.ts';
import type { Intent } from '../../storage/records/budgets/intent-table.ts';
import type { StateDb } from '../../storage/records/record-store.ts';
import type { Ends } from '../budgets/check-intents.ts';

/** The decisions of a run from the ledger, changes first. `ends` lacks changes whose account the run could not read. */
export async function decidedInRun(db: StateDb, runId: bigint, ends: Ends): Promise<DecisionFacts[]> {
  const decided = await decisionsOfRun(db, runId);
  const { change = [], other = [] } = Object.groupBy(decided, ({ kind }) => (kind === 'change' ? kind : 'other'));
  const changes = change.map((one) => {
    return one.intent && !ends.has(one.intent.id) ? { ...one, intent: { ...one.intent, isUnread: true } } : one;
  });
  return [...changes, ...other];
}

/** From the change itself, because the ledger can lack a change that an early version made. */
export function changeFacts(intent: Intent, isUnread = false): DecisionFacts {
  const { id, state, undoes, actor, code, outcome } = intent;
  return { ...intent, ...UNDECIDED, kind: 'change', intent: { id, state, undoes, actor, code, outcome, isUnread } };
}

/** The ledger does not have the refused change of a person. */
export function refusedFacts(
  change: DecidedChange & Partial<Pick<Intent, 'origin'>>,
  code: string,
  refused: NonNullable<DecisionFacts['refused']>,
): DecisionFacts {
  return { origin: 'rule', ...change, ...UNDECIDED, kind: 'refusal', code, refused };
}

const UNDECIDED = {
  subject: undefined,
  mode: undefined,
  code: undefined,
  facts: undefined,
  intent: undefined,
  proposal: undefined,
};
