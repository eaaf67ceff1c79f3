import type { Selectable } from 'kysely';
import { instantText } from '../../domain/civil-date.ts';
import type { StateDb } from '../sqlite/open-state.ts';
import type { StateSchema } from '../state-schema.ts';

/** What a person wants to hear nothing of; an absent account, rule (in whose name `*` stands for any letters) or severity means any. */
export type Silence = Readonly<Selectable<StateSchema['silence']>>;

export interface NewSilence extends Pick<Silence, 'customerId' | 'rule' | 'severity' | 'createdBy' | 'why'> {
  readonly expiresAtMs: number;
}

export async function insertSilence(
  db: StateDb,
  { expiresAtMs, ...silence }: NewSilence,
  nowMs: number,
): Promise<Silence> {
  return db
    .insertInto('silence')
    .values({ ...silence, createdAt: instantText(nowMs), expiresAt: instantText(expiresAtMs) })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Ends a silence before its time; undefined when it is over already, or there is none of that number. */
export async function endSilence(db: StateDb, id: bigint, by: string, nowMs: number): Promise<Silence | undefined> {
  const now = instantText(nowMs);
  return db
    .updateTable('silence')
    .set({ endedBy: by, endedAt: now })
    .where('id', '=', id)
    .where('endedAt', 'is', null)
    .where('expiresAt', '>', now)
    .returningAll()
    .executeTakeFirst();
}

/** The silences that hold now, oldest first. */
export async function activeSilences(db: StateDb, nowMs: number): Promise<Silence[]> {
  return db
    .selectFrom('silence')
    .selectAll()
    .where('endedAt', 'is', null)
    .where('expiresAt', '>', instantText(nowMs))
    .orderBy('id')
    .execute();
}

/** Every silence there was, oldest first. */
export async function allSilences(db: StateDb): Promise<Silence[]> {
  return db.selectFrom('silence').selectAll().orderBy('id').execute();
}
