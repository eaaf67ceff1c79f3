import { sql } from 'kysely';
import { instantText } from '../../domain/civil-date.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { inTransaction } from '../sqlite/in-transaction.ts';
import type { StateDb } from '../sqlite/open-state.ts';
import { type AlertRecord, allConditions, type Notified } from './alert-table.ts';
import { takeApart } from './message-table.ts';
import type { Withdrawal } from './outbox-table.ts';
import { forgetUntold } from './told-by.ts';

/** A condition of a rule, which is always about an account. */
export type ConditionRecord = AlertRecord & { readonly customerId: CustomerId; readonly rule: string };

/** The conditions that fire, that people believe to fire, or of which they were told that they are over; by their keys. */
export async function conditionsOf(db: StateDb): Promise<Map<string, ConditionRecord>> {
  const conditions = await allConditions(db);
  return new Map(
    conditions.flatMap((alert) => {
      const { dedupeKey, customerId, rule } = alert;
      return customerId === undefined || rule === undefined ? [] : [[dedupeKey, { ...alert, customerId, rule }]];
    }),
  );
}

const TELLING = ['first', 'repeat', 'escalated'] as const;

/**
 * Takes back what waits to be told of a condition that is over, out of a message that surely never left as well. Returns what
 * was told last then, by itself or by another alert.
 */
export async function withdrawFirings(
  db: StateDb,
  id: bigint,
  { because, why }: Withdrawal,
  nowMs: number,
): Promise<Notified | undefined> {
  return inTransaction(db, async (trx) => {
    await takeApart(trx, nowMs, id);
    await trx
      .updateTable('outbox')
      .set({ state: 'withdrawn', withdrawnBecause: because, error: why, updatedAt: instantText(nowMs) })
      .where('alertId', '=', id)
      .where('reason', 'in', TELLING)
      .where('state', '=', 'pending')
      .where('messageId', 'is', null)
      .execute();
    return forgetUntold(trx, id);
  });
}

/**
 * Ends a condition of which nobody is to hear any more: what waits is taken back, nobody is told that it is over, and the
 * record says why.
 */
export async function endSilently(db: StateDb, id: bigint, why: string, nowMs: number): Promise<void> {
  await inTransaction(db, async (trx) => {
    await withdrawFirings(trx, id, { because: 'condition_ended', why }, nowMs);
    const now = instantText(nowMs);
    await trx
      .updateTable('alert')
      .set({ state: 'resolved', resolvedAt: now, resolvedBecause: why, updatedAt: now })
      .set({ notifiedAt: null, notifiedAs: null, notifiedSeverity: null })
      .where('id', '=', id)
      .execute();
  });
}

/** The addresses that were told, or may have been, that the condition began; by itself or by another alert. */
export async function addressesTold(db: StateDb, alertId: bigint): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ recipient: string }>`
    SELECT outbox.recipient FROM alert JOIN outbox ON outbox.alert_id = alert.id AND outbox.created_at >= alert.fired_at
    WHERE alert.id = ${alertId} AND outbox.reason IN ('first', 'repeat', 'escalated')
      AND outbox.recipient IS NOT NULL AND outbox.state NOT IN ('withdrawn', 'failed')
    UNION
    SELECT outbox.recipient FROM alert
      JOIN alert_tells AS tells ON tells.condition_id = alert.id AND tells.created_at >= alert.fired_at
      JOIN outbox ON outbox.alert_id = tells.alert_id
    WHERE alert.id = ${alertId} AND outbox.recipient IS NOT NULL AND outbox.state NOT IN ('withdrawn', 'failed')`.execute(
    db,
  );
  return new Set(rows.map(({ recipient }) => recipient));
}
