import { type Selection, type SqlBool, sql, type Updateable } from 'kysely';
import type { AlertSeverity } from '../../../domain/channel.ts';
import { chunksOf, ROWS_PER_STATEMENT } from '../../../domain/chunks.ts';
import { instantText } from '../../../domain/civil-date.ts';
import { InvariantError } from '../../../domain/errors.ts';
import type { CustomerId } from '../../../domain/ids.ts';
import { inTransaction } from '../in-transaction.ts';
import type { StateDb } from '../record-store.ts';
import type { StateSchema } from '../state-schema.ts';
import { type Address, addRow, reviveRow } from './outbox-row.ts';

export type AlertKind = StateSchema['alert']['kind'];
export type NotificationReason = StateSchema['outbox']['reason'];

export interface NewAlert {
  readonly dedupeKey: string;
  readonly severity: AlertSeverity;
  readonly customerId: CustomerId | undefined;
  readonly text: string;
  /** One line that asks for an answer, for messages without space for the full text. */
  readonly short?: string | undefined;
  readonly rule?: string | undefined;
  readonly proposalCode?: string | undefined;
}

type Told = NewAlert &
  ({ readonly kind: Exclude<AlertKind, 'digest'> } | { readonly kind: 'digest'; readonly recipientName: string });

export type Notification = Told & { readonly reason: NotificationReason };

const ALERT_COLUMNS = [
  'id',
  'dedupeKey',
  'kind',
  'state',
  'severity',
  'customerId',
  'rule',
  'text',
  'firedAt',
  'resolvedAt',
  'occasions',
  'notifiedAt',
  'notifiedAs',
  'notifiedSeverity',
  'acknowledgedAt',
  'acknowledgedBy',
] as const;

type AlertRow = Selection<StateSchema, 'alert', (typeof ALERT_COLUMNS)[number]>;
type NotifiedColumns = 'notifiedAt' | 'notifiedAs' | 'notifiedSeverity';

export interface Notified {
  readonly at: string;
  readonly as: NonNullable<AlertRow['notifiedAs']>;
  readonly severity: AlertSeverity;
}

export type AlertRecord = Readonly<Omit<AlertRow, NotifiedColumns>> & { readonly notified: Notified | undefined };

/** Does nothing if an alert with the same key exists. Call this function in the transaction of the reported change. */
export async function enqueueAlert(db: StateDb, alert: NewAlert, nowMs: number): Promise<void> {
  await inTransaction(db, async (trx) => {
    if (await readAlert(trx, alert.dedupeKey)) return;
    await notify(trx, { ...alert, kind: 'event', reason: 'event' }, nowMs);
  });
}

/** Returns the id of the new outbox row. The row has no recipient yet. */
export async function notify(db: StateDb, notification: Notification, nowMs: number): Promise<bigint> {
  return inTransaction(db, async (trx) => {
    const { id, occasions } = await upsertAlert(trx, notification, nowMs);
    const { reason, severity, text, short } = notification;
    const row = { alertId: id, occasion: occasions, channel: 'messages', recipient: undefined } as const;
    const rowId = await addRow(trx, { ...row, reason, severity, text, short }, nowMs);
    if (rowId === undefined) throw new InvariantError(`Occasion ${occasions} of alert ${id} is in the outbox already.`);
    return rowId;
  });
}

/** Returns the id of the alert. Undefined if an alert with the same key exists. */
export async function enqueueReply(
  db: StateDb,
  reply: Pick<NewAlert, 'dedupeKey' | 'text' | 'customerId'> & Address,
  nowMs: number,
): Promise<bigint | undefined> {
  return inTransaction(db, async (trx) => {
    if (await readAlert(trx, reply.dedupeKey)) return undefined;
    const answer = { ...reply, kind: 'reply', reason: 'reply', severity: 'info' } as const;
    const { id, occasions } = await upsertAlert(trx, answer, nowMs);
    await addRow(trx, { ...answer, alertId: id, occasion: occasions }, nowMs);
    return id;
  });
}

/** Adds a new outbox row even if an alert with the same key exists. */
export async function enqueueTest(
  db: StateDb,
  test: Pick<NewAlert, 'dedupeKey' | 'severity' | 'text'> & Address,
  nowMs: number,
): Promise<void> {
  await inTransaction(db, async (trx) => {
    const told = { ...test, kind: 'test', reason: 'test', customerId: undefined } as const;
    const { id, occasions } = await upsertAlert(trx, told, nowMs);
    await addRow(trx, { ...told, alertId: id, occasion: occasions }, nowMs);
  });
}

