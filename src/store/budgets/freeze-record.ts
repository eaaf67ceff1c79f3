import { instantText } from '../../domain/civil-date.ts';
import { parseJson } from '../../domain/parse-json.ts';
import { otherDecisions, renewDecisions } from '../sqlite/decision-projection.ts';
import { memberOf } from '../sqlite/expressions.ts';
import { inTransaction } from '../sqlite/in-transaction.ts';
import type { StateDb, StateFile } from '../sqlite/open-state.ts';
import { appendEvent, newestEvent } from './event-table.ts';

/** Who stopped all budget changes, when (UTC), and why. */
export interface Freeze {
  readonly by: string;
  readonly at: string;
  readonly why: string;
}

/** Undefined while budget changes are not frozen: the newest of the two kinds of events says so. */
export async function freezeState(db: StateDb): Promise<Freeze | undefined> {
  const newest = await newestEvent(db, ['frozen', 'unfrozen']);
  if (newest?.kind !== 'frozen') return undefined;
  return { by: newest.actor, at: newest.createdAt, why: whyOf(newest.detail) };
}

/** Frozen is frozen, whatever the reason says. */
function whyOf(detail: string): string {
  const value = parseJson(detail) as { readonly why?: unknown } | null | undefined;
  return typeof value?.why === 'string' ? value.why : '';
}

export interface FreezeOrder {
  readonly by: string;
  readonly why: string;
}

/** Stops all budget changes; what is frozen already gets this as its newest reason. */
export async function recordFreeze(db: StateDb, { by, why }: FreezeOrder, nowMs: number): Promise<void> {
  await appendEvent(db, { kind: 'frozen', actor: by, detail: { why } }, nowMs);
}

/**
 * Undefined, and nothing is written, when nothing was frozen. `fileThere`: the file FREEZE stands, so that a person lifts
 * something whether or not the record says frozen. A ledger that contradicts the chain is made anew from it: answers with how
 * many of its rows did.
 */
export function recordUnfreeze(
  state: StateFile,
  { by, why }: FreezeOrder,
  nowMs: number,
  fileThere = false,
): Promise<number | undefined> {
  // Before the transaction: nobody who writes waits for it.
  const { length: differing } = otherDecisions(state);
  return inTransaction(state.db, async (trx) => {
    if (!fileThere && (await freezeState(trx)) === undefined) return undefined;
    if (differing > 0) renewDecisions(state);
    const detail = { why, renewed_decisions: differing === 0 ? undefined : differing };
    await appendEvent(trx, { kind: 'unfrozen', actor: by, detail }, nowMs);
    return differing;
  });
}

/** Who took the record over from a published file, and until when (UTC) nothing is changed for it. */
export interface AdoptionHold {
  readonly by: string;
  readonly until: string;
}

/** Undefined where no day is open any more that was open when the record was taken over: nobody can lift it before. */
export async function adoptionHold(db: StateDb, nowMs: number): Promise<AdoptionHold | undefined> {
  const newest = await db
    .selectFrom('budgetEvent')
    .select(['actor', memberOf('detail', 'frozen_until').as('until')])
    .where('kind', '=', 'adopted')
    .where(memberOf('detail', 'frozen_until'), '>', instantText(nowMs))
    .orderBy('until', 'desc')
    .limit(1)
    .executeTakeFirst();
  return newest && { by: newest.actor, until: newest.until };
}
