import type { Channel } from '../../domain/channel.ts';
import { instantText } from '../../domain/civil-date.ts';
import type { StateDb } from '../sqlite/open-state.ts';
import type { StateSchema } from '../state-schema.ts';
import { fireAgain, resolveTold } from './alert-table.ts';
import { addRow, reviveRow } from './outbox-row.ts';
import { type AddressedRow, type PendingRow, type Withdrawal, withdrawRow } from './outbox-table.ts';

export interface Address {
  readonly channel: Channel;
  /** Area C: `<channel>:+<number>`. Area A: digits. */
  readonly recipient: string;
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
