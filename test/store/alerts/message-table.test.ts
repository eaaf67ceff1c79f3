import { beforeEach, describe, expect, it } from 'vitest';
import { enqueueAlert } from '../../../src/storage/records/alerts/alert-table.ts';
import {
  claimMessage,
  expireLeases,
  type MessageOutcome,
  recordFound,
  recordNeverTaken,
  recordNotThere,
  recordOutcome,
  recordStatus,
} from '../../../src/storage/records/alerts/message-outcome.ts';
import {
  freshReference,
  insertMessage,
  messageById,
  takeApart,
} from '../../../src/storage/records/alerts/message-table.ts';
import { addressedRows, addressRow, unaddressedRows } from '../../../src/storage/records/alerts/outbox-table.ts';
import { type AnyStore, freshStore, NOW_MS } from '../../support/state.ts';

let state: AnyStore;
let id: bigint;
beforeEach(async () => {
  state = await freshStore();
  id = await newMessage();
});

const ANNA = { channel: 'messages', recipient: 'whatsapp:+4915112345678' } as const;
const LEASE_MS = 5 * 60_000;
const TAKEN = { kind: 'accepted', providerId: 'SM1', status: 'queued', response: '{}' } as const;
const not = (kind: 'not_processed' | 'refused' | 'unknown'): MessageOutcome => ({ kind, error: 'No.', code: '20429' });
const report = (status: string, providerId = 'SM1') =>
  recordStatus(state.db, { channel: 'messages', providerId, status }, NOW_MS);

/** A message of one event that waits. */
async function newMessage(): Promise<bigint> {
  const alert = { dedupeKey: 'e', severity: 'warning', customerId: undefined, text: 'Cut.' } as const;
  await enqueueAlert(state.db, alert, NOW_MS);
  const [waiting] = await unaddressedRows(state.db);
  if (waiting) await addressRow(state.db, waiting, [ANNA], NOW_MS);
  const rowIds = (await addressedRows(state.db)).map((row) => row.id);
  return insertMessage(state.db, { ...ANNA, text: 'Cut.', reference: 'ACDEFGHJ', rowIds }, NOW_MS);
}

/** Sends the message, to that outcome; without one it is being sent. */
async function requested(outcome?: MessageOutcome, holder = 'a process'): Promise<bigint> {
  const attempt = await claimMessage(state.db, id, holder, NOW_MS);
  if (attempt === undefined) throw new Error('Another process has it.');
  if (outcome) await recordOutcome(state.db, id, attempt, outcome, NOW_MS);
  return attempt;
}

async function now(): Promise<{ state?: string; status?: string | undefined }> {
  const { state: is, status } = (await messageById(state.db, id)) ?? {};
  const rows = state.connection.prepare('SELECT state FROM outbox').all() as { state: string }[];
  // Its rows are always where it is.
  for (const row of rows) expect(row.state).toBe(is);
  return { ...(is === undefined ? {} : { state: is }), status };
}

describe('a lease', () => {
  it('belongs to one process', async () => {
    expect(await claimMessage(state.db, id, 'one', NOW_MS)).toBe(1n);
    expect(await claimMessage(state.db, id, 'other', NOW_MS)).toBeUndefined();
    expect(await claimMessage(state.db, id, 'one', NOW_MS)).toBeUndefined();
  });

  it('expires after five minutes, and the delivery is then in doubt', async () => {
    await requested();
    expect(await expireLeases(state.db, NOW_MS + LEASE_MS - 1000)).toEqual([]);
    expect(await now()).toMatchObject({ state: 'sending' });
    expect(await expireLeases(state.db, NOW_MS + LEASE_MS)).toMatchObject([{ id }]);
    expect(await now()).toMatchObject({ state: 'unknown' });
  });
});

