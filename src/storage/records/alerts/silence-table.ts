import type { Selectable } from 'kysely';
import { instantText } from '../../../domain/civil-date.ts';
import type { StateDb } from '../record-store.ts';
import type { StateSchema } from '../state-schema.ts';

/** An undefined account, rule or severity means all. In `rule`, `*` stands for any characters. */
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

/** Returns undefined if the silence has already ended or does not exist. */
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

export async function activeSilences(db: StateDb, nowMs: number): Promise<Silence[]> {
  return db
    .selectFrom('silence')
    .selectAll()
    .where('endedAt', 'is', null)
    .where('expiresAt', '>', instantText(nowMs))
    .orderBy('id')
    .execute();
}

export async function allSilences(db: StateDb): Promise<Silence[]> {
  return db.selectFrom('silence').selectAll().orderBy('id').execute();
}