/** Returns false if the newest notification of the alert has no outbox row. */
export async function addressAlsoTo(
  db: StateDb,
  dedupeKey: string,
  { channel, recipient }: Address,
  nowMs: number,
): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    const row = await trx
      .selectFrom('outbox')
      .innerJoin('alert', 'alert.id', 'outbox.alertId')
      .select(['alertId', 'occasion', 'reason', 'outbox.severity', 'outbox.text', 'short'])
      .where('dedupeKey', '=', dedupeKey)
      .whereRef('occasion', '=', 'occasions')
      .orderBy('outbox.id')
      .executeTakeFirst();
    if (row === undefined) return false;
    const added = await addRow(trx, { ...row, reason: 'reply', channel, recipient }, nowMs);
    const waits = added !== undefined || (await answerWith(trx, { ...row, channel, recipient }, nowMs));
    if (waits) await fireAgain(trx, row.alertId, nowMs);
    return true;
  });
}

/** Returns true if a withdrawn row of this address waits again. */
async function answerWith(
  trx: StateDb,
  row: { readonly alertId: bigint; readonly occasion: bigint } & Address,
  nowMs: number,
): Promise<boolean> {
  const { alertId, occasion, channel, recipient } = row;
  await trx
    .updateTable('outbox')
    .set({ reason: 'reply', updatedAt: instantText(nowMs) })
    .where('alertId', '=', alertId)
    .where('occasion', '=', occasion)
    .where('channel', '=', channel)
    .where('recipient', '=', recipient)
    .where('state', '=', 'pending')
    .execute();
  return reviveRow(trx, { ...row, reason: 'reply' }, nowMs);
}

/** Records a condition without a notification. */
export async function recordCondition(
  db: StateDb,
  condition: NewAlert & { readonly firing: boolean },
  nowMs: number,
): Promise<void> {
  await inTransaction(db, async (trx) => {
    if (condition.firing) await fire(trx, { ...condition, kind: 'condition' }, nowMs);
    else await resolve(trx, condition.dedupeKey, nowMs);
  });
}

export async function readAlert(db: StateDb, dedupeKey: string): Promise<AlertRecord | undefined> {
  const row = await alerts(db).where('dedupeKey', '=', dedupeKey).executeTakeFirst();
  return row && toAlert(row);
}

export async function alertById(db: StateDb, id: bigint): Promise<AlertRecord | undefined> {
  const row = await alerts(db).where('id', '=', id).executeTakeFirst();
  return row && toAlert(row);
}

export async function firingAlerts(db: StateDb, kind?: AlertKind): Promise<AlertRecord[]> {
  const firing = alerts(db).where('state', '=', 'firing').orderBy('id');
  return (await (kind === undefined ? firing : firing.where('kind', '=', kind)).execute()).map(toAlert);
}

export async function allConditions(db: StateDb): Promise<AlertRecord[]> {
  return (await alerts(db).where('kind', '=', 'condition').execute()).map(toAlert);
}

/**
 * A person has seen the alerts. They go to no further channel, and conditions are not repeated. An alert about a change
 * belongs to the conditions that it told. It can be the only news of each, so all of them must be acknowledged.
 */
export async function acknowledgeAlerts(
  trx: StateDb,
  ids: readonly bigint[],
  by: string,
  nowMs: number,
): Promise<void> {
  const seen = trx.updateTable('alert').set({ acknowledgedAt: instantText(nowMs), acknowledgedBy: by });
  const parts = chunksOf(ids, ROWS_PER_STATEMENT);
  for (const some of parts) await seen.where('id', 'in', some).execute();
  for (const some of parts) {
    await seen
      .where(({ eb, selectFrom }) =>
        eb('id', 'in', selectFrom('alertTells').select('alertId').where('conditionId', 'in', some)),
      )
      .where(sql<SqlBool>`NOT EXISTS (SELECT 1 FROM alert_tells JOIN alert AS told ON told.id = condition_id
        WHERE alert_id = alert.id AND (told.acknowledged_at IS NULL OR told.acknowledged_at < alert.created_at))`)
      .execute();
  }
}

/** False if the alert was told again since. */
export function isAcknowledged(
  { acknowledgedAt }: Pick<AlertRecord, 'acknowledgedAt'>,
  notified: Pick<Notified, 'at'> | undefined,
): boolean {
  return acknowledgedAt !== undefined && notified !== undefined && acknowledgedAt >= notified.at;
}