describe('an answer', () => {
  it.each([
    ['that it was accepted', TAKEN, 'accepted'],
    ['that it was not processed for now', not('not_processed'), 'pending'],
    ['that it is refused for good', not('refused'), 'failed'],
    ['that proves nothing', not('unknown'), 'unknown'],
    ['that it was accepted, and has failed already', { ...TAKEN, status: 'failed' }, 'failed'],
  ] as const)('%s', async (_sentence, outcome, ends) => {
    await requested(outcome);
    expect(await now()).toMatchObject({ state: ends });
  });

  it('after the lease expired counts, if nobody has sent again', async () => {
    const attempt = await requested();
    await expireLeases(state.db, NOW_MS + LEASE_MS);
    await recordOutcome(state.db, id, attempt, not('not_processed'), NOW_MS);
    expect(await now()).toMatchObject({ state: 'pending' });
  });

  it('to an earlier request does not affect a later one, unless it was accepted', async () => {
    const first = await requested();
    await expireLeases(state.db, NOW_MS + LEASE_MS);
    await recordNotThere(state.db, id, first, NOW_MS);
    await requested(undefined, 'other');
    await recordOutcome(state.db, id, first, not('refused'), NOW_MS);
    expect(await now()).toMatchObject({ state: 'sending' });
    await recordOutcome(state.db, id, first, TAKEN, NOW_MS);
    expect(await now()).toMatchObject({ state: 'accepted' });
  });

  it('after a delivery report does not change that report', async () => {
    const attempt = await requested();
    const early = { channel: 'messages', providerId: 'SM1', reference: 'pk-ACDEFGHJ', status: 'delivered' } as const;
    expect(await recordStatus(state.db, early, NOW_MS)).toBe('moved');
    for (const outcome of [not('unknown'), not('not_processed'), TAKEN]) {
      await recordOutcome(state.db, id, attempt, outcome, NOW_MS);
      expect(await now()).toEqual({ state: 'delivered', status: 'delivered' });
    }
  });

  it('with an id that a message of another channel has keeps that id', async () => {
    await requested(TAKEN);
    await enqueueAlert(state.db, { dedupeKey: 'f', severity: 'info', customerId: undefined, text: 'X.' }, NOW_MS);
    const other = { channel: 'graph', recipient: '+4915112345678', text: 'X.', reference: 'CDEFGHJK' } as const;
    id = await insertMessage(state.db, { ...other, rowIds: [0n] }, NOW_MS);
    await requested(TAKEN);
    expect(await messageById(state.db, id)).toMatchObject({ state: 'accepted', providerId: 'SM1' });
  });

  it('with an id that another message has leaves that message its id', async () => {
    await requested(TAKEN);
    await enqueueAlert(state.db, { dedupeKey: 'f', severity: 'info', customerId: undefined, text: 'X.' }, NOW_MS);
    const first = id;
    id = await insertMessage(state.db, { ...ANNA, text: 'X.', reference: 'CDEFGHJK', rowIds: [0n] }, NOW_MS);
    const attempt = (await claimMessage(state.db, id, 'a process', NOW_MS)) ?? 0n;
    await recordOutcome(state.db, id, attempt, TAKEN, NOW_MS);
    expect(await messageById(state.db, id)).toMatchObject({ state: 'accepted', providerId: undefined });
    expect(await messageById(state.db, first)).toMatchObject({ providerId: 'SM1' });
  });
});

describe('an accepted message without an id that the provider’s list does not have', () => {
  it('was never taken', async () => {
    await requested({ ...TAKEN, providerId: undefined, status: undefined });
    await recordNeverTaken(state.db, id, NOW_MS);
    expect(await now()).toEqual({ state: 'failed', status: undefined });
  });

  it('stays accepted if a status of it arrived', async () => {
    await requested({ ...TAKEN, providerId: undefined });
    await recordNeverTaken(state.db, id, NOW_MS);
    expect(await now()).toEqual({ state: 'accepted', status: 'queued' });
  });
});

