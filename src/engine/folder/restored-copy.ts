import { instantText } from '../../domain/civil-date.ts';
import { appendEvent } from '../../storage/records/budgets/event-table.ts';
import { freezeState, recordFreeze } from '../../storage/records/budgets/freeze-record.ts';
import { recordHead } from '../../storage/records/budgets/record-head.ts';
import { isCopied, noteCopied } from '../../storage/records/postgres/copy-witness.ts';
import type { RecordStore, StateDb } from '../../storage/records/record-store.ts';
import { allAccounts } from '../../storage/records/runs/account-table.ts';
import { postgresMovedRows } from '../../storage/warehouse/postgres/moved-rows.ts';
import { endOfOpenDays } from './end-of-open-days.ts';
import type { AdoptedRuns } from './engine.ts';

const ACTOR = 'pacekeeper';
const WHY =
  'the database was restored from a dump, or copied: budget changes made since then are not known. Wait until every account has begun a new day';

/**
 * Freezes budgets if the database is a copy, in the transaction that notes the copy. So a second process freezes nothing
 * again, and a kill leaves no copy that is noted but not frozen. An empty copy is like a new database.
 */
export async function freezeIfCopied(
  { db, isReadOnly }: Pick<RecordStore, 'db' | 'isReadOnly'>,
  nowMs: number,
): Promise<void> {
  if (isReadOnly || !(await isCopied(db))) return;
  await db.transaction().execute(async (trx) => {
    // Another process may have noted it meanwhile.
    if (!(await isCopied(trx))) return;
    await noteCopied(trx);
    const last = await lastRunIn(trx);
    const { id } = await recordHead(trx);
    if (id === 0n && last === 0n) return;
    const detail = { copy: 'a dump or a copy of the database', last_run: last, last_event: id };
    await appendEvent(trx, { kind: 'restored', actor: ACTOR, detail }, nowMs);
    await recordFreeze(trx, { by: ACTOR, why: WHY }, nowMs);
  });
}

/**
 * The record lacks the changes of the lost runs. All of them are of an earlier day when changes are allowed again. A later
 * reading that differs from the record is noted as a change by someone else.
 */
export function adoptLostRuns(
  { db }: RecordStore,
  lastLost: bigint,
  { by, why }: { readonly by: string; readonly why: string | undefined },
  nowMs: number,
): Promise<AdoptedRuns> {
  return db.transaction().execute(async (trx) => {
    const known = await lastRunIn(trx);
    // People have seen the numbers of the lost runs, so new runs must not use them again.
    const lastRun = lastLost > known ? lastLost : known;
    await postgresMovedRows(trx).count(trx, new Map([['run', lastRun]]));
    const frozenUntil = instantText(endOfOpenDays(await allAccounts(trx), nowMs));
    const detail = { why, last_run: lastRun, frozen_until: frozenUntil };
    await appendEvent(trx, { kind: 'adopted', actor: by, detail }, nowMs);
    return { lastRun, frozenUntil, isFrozen: (await freezeState(trx)) !== undefined };
  });
}

async function lastRunIn(db: StateDb): Promise<bigint> {
  const newest = await db.selectFrom('run').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst();
  return newest?.id ?? 0n;
}
