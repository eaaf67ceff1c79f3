import { instantText } from '../domain/civil-date.ts';
import type { CustomerId } from '../domain/ids.ts';
import type { StateDb } from './open-state.ts';
import type { StateSchema } from './schema.ts';

export interface NewAlert {
  /** What the alert is about, never its words: a second alert with the same key is not one. */
  readonly dedupeKey: string;
  readonly severity: StateSchema['alert']['severity'];
  readonly customerId: CustomerId | undefined;
  readonly text: string;
}

/**
 * Puts an alert into the outbox; to be called in the transaction of what it reports. Recipients are named when it is
 * delivered, so an alert of a time without recipients is not lost.
 */
export async function enqueueAlert(db: StateDb, alert: NewAlert, nowMs: number): Promise<void> {
  const now = instantText(nowMs);
  const inserted = await db
    .insertInto('alert')
    .values({
      dedupe_key: alert.dedupeKey,
      state: 'firing',
      severity: alert.severity,
      customer_id: alert.customerId === undefined ? null : BigInt(alert.customerId),
      text: alert.text,
      created_at: now,
    })
    .onConflict((conflict) => conflict.column('dedupe_key').doNothing())
    .returning('id')
    .executeTakeFirst();
  if (!inserted) return;
  await db
    .insertInto('outbox')
    .values({
      alert_id: inserted.id,
      channel: 'messages',
      state: 'pending',
      attempts: 0n,
      created_at: now,
      updated_at: now,
    })
    .execute();
}

/** Gives every alert without a recipient one row per recipient, in one transaction. */
export async function addressOutbox(db: StateDb, recipients: readonly string[], nowMs: number): Promise<void> {
  if (recipients.length === 0) return;
  const now = instantText(nowMs);
  await db.transaction().execute(async (trx) => {
    const rows = await trx.selectFrom('outbox').select(['id', 'alert_id']).where('recipient', 'is', null).execute();
    for (const row of rows) {
      const copies = recipients.map((recipient) => ({
        alert_id: row.alert_id,
        channel: 'messages' as const,
        recipient,
        state: 'pending' as const,
        attempts: 0n,
        created_at: now,
        updated_at: now,
      }));
      await trx.deleteFrom('outbox').where('id', '=', row.id).execute();
      await trx.insertInto('outbox').values(copies).execute();
    }
  });
}

export interface PendingMessage {
  readonly id: bigint;
  readonly recipient: string;
  readonly text: string;
}

export async function pendingMessages(db: StateDb): Promise<PendingMessage[]> {
  const rows = await db
    .selectFrom('outbox')
    .innerJoin('alert', 'alert.id', 'outbox.alert_id')
    .select(['outbox.id', 'outbox.recipient', 'alert.text'])
    .where('outbox.state', '=', 'pending')
    .where('outbox.recipient', 'is not', null)
    .orderBy('outbox.id')
    .execute();
  return rows.flatMap(({ id, recipient, text }) => (recipient === null ? [] : [{ id, recipient, text }]));
}

export async function updateMessage(
  db: StateDb,
  id: bigint,
  step: {
    readonly state: StateSchema['outbox']['state'];
    readonly response?: string;
    readonly error?: string;
    /** Counts one more try. */
    readonly attempt?: boolean;
  },
  nowMs: number,
): Promise<void> {
  await db
    .updateTable('outbox')
    .set((row) => ({
      state: step.state,
      response: step.response ?? null,
      error: step.error ?? null,
      attempts: row('attempts', '+', step.attempt ? 1n : 0n),
      updated_at: instantText(nowMs),
    }))
    .where('id', '=', id)
    .execute();
}

/** A message whose sending was interrupted may be out: it is never sent again. Returns how many there were. */
export async function settleInterruptedMessages(db: StateDb, nowMs: number): Promise<number> {
  const result = await db
    .updateTable('outbox')
    .set({
      state: 'unknown',
      error: 'The process ended while the message was being sent.',
      updated_at: instantText(nowMs),
    })
    .where('state', '=', 'sending')
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}

/** Messages by state, those without a recipient as `waiting`. */
export async function countMessages(db: StateDb): Promise<{ readonly waiting: number; readonly unknown: number }> {
  const rows = await db
    .selectFrom('outbox')
    .select(['state', 'recipient'])
    .where('state', 'in', ['pending', 'unknown'])
    .execute();
  return {
    waiting: rows.filter(({ state }) => state === 'pending').length,
    unknown: rows.filter(({ state }) => state === 'unknown').length,
  };
}