describe('a message in doubt', () => {
  it('is accepted once found, with the provider’s status', async () => {
    await requested(not('unknown'));
    await recordFound(state.db, id, { providerId: 'SM2', status: 'undelivered', errorCode: '63016' }, NOW_MS);
    expect(await now()).toEqual({ state: 'failed', status: 'undelivered' });
  });

  it('waits again unchanged if it is not found', async () => {
    const attempt = await requested(not('unknown'));
    expect(await recordNotThere(state.db, id, attempt, NOW_MS)).toBe('pending');
    await takeApart(state.db, NOW_MS);
    expect(await messageById(state.db, id)).toMatchObject({ text: 'Cut.', reference: 'ACDEFGHJ', attempts: 1n });
  });

  it('stays in doubt if it was sent again since the search', async () => {
    const first = await requested(not('unknown'));
    await recordNotThere(state.db, id, first, NOW_MS);
    await requested(not('unknown'));
    expect(await recordNotThere(state.db, id, first, NOW_MS)).toBe('unknown');
  });
});

it('that never left is split up, and its rows wait for another message', async () => {
  await requested(not('not_processed'));
  await takeApart(state.db, NOW_MS);
  expect(await messageById(state.db, id)).toBeUndefined();
  expect(await addressedRows(state.db)).toHaveLength(1);
});

it('gets a unique reference', async () => {
  expect(await freshReference(state.db)).toMatch(/^[ACDEFGHJKMNPRTWXY34679]{8}$/);
});

describe('a delivery report', () => {
  it.each<[sentence: string, words: string[], state: string, status: string]>([
    ['that it was sent', ['sent'], 'accepted', 'sent'],
    ['that it was delivered, then read', ['sent', 'delivered', 'read'], 'delivered', 'read'],
    ['that arrives late', ['delivered', 'sent', 'queued'], 'delivered', 'delivered'],
    ['twice', ['delivered', 'delivered'], 'delivered', 'delivered'],
    ['of a failure', ['sent', 'undelivered'], 'failed', 'undelivered'],
    ['of a failure that arrives late', ['failed', 'sent'], 'failed', 'failed'],
    ['of a failure after delivery', ['delivered', 'failed'], 'delivered', 'delivered'],
    ['of a delivery after a failure', ['failed', 'delivered'], 'delivered', 'delivered'],
    ['with an unknown status', ['sent', 'teleported'], 'accepted', 'sent'],
    ['with a status named like a property of every object', ['sent', 'constructor'], 'accepted', 'sent'],
  ])('%s', async (_sentence, words, ends, status) => {
    await requested(TAKEN);
    const moved: string[] = [];
    for (const word of words) moved.push(await report(word));
    expect(await now()).toEqual({ state: ends, status });
    expect(moved.filter((one) => one === 'moved')).toHaveLength(
      new Set(words.slice(0, words.indexOf(status) + 1)).size,
    );
  });

  it('of a failure counts after an answer named like a property of every object', async () => {
    await requested({ ...TAKEN, status: 'constructor' });
    await report('failed');
    expect(await now()).toEqual({ state: 'failed', status: 'failed' });
  });

  it('for an unknown message is ignored', async () => {
    await requested(TAKEN);
    expect(await report('delivered', 'SM99')).toBe('unknown_message');
    expect(await recordStatus(state.db, { channel: 'graph', providerId: 'SM1', status: 'read' }, NOW_MS)).toBe(
      'unknown_message',
    );
  });

  it('that a message was sent does not end its failure, but one of its delivery does', async () => {
    await requested(not('refused'));
    const late = { channel: 'messages', providerId: 'SM7', reference: 'ACDEFGHJ' } as const;
    expect(await recordStatus(state.db, { ...late, status: 'sent' }, NOW_MS)).toBe('kept');
    expect(await now()).toEqual({ state: 'failed', status: undefined });
    expect(await recordStatus(state.db, { ...late, status: 'delivered' }, NOW_MS)).toBe('moved');
    expect(await now()).toEqual({ state: 'delivered', status: 'delivered' });
  });

  it('that a waiting message was sent after all ends the doubt', async () => {
    const attempt = await requested(not('unknown'));
    await recordNotThere(state.db, id, attempt, NOW_MS);
    const late = { channel: 'messages', providerId: 'SM7', reference: 'ACDEFGHJ', status: 'sent' } as const;
    expect(await recordStatus(state.db, late, NOW_MS)).toBe('moved');
    expect(await messageById(state.db, id)).toMatchObject({ state: 'accepted', providerId: 'SM7' });
  });
});
