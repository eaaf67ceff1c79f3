import type { Selectable } from 'kysely';
import { instantText } from '../../domain/civil-date.ts';
import { inTransaction } from './in-transaction.ts';
import type { StateDb } from './record-store.ts';
import type { StateSchema } from './state-schema.ts';

/** `chart` is the part of an address that draws it. Times are in UTC. Its id is text, because orders to a page thread are JSON. */
export type SavedQuestion = Readonly<Omit<Selectable<StateSchema['savedQuestion']>, 'id'>> & { readonly id: string };

export type NewQuestion = Pick<SavedQuestion, 'name' | 'sentence' | 'query' | 'chart' | 'savedBy'>;

/** A change by the author of a question, or by a person who may change all. */
export interface Changing {
  readonly id: string;
  readonly by: string;
  readonly mayAll: boolean;
}

export type KeptQuestion =
  | { readonly kind: 'kept'; readonly id: string }
  | { readonly kind: 'taken' }
  | { readonly kind: 'full' }
  | { readonly kind: 'gone' };

export const QUESTIONS_MAX = 500;

export async function savedQuestions(db: StateDb): Promise<SavedQuestion[]> {
  const rows = await db.selectFrom('savedQuestion').selectAll().orderBy('name').execute();
  return rows.map((row) => ({ ...row, id: String(row.id) }));
}

export async function savedQuestion(db: StateDb, id: string): Promise<SavedQuestion | undefined> {
  return (await savedQuestions(db)).find((question) => question.id === id);
}

/** Never replaces a question. */
export function saveQuestion(db: StateDb, question: NewQuestion, nowMs: number): Promise<KeptQuestion> {
  return inTransaction(db, async (trx) => {
    const all = await savedQuestions(trx);
    if (all.some(({ name }) => name === question.name)) return { kind: 'taken' };
    if (all.length >= QUESTIONS_MAX) return { kind: 'full' };
    const row = { ...question, savedAt: instantText(nowMs) };
    const { id } = await trx.insertInto('savedQuestion').values(row).returning('id').executeTakeFirstOrThrow();
    return { kind: 'kept', id: String(id) };
  });
}

export function renameQuestion(
  db: StateDb,
  { id, by, mayAll }: Changing,
  { name, sentence }: Pick<SavedQuestion, 'name' | 'sentence'>,
  nowMs: number,
): Promise<KeptQuestion> {
  return inTransaction(db, async (trx) => {
    const all = await savedQuestions(trx);
    if (all.some((other) => other.name === name && other.id !== id)) return { kind: 'taken' };
    const change = { name, sentence, renamedBy: by, renamedAt: instantText(nowMs) };
    let update = trx.updateTable('savedQuestion').set(change).where('id', '=', BigInt(id));
    if (!mayAll) update = update.where('savedBy', '=', by);
    const changed = await update.returning('id').executeTakeFirst();
    return changed ? { kind: 'kept', id } : { kind: 'gone' };
  });
}

export async function deleteQuestion(db: StateDb, { id, by, mayAll }: Changing): Promise<KeptQuestion> {
  let deletion = db.deleteFrom('savedQuestion').where('id', '=', BigInt(id));
  if (!mayAll) deletion = deletion.where('savedBy', '=', by);
  const deleted = await deletion.returning('id').executeTakeFirst();
  return deleted ? { kind: 'kept', id } : { kind: 'gone' };
}
