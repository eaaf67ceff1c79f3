import { sql } from 'kysely';
import { instantText } from '../domain/civil-date.ts';
import { type CustomerId, customerId } from '../domain/ids.ts';
import type { AlertRecord } from './alert-table.ts';
import { inTransaction } from './in-transaction.ts';
import { takeApart } from './message-table.ts';
import type { StateDb } from './open-state.ts';
import type { Withdrawal } from './outbox-table.ts';
import { forgetUntold, type Notified } from './told-by.ts';

/** A condition's row as far as it is needed to decide whether people are told of it. */
export type ConditionRecord = Pick<
  AlertRecord,
  'id' | 'dedupeKey' | 'state' | 'severity' | 'text' | 'firedAt' | 'notified'
> & { readonly customerId: CustomerId; readonly rule: string };

/** The conditions that fire, that people believe to fire, or of which they were told that they are over; by their keys. */
export async function conditionsOf(db: StateDb): Promise<Map<string, ConditionRecord>> {
  const rows = await db
    .selectFrom('alert')
    .select(['id', 'dedupe_key', 'state', 'severity', 'text', 'fired_at', 'customer_id', 'rule'])
    .select(['notified_at', 'notified_as', 'notified_severity'])
    .where('kind', '=', 'condition')
    .where('customer_id', 'is not', null)
    .where('rule', 'is not', null)
    .execute();
  return new Map(
    rows.map((row) => {
      const { notified_at: at, notified_as: as, notified_severity: severity } = row;
      const record: ConditionRecord = {
        ...{ id: row.id, dedupeKey: row.dedupe_key, state: row.state, severity: row.severity, text: row.text },
        ...{ firedAt: row.fired_at, customerId: customerId(String(row.customer_id)), rule: row.rule ?? '' },
        notified: at === null || as === null || severity === null ? undefined : { at, as, severity },
      };
      return [row.dedupe_key, record];
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
      .set({ state: 'withdrawn', withdrawn_because: because, error: why, updated_at: instantText(nowMs) })
      .where('alert_id', '=', id)
      .where('reason', 'in', TELLING)
      .where('state', '=', 'pending')
      .where('message_id', 'is', null)
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
      .set({ state: 'resolved', resolved_at: now, resolved_because: why, updated_at: now })
      .set({ notified_at: null, notified_as: null, notified_severity: null })
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
