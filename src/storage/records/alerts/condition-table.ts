import { sql } from 'kysely';
import type { AlertSeverity } from '../../../domain/channel.ts';
import { type CivilDate, instantText } from '../../../domain/civil-date.ts';
import { InvariantError } from '../../../domain/errors.ts';
import type { BudgetId, CustomerId } from '../../../domain/ids.ts';
import { inTransaction } from '../in-transaction.ts';
import type { StateDb } from '../record-store.ts';
import { type AlertRecord, allConditions, type Notified } from './alert-table.ts';
import { takeApart } from './message-table.ts';
import { updateWaiting } from './outbox-row.ts';
import type { Withdrawal } from './outbox-table.ts';

/** Records that the alert of a change or proposal also reports a condition. */
export async function tellsToo(
  trx: StateDb,
  alertId: bigint,
  conditionKey: string,
  { at, as, severity }: Notified,
  nowMs: number,
): Promise<void> {
  if (as !== 'first' && as !== 'repeat')
    throw new InvariantError(`The alert of a change reports a condition as ${as}, expected first or repeat.`);
  const { id } = await trx
    .updateTable('alert')
    .set({ notifiedAt: at, notifiedAs: as, notifiedSeverity: severity })
    .where('dedupeKey', '=', conditionKey)
    .returning('id')
    .executeTakeFirstOrThrow();
  await trx
    .insertInto('alertTells')
    .values({ alertId, conditionId: id, toldAs: as, createdAt: instantText(nowMs) })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function conditionsToldBy(db: StateDb, alertId: bigint): Promise<bigint[]> {
  const rows = await db.selectFrom('alertTells').select('conditionId').where('alertId', '=', alertId).execute();
  return rows.map(({ conditionId }) => conditionId);
}

/** Returns false if the change has no alert yet. */
export async function passOnTelling(trx: StateDb, alertId: bigint, intentId: bigint): Promise<boolean> {
  const change = await trx
    .selectFrom('alert')
    .select('id')
    .where('dedupeKey', 'like', `budget-intent:${intentId}:%`)
    .orderBy('id', 'desc')
    .executeTakeFirst();
  if (change === undefined) return false;
  await sql`
    INSERT INTO alert_tells (alert_id, condition_id, told_as, created_at)
    SELECT ${change.id}, condition_id, told_as, created_at FROM alert_tells WHERE alert_id = ${alertId}
    ON CONFLICT DO NOTHING`.execute(trx);
  return true;
}

/** Stores and returns the condition's newest notification that was neither withdrawn nor failed. */
export async function forgetUntold(trx: StateDb, conditionId: bigint): Promise<Notified | undefined> {
  const { rows } = await sql<Notified>`
    SELECT min(created_at) AS at, reason AS "as", severity FROM outbox
    WHERE alert_id = ${conditionId} AND reason IN ('first', 'repeat', 'escalated', 'resolved')
      AND state NOT IN ('withdrawn', 'failed')
    GROUP BY occasion, reason, severity
    UNION ALL
    SELECT alert.created_at, tells.told_as, alert.severity
    FROM alert_tells AS tells JOIN alert ON alert.id = tells.alert_id
    WHERE tells.condition_id = ${conditionId} AND EXISTS (
      SELECT 1 FROM outbox WHERE outbox.alert_id = alert.id AND outbox.state NOT IN ('withdrawn', 'failed'))
    ORDER BY at DESC LIMIT 1`.execute(trx);
  const last = rows[0];
  await trx
    .updateTable('alert')
    .set({ notifiedAt: last?.at ?? null, notifiedAs: last?.as ?? null, notifiedSeverity: last?.severity ?? null })
    .where('id', '=', conditionId)
    .execute();
  return last;
}

/** An ended proposal whose alert reached nobody. */
export interface UnseenProposal {
  readonly code: string;
  readonly state: 'rejected' | 'expired' | 'superseded';
  readonly reason: string;
}

export async function unseenProposal(
  db: StateDb,
  conditionId: bigint,
  nowMs: number,
): Promise<UnseenProposal | undefined> {
  // An expired proposal may still have the state `open`.
  const { rows } = await sql<UnseenProposal>`
    SELECT proposal.code, CASE proposal.state WHEN 'open' THEN 'expired' ELSE proposal.state END AS state, proposal.reason
    FROM alert_tells AS tells
      JOIN alert AS condition ON condition.id = tells.condition_id AND tells.created_at >= condition.fired_at
      JOIN alert ON alert.id = tells.alert_id
      JOIN budget_proposal AS proposal ON alert.dedupe_key = 'proposal:' || proposal.code
    WHERE tells.condition_id = ${conditionId}
      AND (proposal.state IN ('expired', 'superseded', 'rejected')
        OR (proposal.state = 'open' AND proposal.expires_at <= ${instantText(nowMs)}))
      AND NOT EXISTS (
        SELECT 1 FROM outbox WHERE outbox.alert_id = alert.id AND outbox.state NOT IN ('withdrawn', 'failed'))
    ORDER BY tells.created_at DESC, alert.id DESC LIMIT 1`.execute(db);
  return rows[0];
}

/** A change or proposal whose alert contains the rule's alert text. */
export interface ChangeAlert {
  readonly alertId: bigint;
  readonly rule: string;
  readonly budgetId: BudgetId;
  /** The time (UTC) when the alert was created. */
  readonly at: string;
  readonly severity: AlertSeverity;
}

/** Oldest alert first. Ignores an alert if all its outbox rows were withdrawn or failed. */
export async function changeAlerts(db: StateDb, customer: CustomerId, day: CivilDate): Promise<ChangeAlert[]> {
  const { rows } = await sql<ChangeAlert>`
    SELECT alert.id AS alert_id, change.rule, change.budget_id, alert.created_at AS at, alert.severity
    FROM budget_intent AS change JOIN alert ON alert.dedupe_key IN (
      'budget-intent:' || change.id || ':done', 'budget-intent:' || change.id || ':rejected',
      'budget-intent:' || change.id || ':unknown', 'budget-intent:' || change.id || ':superseded')
    WHERE change.customer_id = ${customer} AND change.account_day = ${day} AND change.alert_text IS NOT NULL AND ${GOES_OUT}
    UNION ALL
    SELECT alert.id, change.rule, change.budget_id, alert.created_at, alert.severity
    FROM budget_proposal AS change JOIN alert ON alert.dedupe_key = 'proposal:' || change.code
    WHERE change.customer_id = ${customer} AND change.account_day = ${day} AND change.alert_text IS NOT NULL AND ${GOES_OUT}
    ORDER BY at`.execute(db);
  return rows;
}

const GOES_OUT = sql`EXISTS (SELECT 1 FROM outbox WHERE outbox.alert_id = alert.id AND outbox.state NOT IN ('withdrawn', 'failed'))`;

export type ConditionRecord = AlertRecord & { readonly customerId: CustomerId; readonly rule: string };

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

/** Returns the condition's newest notification that was neither withdrawn nor failed. */
export async function withdrawFirings(
  db: StateDb,
  id: bigint,
  { because, why }: Withdrawal,
  nowMs: number,
): Promise<Notified | undefined> {
  return inTransaction(db, async (trx) => {
    await takeApart(trx, nowMs, id);
    await updateWaiting(trx, nowMs)
      .set({ state: 'withdrawn', withdrawnBecause: because, error: why })
      .where('alertId', '=', id)
      .where('reason', 'in', TELLING)
      .execute();
    return forgetUntold(trx, id);
  });
}

/** Marks the condition as resolved without a notification. */
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

/** Includes every recipient whose outbox row was neither withdrawn nor failed. */
export async function notifiedAddresses(db: StateDb, alertId: bigint): Promise<ReadonlySet<string>> {
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
