import { askOnce, type KeptAnswers, keptAnswers } from '../kept-answers.ts';
import type { RecordStore } from '../record-store.ts';
import { headText, recordHead } from './record-head.ts';

/** About 30 MB. */
const ROWS_MAX = 30_000;

const keptOf = new WeakMap<object, { readonly head: string; readonly kept: KeptAnswers }>();

/**
 * For rows of changes, proposals and decisions. Each change of them adds an event to the audit trail in the same
 * transaction. So rows that were read beside the newest event stay true until the next one. `what` must name all that
 * the rows contain from elsewhere. Rows live as long as `owner`.
 */
export async function keptByHead<Row>(
  owner: object,
  { db, path }: Pick<RecordStore, 'db' | 'path'>,
  what: string,
  read: () => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const head = `${path} ${headText(await recordHead(db))}`;
  const before = keptOf.get(owner);
  const now = before?.head === head ? before : { head, kept: keptAnswers(ROWS_MAX) };
  keptOf.set(owner, now);
  return askOnce(now.kept, what, read);
}
