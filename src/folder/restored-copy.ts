import { appendEvent } from '../store/budgets/event-table.ts';
import { recordFreeze } from '../store/budgets/freeze-record.ts';
import { recordHead } from '../store/budgets/record-head.ts';
import { isCopied, noteCopied } from '../store/postgres/copy-witness.ts';
import type { RecordStore } from '../store/record-store.ts';

const ACTOR = 'pacekeeper';
const WHY =
  'the database was restored from a dump, or copied: budget changes made since then are not known. Wait until every account has begun a new day';

/**
 * Freezes budgets if the database is a copy, in the transaction that notes the copy. So a second process freezes nothing again,
 * and nobody finds a copy that is noted but not frozen. Without events or runs there is nothing that a copy could repeat.
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
    const lastRun = await trx
      .selectFrom('run')
      .select(({ fn }) => fn.max('id').as('id'))
      .executeTakeFirst();
    const { id } = await recordHead(trx);
    if (id === 0n && lastRun?.id == null) return;
    const detail = { copy: 'a dump or a copy of the database', last_run: lastRun?.id, last_event: id };
    await appendEvent(trx, { kind: 'restored', actor: ACTOR, detail }, nowMs);
    await recordFreeze(trx, { by: ACTOR, why: WHY }, nowMs);
  });
}
