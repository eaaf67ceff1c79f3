import { beforeEach, describe, expect, it } from 'vitest';
import {
  addressAlsoTo,
  enqueueAlert,
  enqueueReply,
  firingAlerts,
  notify,
  readAlert,
  recordCondition,
} from '../../../src/storage/records/alerts/alert-table.ts';
import {
  addressedRows,
  addressRow,
  unaddressedRows,
  withdrawRow,
} from '../../../src/storage/records/alerts/outbox-table.ts';
import { type AnyStore, freshStore, NOW_MS } from '../../support/state.ts';

let state: AnyStore;
beforeEach(async () => {
  state = await freshStore();
});

const LATER_MS = NOW_MS + 60_000;
const EVENT = {
  dedupeKey: 'budget-intent:12:applied',
  severity: 'warning',
  customerId: undefined,
  text: 'Cut.',
} as const;
const CONDITION = { ...EVENT, dedupeKey: 'rule:stopped:1:account', rule: 'stopped' } as const;
const ANNA = { channel: 'messages', recipient: 'whatsapp:+4915112345678' } as const;
const BOB = { channel: 'graph', recipient: '4915112345679' } as const;
const outbox = () =>
  state.connection.prepare('SELECT occasion, reason, recipient, state FROM outbox ORDER BY id').all();

it('an alert for a channel that the program does not have is refused', async () => {
  const reply = { dedupeKey: 'reply:1', channel: 'pigeon', recipient: 'loft', text: 'Done.', customerId: undefined };
  await expect(enqueueReply(state.db, reply, NOW_MS)).rejects.toThrow('Unknown channel: found pigeon');
  expect(outbox()).toEqual([]);
});

describe('an event', () => {
  it('is in the outbox once, however often it is raised, and waits for routing', async () => {
    await enqueueAlert(state.db, EVENT, NOW_MS);
    await enqueueAlert(state.db, { ...EVENT, text: 'Cut again.' }, LATER_MS);
    expect(outbox()).toEqual([{ occasion: 1n, reason: 'event', recipient: null, state: 'pending' }]);
    expect(await readAlert(state.db, EVENT.dedupeKey)).toMatchObject({ kind: 'event', state: 'firing', text: 'Cut.' });
  });

  it('is enqueued with what it reports, or not at all', async () => {
    const work = state.db.transaction().execute(async (trx) => {
      await enqueueAlert(trx, EVENT, NOW_MS);
      throw new Error('the change was not written');
    });
    await expect(work).rejects.toThrow('the change was not written');
    expect(outbox()).toEqual([]);
    expect(await readAlert(state.db, EVENT.dedupeKey)).toBeUndefined();
  });

  it('ends when it is withdrawn from everybody', async () => {
    await enqueueAlert(state.db, EVENT, NOW_MS);
    const [row] = await unaddressedRows(state.db);
    if (!row) throw new Error('Nothing waits.');
    await addressRow(state.db, row, [ANNA, BOB], NOW_MS);
    const [first, second] = await addressedRows(state.db);
    await withdrawRow(state.db, first?.id ?? 0n, { because: 'silenced', why: 'Silenced.' }, NOW_MS);
    expect(await readAlert(state.db, EVENT.dedupeKey)).toMatchObject({ state: 'firing' });
    await withdrawRow(state.db, second?.id ?? 0n, { because: 'silenced', why: 'Silenced.' }, LATER_MS);
    expect(await readAlert(state.db, EVENT.dedupeKey)).toMatchObject({
      state: 'resolved',
      resolvedAt: '2026-11-20T12:01:00Z',
    });
  });
});

