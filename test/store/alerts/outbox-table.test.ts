import { beforeEach, describe, expect, it } from 'vitest';
import { addressAlsoTo, enqueueAlert } from '../../../src/storage/records/alerts/alert-table.ts';
import { lostRows } from '../../../src/storage/records/alerts/lost-rows.ts';
import { claimMessage, recordNotThere, recordOutcome } from '../../../src/storage/records/alerts/message-outcome.ts';
import { insertMessage, unknownMessages } from '../../../src/storage/records/alerts/message-table.ts';
import { listRows } from '../../../src/storage/records/alerts/outbox-list.ts';
import {
  type AddressedRow,
  addressedRows,
  addressRow,
  countOutbox,
  escalateRows,
  strandedRows,
  unaddressedRows,
  withdrawRow,
} from '../../../src/storage/records/alerts/outbox-table.ts';
import { type AnyStore, freshStore, NOW_MS } from '../../support/state.ts';

let state: AnyStore;
beforeEach(async () => {
  state = await freshStore();
  await enqueueAlert(state.db, { dedupeKey: 'e', severity: 'warning', customerId: undefined, text: 'Cut.' }, NOW_MS);
});

const ANNA = { channel: 'messages', recipient: 'whatsapp:+4915112345678' } as const;
const BOB = { channel: 'messages', recipient: 'sms:+15550100002' } as const;
const NEXT = { channel: 'graph', recipient: '4915112345678' } as const;

async function waiting() {
  const [row] = await unaddressedRows(state.db);
  if (!row) throw new Error('Nothing waits.');
  return row;
}

async function addressed(): Promise<AddressedRow> {
  await addressRow(state.db, await waiting(), [ANNA], NOW_MS);
  const [row] = await addressedRows(state.db);
  if (!row) throw new Error('Nothing was addressed.');
  return row;
}

/** The row in a message whose request came to that. */
async function sent(kind: 'accepted' | 'refused' | 'unknown'): Promise<AddressedRow> {
  const row = await addressed();
  const message = { ...ANNA, text: 'Cut.', reference: 'ACDEFGHJ', rowIds: [row.id] };
  const id = await insertMessage(state.db, message, NOW_MS);
  const attempt = (await claimMessage(state.db, id, 'a process', NOW_MS)) ?? 0n;
  const answer = { providerId: undefined, status: undefined, response: '', error: 'No.', code: undefined };
  await recordOutcome(state.db, id, attempt, { kind, ...answer }, NOW_MS);
  return row;
}

describe('a row without a recipient', () => {
  it('is replaced by one row per address, none notified twice', async () => {
    await addressRow(state.db, await waiting(), [ANNA, BOB, ANNA], NOW_MS);
    expect(await unaddressedRows(state.db)).toEqual([]);
    expect((await addressedRows(state.db)).map(({ recipient }) => recipient)).toEqual([ANNA.recipient, BOB.recipient]);
  });

  it('is not addressed twice by two processes', async () => {
    const row = await waiting();
    await addressRow(state.db, row, [ANNA], NOW_MS);
    await addressRow(state.db, row, [BOB], NOW_MS);
    expect((await addressedRows(state.db)).map(({ recipient }) => recipient)).toEqual([ANNA.recipient]);
  });

  it('closes its event if every address has already asked and been answered', async () => {
    await addressAlsoTo(state.db, 'e', ANNA, NOW_MS);
    const row = await waiting();
    await state.db.updateTable('outbox').set({ state: 'delivered' }).where('reason', '=', 'reply').execute();
    await addressRow(state.db, row, [ANNA], NOW_MS);
    expect(state.connection.prepare('SELECT state FROM alert').all()).toEqual([{ state: 'resolved' }]);
  });

  it('requires a recipient', async () => {
    await expect(addressRow(state.db, await waiting(), [], NOW_MS)).rejects.toThrow('has no recipient');
  });
});

