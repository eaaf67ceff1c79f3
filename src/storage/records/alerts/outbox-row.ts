import { type SqlBool, sql } from 'kysely';
import { knownChannel } from '../../../channels/channels.ts';
import { instantText } from '../../../domain/civil-date.ts';
import type { StateDb } from '../record-store.ts';
import type { StateSchema } from '../state-schema.ts';

type OutboxRow = StateSchema['outbox'];

export interface Address {
  readonly channel: string;
  /** In the form of the channel. */
  readonly recipient: string;
}

export interface NewOutboxRow
  extends Pick<OutboxRow, 'alertId' | 'occasion' | 'reason' | 'severity' | 'text' | 'channel'> {
  readonly short?: string | undefined;
  /** Undefined until a recipient is chosen. */
  readonly recipient: string | undefined;
}

/** Nobody has acknowledged the alert since the row was made. */
export const IS_UNSEEN = sql<SqlBool>`NOT EXISTS
  (SELECT 1 FROM alert AS own WHERE own.id = outbox.alert_id AND own.acknowledged_at >= outbox.created_at)`;

/** Returns the new row's id. Undefined if the address already has a row for this alert and occasion. */
export async function addRow(trx: StateDb, row: NewOutboxRow, nowMs: number): Promise<bigint | undefined> {
  const now = instantText(nowMs);
  const { alertId, recipient, occasion, reason, severity, text, short, channel } = row;
  const added = await trx
    .insertInto('outbox')
    .values({
      alertId,
      occasion,
      reason,
      severity,
      text,
      short,
      channel: knownChannel(channel),
      recipient,
      state: 'pending',
      createdAt: now,
      updatedAt: now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return added?.id;
}

/** Updates only waiting rows that belong to no message. */
export function updateWaiting(trx: StateDb, nowMs: number) {
  return trx
    .updateTable('outbox')
    .set({ updatedAt: instantText(nowMs) })
    .where('state', '=', 'pending')
    .where('messageId', 'is', null);
}

/** Returns false if the address has no withdrawn row. */
export async function reviveRow(
  trx: StateDb,
  row: Pick<NewOutboxRow, 'alertId' | 'occasion' | 'reason'> & Address,
  nowMs: number,
): Promise<boolean> {
  const revived = await trx
    .updateTable('outbox')
    .set({ state: 'pending', reason: row.reason, error: null, withdrawnBecause: null, updatedAt: instantText(nowMs) })
    .where('alertId', '=', row.alertId)
    .where('occasion', '=', row.occasion)
    .where('channel', '=', row.channel)
    .where('recipient', '=', row.recipient)
    .where('state', '=', 'withdrawn')
    .executeTakeFirst();
  return revived.numUpdatedRows > 0n;
}