async function upsertAlert(
  trx: StateDb,
  told: Notification,
  nowMs: number,
): Promise<{ readonly id: bigint; readonly occasions: bigint }> {
  const now = instantText(nowMs);
  if (told.reason === 'resolved') await resolve(trx, told.dedupeKey, nowMs);
  else await fire(trx, told, nowMs);
  return (
    trx
      .updateTable('alert')
      .set((alert) => ({
        occasions: alert('occasions', '+', 1n),
        notifiedAt: now,
        notifiedAs: wordOf(told.reason),
        notifiedSeverity: told.severity,
      }))
      // Nobody has seen this one, also in the second of an acknowledgement and after a clock was set back.
      .set({ acknowledgedAt: sql`CASE WHEN acknowledged_at < ${now} THEN acknowledged_at END` })
      .where('dedupeKey', '=', told.dedupeKey)
      .returning(['id', 'occasions'])
      .executeTakeFirstOrThrow()
  );
}

function wordOf(reason: NotificationReason): Notified['as'] {
  return reason === 'repeat' || reason === 'escalated' || reason === 'resolved' ? reason : 'first';
}

function alerts(db: StateDb) {
  return db.selectFrom('alert').select(ALERT_COLUMNS);
}

function toAlert({ notifiedAt: at, notifiedAs: as, notifiedSeverity: severity, ...alert }: AlertRow): AlertRecord {
  const isNotified = at !== undefined && as !== undefined && severity !== undefined;
  return { ...alert, notified: isNotified ? { at, as, severity } : undefined };
}

/** An alert that already has the state `firing` keeps its start time. */
async function fire(trx: StateDb, alert: Told, nowMs: number): Promise<void> {
  const now = instantText(nowMs);
  const { dedupeKey, kind, severity, text, proposalCode } = alert;
  const says = {
    severity,
    text,
    rule: alert.rule ?? null,
    customerId: alert.customerId ?? null,
    updatedAt: now,
  } satisfies Updateable<StateSchema['alert']>;
  await trx
    .insertInto('alert')
    .values({
      ...says,
      dedupeKey,
      kind,
      proposalCode,
      recipient: kind === 'digest' ? alert.recipientName : undefined,
      state: 'firing',
      firedAt: now,
      createdAt: now,
    })
    .onConflict((conflict) =>
      conflict.column('dedupeKey').doUpdateSet((existing) => ({
        ...says,
        state: 'firing',
        resolvedAt: null,
        resolvedBecause: null,
        firedAt: existing.case().when('alert.state', '=', 'firing').then(existing.ref('alert.firedAt')).else(now).end(),
      })),
    )
    .execute();
}

async function resolve(trx: StateDb, dedupeKey: string, nowMs: number): Promise<void> {
  const now = instantText(nowMs);
  await trx
    .updateTable('alert')
    .set({ state: 'resolved', resolvedAt: now, updatedAt: now })
    .where('dedupeKey', '=', dedupeKey)
    .where('state', '=', 'firing')
    .execute();
}

export type AlertsOf = { readonly alertId: bigint } | { readonly messageId: bigint };

/** Resolves alerts that have no outbox row in the state `pending` or `sending`. Does not change conditions. */
export async function resolveDelivered(trx: StateDb, of: AlertsOf, nowMs: number): Promise<void> {
  const now = instantText(nowMs);
  await trx
    .updateTable('alert')
    .set({ state: 'resolved', resolvedAt: now, updatedAt: now })
    .where(({ eb, selectFrom }) =>
      'alertId' in of
        ? eb('id', '=', of.alertId)
        : eb('id', 'in', selectFrom('outbox').select('alertId').where('messageId', '=', of.messageId)),
    )
    .where('kind', '!=', 'condition')
    .where('state', '=', 'firing')
    .where(sql<SqlBool>`NOT EXISTS
      (SELECT 1 FROM outbox WHERE outbox.alert_id = alert.id AND outbox.state IN ('pending', 'sending'))`)
    .execute();
}

/** Does not change conditions. */
export async function fireAgain(trx: StateDb, alertId: bigint, nowMs: number): Promise<void> {
  await trx
    .updateTable('alert')
    .set({ state: 'firing', resolvedAt: null, resolvedBecause: null, updatedAt: instantText(nowMs) })
    .where('id', '=', alertId)
    .where('kind', '!=', 'condition')
    .execute();
}
