import type { DecisionFacts } from '../../domain/decision-facts.ts';
import type { DecidedChange } from '../../storage/records/budgets/decided-change.ts';
import { decisionsOfRun } from '../../storage/records/budgets/decision-table.ts';
import type { Intent } from '../../storage/records/budgets/intent-table.ts';
import type { StateDb } from '../../storage/records/record-store.ts';

/** The ids of changes whose account a run could not read, so the run learned nothing about them. */
export type Unread = ReadonlySet<bigint>;

/** The decisions of a run from the ledger, changes first. */
export async function decidedInRun(db: StateDb, runId: bigint, unread: Unread): Promise<DecisionFacts[]> {
  const decided = await decisionsOfRun(db, runId);
  const { change = [], other = [] } = Object.groupBy(decided, ({ kind }) => (kind === 'change' ? kind : 'other'));
  const changes = change.map((one) => {
    return one.intent && unread.has(one.intent.id) ? { ...one, intent: { ...one.intent, isUnread: true } } : one;
  });
  return [...changes, ...other];
}

/** From the change itself, because the ledger can lack a change that an early version made. */
export function changeFacts(intent: Intent, unread?: Unread): DecisionFacts {
  const { id, state, undoes, actor, code, outcome } = intent;
  const isUnread = unread?.has(id) ?? false;
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
