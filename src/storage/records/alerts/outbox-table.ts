import { type NotNull, type Selection, type SqlBool, sql } from 'kysely';
import { instantText } from '../../../domain/civil-date.ts';
import { InvariantError } from '../../../domain/errors.ts';
import { inTransaction } from '../in-transaction.ts';
import type { StateDb } from '../record-store.ts';
import type { WithdrawnBecause } from '../schema.ts';
import type { StateSchema } from '../state-schema.ts';
import { fireAgain, resolveDelivered } from './alert-table.ts';
import { type Address, addRow, IS_UNSEEN, reviveRow, updateWaiting } from './outbox-row.ts';

const PENDING_COLUMNS = [
  'outbox.id',
  'outbox.alertId',
  'outbox.occasion',
  'outbox.reason',
  'outbox.severity',
  'outbox.text',
  'outbox.short',
  'alert.dedupeKey',
  'alert.kind',
  'alert.customerId',
  'alert.rule',
  'alert.proposalCode',
  // NULL unless the alert is a digest.
  'alert.recipient as recipientName',
] as const;

export type PendingRow = Readonly<Selection<StateSchema, 'outbox' | 'alert', (typeof PENDING_COLUMNS)[number]>>;

export type AddressedRow = PendingRow & Address;

export async function unaddressedRows(db: StateDb): Promise<PendingRow[]> {
  return pending(db).where('outbox.recipient', 'is', null).execute();
}

/** Waiting rows that belong to no message. Oldest first. */
export async function addressedRows(db: StateDb): Promise<AddressedRow[]> {
  return pending(db)
    .select(['outbox.channel', 'outbox.recipient'])
    .where('outbox.recipient', 'is not', null)
    .where('messageId', 'is', null)
    .$narrowType<{ recipient: string }>()
    .execute();
}

function pending(db: StateDb) {
  return db
    .selectFrom('outbox')
    .innerJoin('alert', 'alert.id', 'outbox.alertId')
    .select(PENDING_COLUMNS)
    .where('outbox.state', '=', 'pending')
    .orderBy('outbox.id');
}

/** Replaces a row without a recipient by one row per address. */
export async function addressRow(
  db: StateDb,
  { id, alertId, ...told }: PendingRow,
  addresses: readonly Address[],
  nowMs: number,
): Promise<void> {
  if (addresses.length === 0) throw new InvariantError('An outbox row has no recipient, expected at least one.');
  await inTransaction(db, async (trx) => {
    const gone = await trx
      .deleteFrom('outbox')
      .where('id', '=', id)
      .where('recipient', 'is', null)
      .where('state', '=', 'pending')
      .executeTakeFirst();
    // Another process has already addressed or withdrawn the row.
    if (gone.numDeletedRows === 0n) return;
    for (const address of addresses) {
      const there = { alertId, ...told, ...address };
      if ((await addRow(trx, there, nowMs)) === undefined) await reviveRow(trx, there, nowMs);
    }
    // If every address already received the alert as a reply, no row waits, so the alert is resolved.
    await resolveDelivered(trx, { alertId }, nowMs);
  });
}

/** `why` is one sentence for people. */
export interface Withdrawal {
  readonly because: WithdrawnBecause;
  readonly why: string;
}

/** Returns false if the row no longer waits or belongs to a message. */
export async function withdrawRow(
  db: StateDb,
  id: bigint,
  { because, why }: Withdrawal,
  nowMs: number,
): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    const row = await updateWaiting(trx, nowMs)
      .set({ state: 'withdrawn', withdrawnBecause: because, error: why })
      .where('id', '=', id)
      .returning('alertId')
      .executeTakeFirst();
    if (row !== undefined) await resolveDelivered(trx, row, nowMs);
    return row !== undefined;
  });
}

/** `sinceMs` limits only the rows with the state `unknown`. */
export async function countOutbox(
  db: StateDb,
  sinceMs: number,
): Promise<Readonly<Record<'pending' | 'sending' | 'unknown', number>>> {
  const rows = await db
    .selectFrom('outbox')
    .select(({ fn }) => ['state', fn.countAll<bigint>().as('rows')])
    .where(sql<SqlBool>`(state IN ('pending', 'sending')
      OR (state = 'unknown' AND escalated_at IS NULL AND updated_at >= ${instantText(sinceMs)} AND ${IS_UNSEEN}))`)
    .groupBy('state')
    .execute();
  const of = (state: 'pending' | 'sending' | 'unknown') => Number(rows.find((row) => row.state === state)?.rows ?? 0n);
  return { pending: of('pending'), sending: of('sending'), unknown: of('unknown') };
}

const STRANDED_COLUMNS = [
  'outbox.id',
  'outbox.messageId',
  'outbox.channel',
  'outbox.severity',
  'outbox.text',
  'outbox.error',
] as const;

export type StrandedRow = Readonly<Selection<StateSchema, 'outbox', (typeof STRANDED_COLUMNS)[number]>> & {
  readonly recipient: string;
  readonly state: 'failed' | 'unknown' | 'accepted';
  readonly code: string | undefined;
  readonly status: string | undefined;
};

