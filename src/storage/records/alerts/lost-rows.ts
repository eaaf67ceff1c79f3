import { type SqlBool, sql } from 'kysely';
import { chunksOf, ROWS_PER_STATEMENT } from '../../../domain/chunks.ts';
import { instantText } from '../../../domain/civil-date.ts';
import { textAfter } from '../expressions.ts';
import type { StateDb } from '../record-store.ts';
import type { StateSchema } from '../state-schema.ts';
import { fireAgain } from './alert-table.ts';
import { type Address, IS_UNSEEN } from './outbox-row.ts';

const SAME_NUMBER = sql`other.alert_id = outbox.alert_id AND ${textAfter('other.recipient', '+')} = ${textAfter('outbox.recipient', '+')}`;

/**
 * All channels failed, nobody acknowledged it, and the person got no newer alert about the same. The next digest replaces
 * a lost digest.
 */
export const IS_LOST = sql<SqlBool>`outbox.lost_at IS NOT NULL AND outbox.state IN ('failed', 'unknown')
  AND outbox.reason NOT IN ('test', 'digest') AND ${IS_UNSEEN}
  AND NOT EXISTS (SELECT 1 FROM outbox AS other WHERE ${SAME_NUMBER} AND
    ((other.occasion > outbox.occasion AND other.state <> 'withdrawn')
      OR (other.occasion = outbox.occasion AND other.state IN ('pending', 'sending', 'accepted', 'delivered'))))`;

const LOST_COLUMNS = [
  'outbox.id',
  'outbox.alertId',
  'outbox.severity',
  'outbox.text',
  'outbox.lostAt',
  'alert.customerId',
  'alert.rule',
] as const;

/** Newest first. */
export async function lostRows(db: StateDb) {
  return db
    .selectFrom('outbox')
    .innerJoin('alert', 'alert.id', 'outbox.alertId')
    .select(LOST_COLUMNS)
    .where(IS_LOST)
    .orderBy('outbox.id', 'desc')
    .execute();
}

export type LostRow = Awaited<ReturnType<typeof lostRows>>[number];

/** A failed attempt to deliver a lost alert. The alert can have one for each channel. */
export interface FailedRow extends Address {
  readonly id: bigint;
  readonly lostId: bigint;
  readonly reason: StateSchema['outbox']['reason'];
  readonly messageId: bigint | undefined;
  /** In UTC, like `heardAt`: when the recipient last wrote to this address. */
  readonly triedAt: string;
  readonly heardAt: string | undefined;
}

/** In the order of the attempts. A row whose outcome is unknown is missing, because it may have arrived. */
export async function failedRows(db: StateDb): Promise<FailedRow[]> {
  const { rows } = await sql<FailedRow>`
    SELECT other.id, outbox.id AS lost_id, other.channel, other.recipient, other.reason, other.message_id,
      coalesce(message.requested_at, other.updated_at) AS tried_at,
      (SELECT max(received_at) FROM reply WHERE reply.channel = other.channel AND reply.sender = other.recipient) AS heard_at
    FROM outbox JOIN outbox AS other ON ${SAME_NUMBER} AND other.occasion = outbox.occasion AND other.state = 'failed'
      LEFT JOIN message ON message.id = other.message_id
    WHERE outbox.state = 'failed' AND ${IS_LOST} ORDER BY other.id`.execute(db);
  return rows;
}

/** After a message from the recipient, a provider that refused may deliver. */
export function hasWrittenSince({ heardAt, triedAt }: FailedRow): boolean {
  return heardAt !== undefined && heardAt > triedAt;
}

/** The rows wait again, without their message. So the settings of today choose the text, the time and the recipient. */
export async function reopenRows(trx: StateDb, ids: readonly bigint[], nowMs: number): Promise<void> {
  for (const some of chunksOf(ids, ROWS_PER_STATEMENT)) {
    const rows = await trx
      .updateTable('outbox')
      .set({ state: 'pending', messageId: null, counted: 0n, escalatedAt: null, lostAt: null })
      .set({ updatedAt: instantText(nowMs) })
      .where('id', 'in', some)
      .where('state', '=', 'failed')
      .returning('alertId')
      .execute();
    for (const { alertId } of rows) await fireAgain(trx, alertId, nowMs);
  }
}
