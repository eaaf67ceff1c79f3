import type { NotNull, Selection } from 'kysely';
import type { Channel } from '../../domain/channel.ts';
import { instantText } from '../../domain/civil-date.ts';
import { InvariantError } from '../../domain/errors.ts';
import type { WithdrawnBecause } from '../schema.ts';
import { inTransaction } from '../sqlite/in-transaction.ts';
import type { StateDb } from '../sqlite/open-state.ts';
import type { StateSchema } from '../state-schema.ts';
import { fireAgain, resolveTold } from './alert-table.ts';
import { type Address, addRow, reviveRow } from './outbox-row.ts';

const PENDING_COLUMNS = [
  'outbox.id',
  'outbox.alertId',
  'outbox.occasion',
  'outbox.reason',
  'outbox.severity',
  'outbox.text',
  // The one line that asks for an answer; NULL for what asks for none.
  'outbox.short',
  'outbox.createdAt',
] as const;

const ABOUT_COLUMNS = [
  'alert.dedupeKey',
  'alert.kind',
  'alert.state',
  'alert.customerId',
  'alert.rule',
  'alert.proposalCode',
] as const;

/** What waits to be told, with what the alert is about. */
export type PendingRow = Readonly<Selection<StateSchema, 'outbox', (typeof PENDING_COLUMNS)[number]>> & {
  readonly alert: Readonly<Selection<StateSchema, 'alert', (typeof ABOUT_COLUMNS)[number]>> & {
    /** Whose digest it is. */
    readonly recipientName: string | undefined;
  };
};

export type AddressedRow = PendingRow & {
  readonly channel: Channel;
  /** Area C: `<channel>:+<number>`. Area A: digits. */
  readonly recipient: string;
};

/** What waits for the routes, oldest first. */
export async function unaddressedRows(db: StateDb): Promise<PendingRow[]> {
  const rows = await pending(db).where('outbox.recipient', 'is', null).execute();
  return rows.map(toPendingRow);
}

/** What has an address and is in no message that may be out: it may still be withdrawn. Oldest first. */
export async function addressedRows(db: StateDb): Promise<AddressedRow[]> {
  const rows = await pending(db).where('outbox.recipient', 'is not', null).where('messageId', 'is', null).execute();
  return rows.flatMap((row) => {
    const { channel, recipient } = row;
    return recipient === undefined ? [] : [{ ...toPendingRow(row), channel, recipient }];
  });
}

function pending(db: StateDb) {
  return db
    .selectFrom('outbox')
    .innerJoin('alert', 'alert.id', 'outbox.alertId')
    .select([...PENDING_COLUMNS, ...ABOUT_COLUMNS, 'alert.recipient as recipientName'])
    .select(['outbox.channel', 'outbox.recipient'])
    .where('outbox.state', '=', 'pending')
    .orderBy('outbox.id');
}

function toPendingRow(row: Awaited<ReturnType<ReturnType<typeof pending>['execute']>>[number]): PendingRow {
  const { dedupeKey, kind, state, customerId, rule, proposalCode, recipientName, ...own } = row;
  const { channel: _channel, recipient: _recipient, ...told } = own;
  return { ...told, alert: { dedupeKey, kind, state, customerId, rule, proposalCode, recipientName } };
}

/** Gives a row without a recipient one row per address, in its place. At least one address. */
export async function addressRow(
  db: StateDb,
  { id, alertId, ...told }: PendingRow,
  addresses: readonly Address[],
  nowMs: number,
): Promise<void> {
  if (addresses.length === 0) throw new InvariantError('A row of the outbox for nobody: withdraw it, or let it wait.');
  await inTransaction(db, async (trx) => {
    const gone = await trx
      .deleteFrom('outbox')
      .where('id', '=', id)
      .where('recipient', 'is', null)
      .where('state', '=', 'pending')
      .executeTakeFirst();
    // Another process has addressed or withdrawn it.
    if (gone.numDeletedRows === 0n) return;
    for (const address of addresses) {
      const there = { alertId, ...told, ...address };
      // What was taken back from there is what the routes want to be told there now.
      if ((await addRow(trx, there, nowMs)) === undefined) await reviveRow(trx, there, nowMs);
    }
    // Each of them may have been told already, as somebody who has asked.
    await resolveTold(trx, { alertId }, nowMs);
  });
}

/** Why something is not told after all, for the program and in a sentence for people. */
export interface Withdrawal {
  readonly because: WithdrawnBecause;
  readonly why: string;
}

/** Takes back what waits and is in no message that may be out. Returns whether it was still there to be taken back. */
export async function withdrawRow(
  db: StateDb,
  id: bigint,
  { because, why }: Withdrawal,
  nowMs: number,
): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    const row = await trx
      .updateTable('outbox')
      .set({ state: 'withdrawn', withdrawnBecause: because, error: why, updatedAt: instantText(nowMs) })
      .where('id', '=', id)
      .where('state', '=', 'pending')
      .where('messageId', 'is', null)
      .returning('alertId')
      .executeTakeFirst();
    if (row !== undefined) await resolveTold(trx, row, nowMs);
    return row !== undefined;
  });
}