describe('a withdrawn row', () => {
  it('is no longer sent, and keeps the reason', async () => {
    const row = await addressed();
    expect(await withdrawRow(state.db, row.id, { because: 'silenced', why: 'Silenced by anna.' }, NOW_MS)).toBe(true);
    expect(await addressedRows(state.db)).toEqual([]);
    expect(await withdrawRow(state.db, row.id, { because: 'silenced', why: 'Again.' }, NOW_MS)).toBe(false);
    expect(state.connection.prepare('SELECT state, error FROM outbox').all()).toEqual([
      { state: 'withdrawn', error: 'Silenced by anna.' },
    ]);
  });

  it.each(['accepted', 'unknown', 'refused'] as const)('is refused for a message that was %s', async (kind) => {
    const row = await sent(kind);
    expect(await withdrawRow(state.db, row.id, { because: 'silenced', why: 'Silenced.' }, NOW_MS)).toBe(false);
  });
});

describe('a row passed on to the next channel', () => {
  it('appears once on the next channel, and the event stays open until then', async () => {
    const { id } = await sent('refused');
    const alert = () => state.connection.prepare('SELECT state FROM alert').all();
    expect(alert()).toEqual([{ state: 'resolved' }]);
    await escalateRows(state.db, [{ id, next: NEXT }], NOW_MS);
    await escalateRows(state.db, [{ id, next: NEXT }], NOW_MS);
    expect(await addressedRows(state.db)).toMatchObject([{ ...NEXT, text: 'Cut.', reason: 'event' }]);
    expect(alert()).toEqual([{ state: 'firing' }]);
    expect(await strandedRows(state.db, ['messages'], NOW_MS)).toEqual([]);
  });

  it.each([
    ['a row that no other channel takes is lost', 'refused', undefined, 1],
    ['a row that another channel takes is not', 'refused', NEXT, 0],
    ['nor is a row that its provider accepted', 'accepted', undefined, 0],
  ] as const)('%s', async (_, kind, next, lost) => {
    const { id } = await sent(kind);
    await escalateRows(state.db, [{ id, next }], NOW_MS);
    const marked = await state.db.selectFrom('outbox').select('id').where('lostAt', 'is not', null).execute();
    expect([marked.length, (await lostRows(state.db)).length]).toEqual([lost, lost]);
  });

  it('in doubt is not sent again after it is passed on in the same millisecond', async () => {
    const { id } = await sent('unknown');
    await escalateRows(state.db, [{ id, next: NEXT }], NOW_MS);
    const [message] = await unknownMessages(state.db, 0);
    expect(await recordNotThere(state.db, message?.id ?? 0n, 1n, NOW_MS)).toBe('failed');
  });
});

it('the outbox counts waiting, sending and uncertain rows until they are passed on or old', async () => {
  expect(await countOutbox(state.db, NOW_MS)).toEqual({ pending: 1, sending: 0, unknown: 0 });
  const { id } = await sent('unknown');
  expect(await countOutbox(state.db, NOW_MS)).toEqual({ pending: 0, sending: 0, unknown: 1 });
  expect(await countOutbox(state.db, NOW_MS + 1000)).toMatchObject({ unknown: 0 });
  await escalateRows(state.db, [{ id, next: undefined }], NOW_MS);
  expect(await countOutbox(state.db, NOW_MS)).toMatchObject({ unknown: 0 });
});

it('a listing is ordered by the time of acceptance, not by later reports', async () => {
  const told = (toldSinceMs: number) => listRows(state.db, { states: ['pending', 'delivered'], toldSinceMs, limit: 9 });
  expect(await told(NOW_MS)).toHaveLength(1);
  await sent('accepted');
  const later = '2099-01-01T00:00:00Z';
  const latest = '2099-02-01T00:00:00Z';
  await state.db.updateTable('outbox').set({ state: 'delivered', updatedAt: latest }).execute();
  expect(await told(NOW_MS)).toHaveLength(1);
  expect(await told(NOW_MS + 1000)).toEqual([]);
  await state.db.updateTable('message').set({ acceptedAt: later }).execute();
  expect(await told(Date.parse(later))).toHaveLength(1);
  expect(await told(Date.parse(later) + 1000)).toEqual([]);
});