describe('a condition', () => {
  it('without a notification has an alert but no outbox row', async () => {
    await recordCondition(state.db, { ...CONDITION, firing: true }, NOW_MS);
    expect(outbox()).toEqual([]);
    expect(await firingAlerts(state.db, 'condition')).toMatchObject([
      { rule: 'stopped', notified: undefined, occasions: 0n },
    ]);
  });

  it('that never fired has no alert', async () => {
    await recordCondition(state.db, { ...CONDITION, firing: false }, NOW_MS);
    expect(await readAlert(state.db, CONDITION.dedupeKey)).toBeUndefined();
  });

  it('fires since it began, whatever is sent meanwhile, and starts anew after it ended', async () => {
    await recordCondition(state.db, { ...CONDITION, firing: true }, NOW_MS);
    await notify(state.db, { ...CONDITION, kind: 'condition', reason: 'repeat', text: 'Still.' }, LATER_MS);
    expect(await readAlert(state.db, CONDITION.dedupeKey)).toMatchObject({
      firedAt: '2026-11-20T12:00:00Z',
      text: 'Still.',
    });
    await recordCondition(state.db, { ...CONDITION, firing: false }, LATER_MS);
    expect(await firingAlerts(state.db)).toEqual([]);
    await recordCondition(state.db, { ...CONDITION, firing: true }, LATER_MS + 60_000);
    expect(await readAlert(state.db, CONDITION.dedupeKey)).toMatchObject({
      state: 'firing',
      firedAt: '2026-11-20T12:02:00Z',
      resolvedAt: undefined,
    });
  });

  it('has an occasion per notification, with its reason and severity', async () => {
    await notify(state.db, { ...CONDITION, kind: 'condition', reason: 'first' }, NOW_MS);
    await notify(state.db, { ...CONDITION, kind: 'condition', reason: 'escalated', severity: 'critical' }, LATER_MS);
    expect(await readAlert(state.db, CONDITION.dedupeKey)).toMatchObject({
      occasions: 2n,
      notified: { at: '2026-11-20T12:01:00Z', as: 'escalated', severity: 'critical' },
    });
    expect(outbox()).toMatchObject([
      { occasion: 1n, reason: 'first' },
      { occasion: 2n, reason: 'escalated' },
    ]);
  });

  it('is resolved once its end is sent, and keeps its last firing text', async () => {
    await notify(state.db, { ...CONDITION, kind: 'condition', reason: 'first' }, NOW_MS);
    await notify(state.db, { ...CONDITION, kind: 'condition', reason: 'resolved', text: 'Over.' }, LATER_MS);
    expect(await readAlert(state.db, CONDITION.dedupeKey)).toMatchObject({
      state: 'resolved',
      text: 'Cut.',
      notified: { as: 'resolved' },
    });
  });

  it('keeps firing after all its messages are sent', async () => {
    await notify(state.db, { ...CONDITION, kind: 'condition', reason: 'first' }, NOW_MS);
    const [row] = await unaddressedRows(state.db);
    await withdrawRow(state.db, row?.id ?? 0n, { because: 'no_recipient', why: 'No route is for it.' }, NOW_MS);
    expect(await readAlert(state.db, CONDITION.dedupeKey)).toMatchObject({ state: 'firing' });
  });
});

describe('an answer', () => {
  it('goes once to the person who asked', async () => {
    const reply = { ...ANNA, dedupeKey: 'reply:SM1', text: 'Done.', customerId: undefined };
    await enqueueReply(state.db, reply, NOW_MS);
    await enqueueReply(state.db, reply, LATER_MS);
    expect(outbox()).toEqual([{ occasion: 1n, reason: 'reply', recipient: ANNA.recipient, state: 'pending' }]);
  });
});

describe('one more address for an alert', () => {
  it('gets its newest occasion, once, and routing does not send it again', async () => {
    await notify(state.db, { ...CONDITION, kind: 'condition', reason: 'first' }, NOW_MS);
    await notify(state.db, { ...CONDITION, kind: 'condition', reason: 'repeat', text: 'Still.' }, NOW_MS);
    expect(await addressAlsoTo(state.db, CONDITION.dedupeKey, ANNA, NOW_MS)).toBe(true);
    expect(await addressAlsoTo(state.db, CONDITION.dedupeKey, ANNA, NOW_MS)).toBe(true);
    const [, newest] = await unaddressedRows(state.db);
    if (!newest) throw new Error('Nothing waits.');
    await addressRow(state.db, newest, [ANNA, BOB], NOW_MS);
    expect((await addressedRows(state.db)).map(({ text, recipient }) => [text, recipient])).toEqual([
      ['Still.', ANNA.recipient],
      ['Still.', BOB.recipient],
    ]);
  });

  it('of an unknown alert is refused', async () => {
    expect(await addressAlsoTo(state.db, 'budget-intent:1:applied', ANNA, NOW_MS)).toBe(false);
  });
});