/**
 * Rows that wait, that are being sent, and that may or may not have arrived: those that are unknown since `sinceMs` or later,
 * and were neither passed on nor told loudly.
 */
export async function countOutbox(
  db: StateDb,
  sinceMs: number,
): Promise<Readonly<Record<'pending' | 'sending' | 'unknown', number>>> {
  const rows = await db
    .selectFrom('outbox')
    .select(({ fn }) => ['state', fn.countAll<bigint>().as('rows')])
    .where(({ or, eb, and }) =>
      or([
        eb('state', 'in', ['pending', 'sending']),
        and([eb('state', '=', 'unknown'), eb('escalatedAt', 'is', null), eb('updatedAt', '>=', instantText(sinceMs))]),
      ]),
    )
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

/** A row that did not arrive, or is not known to have. */
export type StrandedRow = Readonly<Selection<StateSchema, 'outbox', (typeof STRANDED_COLUMNS)[number]>> & {
  readonly recipient: string;
  readonly state: 'failed' | 'unknown' | 'accepted';
  /** The provider's code of what went wrong. */
  readonly code: string | undefined;
  /** The provider's word in its newest report; undefined where none came. */
  readonly status: string | undefined;
};

/**
 * Rows to pass on to the next channel: those that failed, and those that since `sinceMs` or longer are not known to have
 * arrived; each once.
 */
export async function strandedRows(db: StateDb, sinceMs: number): Promise<StrandedRow[]> {
  const since = instantText(sinceMs);
  const rows = await db
    .selectFrom('outbox')
    .leftJoin('message', 'message.id', 'outbox.messageId')
    .select([...STRANDED_COLUMNS, 'outbox.recipient', 'outbox.state', 'message.errorCode as code', 'message.status'])
    .$narrowType<{ code: NotNull; status: NotNull }>()
    .where('escalatedAt', 'is', null)
    .where(({ or, eb, and }) =>
      or([
        eb('outbox.state', '=', 'failed'),
        and([eb('outbox.state', '=', 'unknown'), eb('message.updatedAt', '<=', since)]),
        and([eb('outbox.state', '=', 'accepted'), eb('message.acceptedAt', '<=', since)]),
      ]),
    )
    .orderBy('outbox.id')
    .execute();
  return rows.flatMap(({ recipient, state, ...row }) => {
    if (recipient === undefined || (state !== 'failed' && state !== 'unknown' && state !== 'accepted')) return [];
    return [{ ...row, recipient, state }];
  });
}

/**
 * Marks rows as passed on, those with a `next` address by a row of their own there. What another process has passed on
 * meanwhile stays as it is.
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

/** A row of an occasion, as far as it says who is told of it there. */
export interface OccasionRow extends Address {
  readonly id: bigint;
  readonly state: StateSchema['outbox']['state'];
  readonly reason: StateSchema['outbox']['reason'];
}

/** The rows with an address of the occasion on which that row tells its alert. */
export async function rowsOfOccasion(
  trx: StateDb,
  { alertId, occasion }: Pick<PendingRow, 'alertId' | 'occasion'>,
): Promise<OccasionRow[]> {
  const rows = await trx
    .selectFrom('outbox')
    .select(['id', 'channel', 'recipient', 'state', 'reason'])
    .where('alertId', '=', alertId)
    .where('occasion', '=', occasion)
    .orderBy('id')
    .execute();
  return rows.flatMap(({ recipient, ...row }) => (recipient === undefined ? [] : [{ ...row, recipient }]));
}

/** The same is to be told at that address, too, unless it has a row that was not taken back. */
export async function tellAt(trx: StateDb, row: PendingRow, address: Address, nowMs: number): Promise<void> {
  const there = { ...row, ...address };
  const waits = (await addRow(trx, there, nowMs)) !== undefined || (await reviveRow(trx, there, nowMs));
  if (waits) await fireAgain(trx, row.alertId, nowMs);
}

/** Takes a row back from its address: it waits for the routes again. */
export async function unaddressRow(
  trx: StateDb,
  row: AddressedRow,
  withdrawal: Withdrawal,
  nowMs: number,
): Promise<void> {
  await addRow(trx, { ...row, recipient: undefined }, nowMs);
  await withdrawRow(trx, row.id, withdrawal, nowMs);
}

/** What waits at one address waits at another, as a row that has not been tried. The other must have none of the occasion. */
export async function moveRow(trx: StateDb, { id }: AddressedRow, address: Address, nowMs: number): Promise<void> {
  await trx
    .updateTable('outbox')
    .set({ ...address, attempts: 0n, error: null, updatedAt: instantText(nowMs) })
    .where('id', '=', id)
    .where('state', '=', 'pending')
    .where('messageId', 'is', null)
    .execute();
}

/** What waits can never leave: it has failed, and is passed on or told loudly as whatever fails. */
export async function failRow(trx: StateDb, { id, alertId }: AddressedRow, why: string, nowMs: number): Promise<void> {
  await trx
    .updateTable('outbox')
    .set({ state: 'failed', error: why, updatedAt: instantText(nowMs) })
    .where('id', '=', id)
    .where('state', '=', 'pending')
    .where('messageId', 'is', null)
    .execute();
  await resolveTold(trx, { alertId }, nowMs);
}
