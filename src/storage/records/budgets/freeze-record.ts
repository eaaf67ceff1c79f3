import { instantText } from '../../../domain/civil-date.ts';
import { parseJson } from '../../../domain/parse-json.ts';
import { memberOf } from '../expressions.ts';
import { inTransaction } from '../in-transaction.ts';
import type { StateDb } from '../record-store.ts';
import { otherDecisions, renewDecisions } from './decision-projection.ts';
import { appendEvent, newestEvent } from './event-table.ts';

export interface FreezeOrder {
  readonly by: string;
  readonly why: string;
}

/** `at` is in UTC. */
export interface Freeze extends FreezeOrder {
  readonly at: string;
}

/** Returns the newest freeze. Undefined if the newest freeze was ended. */
export async function freezeState(db: StateDb): Promise<Freeze | undefined> {
  const newest = await newestEvent(db, ['frozen', 'unfrozen']);
  if (newest?.kind !== 'frozen') return undefined;
  return { by: newest.actor, at: newest.createdAt, why: whyOf(newest.detail) };
}

/** Returns an empty text for an unreadable reason, because such a reason must not end the freeze. */
function whyOf(detail: string): string {
  const value = parseJson(detail) as { readonly why?: unknown } | null | undefined;
  return typeof value?.why === 'string' ? value.why : '';
}

/** Freezes all budget changes. A new reason replaces the reason of an earlier freeze. */
export async function recordFreeze(db: StateDb, { by, why }: FreezeOrder, nowMs: number): Promise<void> {
  await appendEvent(db, { kind: 'frozen', actor: by, detail: { why } }, nowMs);
}

/** Returns the number of corrected rows of `decision`. Undefined if there is neither a freeze nor a freeze file. */
export function recordUnfreeze(
  db: StateDb,
  { by, why }: FreezeOrder,
  nowMs: number,
  fileThere = false,
): Promise<number | undefined> {
  return inTransaction(db, async (trx) => {
    const { length: differing } = await otherDecisions(trx);
    if (!fileThere && (await freezeState(trx)) === undefined) return undefined;
    if (differing > 0) await renewDecisions(trx);
    const detail = { why, renewed_decisions: differing === 0 ? undefined : differing };
    await appendEvent(trx, { kind: 'unfrozen', actor: by, detail }, nowMs);
    return differing;
  });
}

/** No budget may change before `until` (UTC). */
export interface AdoptionHold {
  readonly by: string;
  readonly until: string;
}

/** After an adoption, no budget may change until a fixed time. Nobody can end this wait earlier. */
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
