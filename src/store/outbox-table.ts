import type { AlertSeverity, Channel } from '../domain/channel.ts';
import { instantText } from '../domain/civil-date.ts';
import { InvariantError } from '../domain/errors.ts';
import { type CustomerId, customerId } from '../domain/ids.ts';
import { fireAgain, resolveTold } from './alert-state.ts';
import type { AlertKind, NotificationReason } from './alert-table.ts';
import { inTransaction } from './in-transaction.ts';
import type { StateDb } from './open-state.ts';
import { addRow, reviveRow } from './outbox-row.ts';
import type { StateSchema, WithdrawnBecause } from './schema.ts';

/** What waits to be told, with what the alert is about. */
export interface PendingRow {
  readonly id: bigint;
  readonly alertId: bigint;
  readonly occasion: bigint;
  readonly reason: NotificationReason;
  readonly severity: AlertSeverity;
  readonly text: string;
  /** The one line that asks for an answer; undefined for what asks for none. */
  readonly short: string | undefined;
  readonly createdAt: string;
  readonly alert: {
    readonly dedupeKey: string;
    readonly kind: AlertKind;
    readonly state: StateSchema['alert']['state'];
    readonly customerId: CustomerId | undefined;
    readonly rule: string | undefined;
    readonly proposalCode: string | undefined;
    readonly recipientName: string | undefined;
  };
}

export interface AddressedRow extends PendingRow {
  readonly channel: Channel;
  /** Area C: `<channel>:+<number>`. Area A: digits. */
  readonly recipient: string;
}

/** What waits for the routes, oldest first. */
export async function unaddressedRows(db: StateDb): Promise<PendingRow[]> {
  const rows = await pending(db).where('outbox.recipient', 'is', null).execute();
  return rows.map(toPendingRow);
}

/** What has an address and is in no message that may be out: it may still be withdrawn. Oldest first. */
export async function addressedRows(db: StateDb): Promise<AddressedRow[]> {
  const rows = await pending(db).where('outbox.recipient', 'is not', null).where('message_id', 'is', null).execute();
  return rows.flatMap((row) => {
    const { channel, recipient } = row;
    return recipient === null ? [] : [{ ...toPendingRow(row), channel, recipient }];
  });
}

function pending(db: StateDb) {
  return db
    .selectFrom('outbox')
    .innerJoin('alert', 'alert.id', 'outbox.alert_id')
    .select(['outbox.id', 'alert_id', 'occasion', 'reason', 'outbox.severity', 'outbox.text', 'short'])
    .select([
      'outbox.created_at',
      'channel',
      'outbox.recipient',
      'dedupe_key',
      'kind',
      'alert.state',
      'customer_id',
      'rule',
    ])
    .select(['proposal_code', 'alert.recipient as recipient_name'])
    .where('outbox.state', '=', 'pending')
    .orderBy('outbox.id');
}

function toPendingRow(row: Awaited<ReturnType<ReturnType<typeof pending>['execute']>>[number]): PendingRow {
  return {
    ...{ id: row.id, alertId: row.alert_id, occasion: row.occasion, reason: row.reason },
    ...{ severity: row.severity, text: row.text, short: row.short ?? undefined, createdAt: row.created_at },
    alert: {
      ...{ dedupeKey: row.dedupe_key, kind: row.kind, state: row.state, rule: row.rule ?? undefined },
      customerId: row.customer_id === null ? undefined : customerId(row.customer_id.toString()),
      proposalCode: row.proposal_code ?? undefined,
      recipientName: row.recipient_name ?? undefined,
    },
  };
}

/** Gives a row without a recipient one row per address, in its place. At least one address. */
export async function addressRow(
  db: StateDb,
  { id, alertId, ...told }: PendingRow,
  addresses: readonly { readonly channel: Channel; readonly recipient: string }[],
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
      .set({ state: 'withdrawn', withdrawn_because: because, error: why, updated_at: instantText(nowMs) })
      .where('id', '=', id)
      .where('state', '=', 'pending')
      .where('message_id', 'is', null)
      .returning('alert_id')
      .executeTakeFirst();
    if (row !== undefined) await resolveTold(trx, { alertId: row.alert_id }, nowMs);
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
        and([
          eb('state', '=', 'unknown'),
          eb('escalated_at', 'is', null),
          eb('updated_at', '>=', instantText(sinceMs)),
        ]),
      ]),
    )
    .groupBy('state')
    .execute();
  const of = (state: 'pending' | 'sending' | 'unknown') => Number(rows.find((row) => row.state === state)?.rows ?? 0n);
  return { pending: of('pending'), sending: of('sending'), unknown: of('unknown') };
}

/** A row that did not arrive, or is not known to have. */
export interface StrandedRow {
  readonly id: bigint;
  readonly messageId: bigint | undefined;
  readonly channel: Channel;
  readonly recipient: string;
  readonly state: 'failed' | 'unknown' | 'accepted';
  readonly severity: AlertSeverity;
  readonly text: string;
  readonly error: string | undefined;
  /** The provider's code of what went wrong. */
  readonly code: string | undefined;
}

/**
 * Rows to pass on to the next channel: those that failed, and those that since `sinceMs` or longer are not known to have
 * arrived; each once.
 */
export async function strandedRows(db: StateDb, sinceMs: number): Promise<StrandedRow[]> {
  const since = instantText(sinceMs);
  const rows = await db
    .selectFrom('outbox')
    .leftJoin('message', 'message.id', 'outbox.message_id')
    .select(['outbox.id', 'message_id', 'outbox.channel', 'outbox.recipient', 'outbox.state', 'severity'])
    .select(['outbox.text', 'outbox.error', 'error_code'])
    .where('escalated_at', 'is', null)
    .where(({ or, eb, and }) =>
      or([
        eb('outbox.state', '=', 'failed'),
        and([eb('outbox.state', '=', 'unknown'), eb('message.updated_at', '<=', since)]),
        and([eb('outbox.state', '=', 'accepted'), eb('message.accepted_at', '<=', since)]),
      ]),
    )
    .orderBy('outbox.id')
    .execute();
  return rows.flatMap(({ message_id, recipient, state, error, error_code, ...row }) => {
    if (recipient === null || (state !== 'failed' && state !== 'unknown' && state !== 'accepted')) return [];
    return [
      {
        ...row,
        messageId: message_id ?? undefined,
        recipient,
        state,
        error: error ?? undefined,
        code: error_code ?? undefined,
      },
    ];
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
    readonly next: { readonly channel: Channel; readonly recipient: string } | undefined;
  }[],
  nowMs: number,
): Promise<void> {
  const now = instantText(nowMs);
  await inTransaction(db, async (trx) => {
    for (const { id, next } of rows) {
      const row = await trx
        .updateTable('outbox')
        .set({ escalated_at: now, updated_at: now })
        .where('id', '=', id)
        .where('escalated_at', 'is', null)
        .where('state', 'in', ['failed', 'unknown', 'accepted'])
        .returning(['alert_id as alertId', 'occasion', 'reason', 'severity', 'text', 'short'])
        .executeTakeFirst();
      if (row === undefined || next === undefined) continue;
      const added = await addRow(trx, { ...row, ...next }, nowMs);
      if (added !== undefined) await fireAgain(trx, row.alertId, nowMs);
    }
  });
}
