import type { Selectable } from 'kysely';
import type { AlertSeverity } from '../domain/channel.ts';
import { instantText } from '../domain/civil-date.ts';
import { type CustomerId, customerId } from '../domain/ids.ts';
import type { StateDb } from './open-state.ts';
import type { StateSchema } from './schema.ts';

/** What a person wants to hear nothing of; an absent part means any. */
export interface NewSilence {
  readonly customerId: CustomerId | undefined;
  /** A rule's name; `*` stands for any letters. */
  readonly rule: string | undefined;
  readonly severity: AlertSeverity | undefined;
  readonly createdBy: string;
  readonly why: string;
  readonly expiresAtMs: number;
}

export interface Silence extends Omit<NewSilence, 'expiresAtMs'> {
  readonly id: bigint;
  /** Instants, UTC. */
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly endedBy: string | undefined;
  readonly endedAt: string | undefined;
}

export async function insertSilence(db: StateDb, silence: NewSilence, nowMs: number): Promise<Silence> {
  const row = await db
    .insertInto('silence')
    .values({
      customer_id: silence.customerId === undefined ? null : BigInt(silence.customerId),
      rule: silence.rule ?? null,
      severity: silence.severity ?? null,
      created_by: silence.createdBy,
      why: silence.why,
      created_at: instantText(nowMs),
      expires_at: instantText(silence.expiresAtMs),
      ended_by: null,
      ended_at: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return toSilence(row);
}

/** Ends a silence before its time; undefined when it is over already, or there is none of that number. */
export async function endSilence(db: StateDb, id: bigint, by: string, nowMs: number): Promise<Silence | undefined> {
  const now = instantText(nowMs);
  const row = await db
    .updateTable('silence')
    .set({ ended_by: by, ended_at: now })
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst();
  return row && toSilence(row);
}

/** The silences that hold now, oldest first. */
export async function activeSilences(db: StateDb, nowMs: number): Promise<Silence[]> {
  const rows = await db
    .selectFrom('silence')
    .selectAll()
    .where('ended_at', 'is', null)
    .where('expires_at', '>', instantText(nowMs))
    .orderBy('id')
    .execute();
  return rows.map(toSilence);
}

/** Every silence there was, oldest first. */
export async function allSilences(db: StateDb): Promise<Silence[]> {
  return (await db.selectFrom('silence').selectAll().orderBy('id').execute()).map(toSilence);
}

function toSilence(row: Selectable<StateSchema['silence']>): Silence {
  return {
    id: row.id,
    customerId: row.customer_id === null ? undefined : customerId(row.customer_id.toString()),
    rule: row.rule ?? undefined,
    severity: row.severity ?? undefined,
    createdBy: row.created_by,
    why: row.why,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    endedBy: row.ended_by ?? undefined,
    endedAt: row.ended_at ?? undefined,
  };
}