/**
 * Rows that must go to another channel: failed, or without confirmation since `sinceMs` or earlier. `confirming`: channels
 * whose provider reports delivery. On others, accepted is all that is ever known. An alert that a person has seen stays.
 */
export async function strandedRows(
  db: StateDb,
  confirming: readonly string[],
  sinceMs: number,
): Promise<StrandedRow[]> {
  const since = instantText(sinceMs);
  return db
    .selectFrom('outbox')
    .leftJoin('message', 'message.id', 'outbox.messageId')
    .select([...STRANDED_COLUMNS, 'outbox.recipient', 'outbox.state', 'message.errorCode as code', 'message.status'])
    .$narrowType<{ code: NotNull; status: NotNull; recipient: string; state: StrandedRow['state'] }>()
    .where('escalatedAt', 'is', null)
    .where('outbox.recipient', 'is not', null)
    .where(IS_UNSEEN)
    .where(sql<SqlBool>`(outbox.state = 'failed' OR (outbox.state = 'unknown' AND message.updated_at <= ${since})
      OR (outbox.state = 'accepted' AND message.accepted_at <= ${since} AND outbox.channel IN (${sql.join(confirming)})))`)
    .orderBy('outbox.id')
    .execute();
}

/**
 * Marks each row as escalated and adds a row for the next channel. Without one, the alert is lost. Skips rows that are
 * already escalated.
 */
export async function escalateRows(
  db: StateDb,
  rows: readonly {
    readonly id: bigint;
    readonly next: Address | undefined;
  }[],
  nowMs: number,
): Promise<void> {
  const now = instantText(nowMs);
  await inTransaction(db, async (trx) => {
    for (const { id, next } of rows) {
      const row = await trx
        .updateTable('outbox')
        .set({ escalatedAt: now, updatedAt: now })
        .set({ lostAt: next === undefined ? sql`CASE WHEN state = 'accepted' THEN NULL ELSE ${now} END` : null })
        .where('id', '=', id)
        .where('escalatedAt', 'is', null)
        .where('state', 'in', ['failed', 'unknown', 'accepted'])
        .returning(['alertId', 'occasion', 'reason', 'severity', 'text', 'short'])
        .executeTakeFirst();
      if (row === undefined || next === undefined) continue;
      const added = await addRow(trx, { ...row, ...next }, nowMs);
      if (added !== undefined) await fireAgain(trx, row.alertId, nowMs);
    }
  });
}

/** Rows of alerts that a person has seen go nowhere else, so nobody waits for news of them. */
export async function settleSeen(trx: StateDb, nowMs: number): Promise<void> {
  await trx
    .updateTable('outbox')
    .set({ escalatedAt: instantText(nowMs) })
    .where('escalatedAt', 'is', null)
    .where('state', 'in', ['failed', 'unknown', 'accepted'])
    .where(({ eb, not, selectFrom }) =>
      eb('alertId', 'in', selectFrom('alert').select('id').where('acknowledgedAt', 'is not', null)).and(not(IS_UNSEEN)),
    )
    .execute();
}

export interface OccasionRow extends Address {
  readonly id: bigint;
  readonly state: StateSchema['outbox']['state'];
  readonly reason: StateSchema['outbox']['reason'];
}

export async function rowsOfOccasion(
  trx: StateDb,
  { alertId, occasion }: Pick<PendingRow, 'alertId' | 'occasion'>,
): Promise<OccasionRow[]> {
  return trx
    .selectFrom('outbox')
    .select(['id', 'channel', 'recipient', 'state', 'reason'])
    .where('recipient', 'is not', null)
    .where('alertId', '=', alertId)
    .where('occasion', '=', occasion)
    .orderBy('id')
    .$narrowType<{ recipient: string }>()
    .execute();
}

/** Does nothing if the address already has a row that was not withdrawn. */
export async function tellAt(trx: StateDb, row: PendingRow, address: Address, nowMs: number): Promise<void> {
  const there = { ...row, ...address };
  const waits = (await addRow(trx, there, nowMs)) !== undefined || (await reviveRow(trx, there, nowMs));
  if (waits) await fireAgain(trx, row.alertId, nowMs);
}

/** Withdraws the row and adds a row without a recipient, so that recipients are chosen again. */
export async function unaddressRow(
  trx: StateDb,
  row: AddressedRow,
  withdrawal: Withdrawal,
  nowMs: number,
): Promise<void> {
  await addRow(trx, { ...row, recipient: undefined }, nowMs);
  await withdrawRow(trx, row.id, withdrawal, nowMs);
}

/** The address must not have a row for the same alert and occasion yet. */
export async function moveRow(trx: StateDb, { id }: AddressedRow, address: Address, nowMs: number): Promise<void> {
  await updateWaiting(trx, nowMs)
    .set({ ...address, attempts: 0n, error: null })
    .where('id', '=', id)
    .execute();
}

/** A failed row goes to the next channel. */
export async function failRow(trx: StateDb, { id, alertId }: AddressedRow, why: string, nowMs: number): Promise<void> {
  await updateWaiting(trx, nowMs).set({ state: 'failed', error: why }).where('id', '=', id).execute();
  await resolveDelivered(trx, { alertId }, nowMs);
}
