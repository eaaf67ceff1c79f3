import { describe, expect, it } from 'vitest';
import { addressPending } from '../../src/alerts/address-pending.ts';
import { CHANNEL_NAMES } from '../../src/channels/channels.ts';
import type { AlertRecipient, AlertSettings } from '../../src/config/alert-settings.ts';
import { customerId } from '../../src/domain/ids.ts';
import {
  addressAlsoTo,
  enqueueAlert,
  enqueueReply,
  type NewAlert,
  notify,
  readAlert,
  recordCondition,
} from '../../src/storage/records/alerts/alert-table.ts';
import { endSilence, insertSilence, type NewSilence } from '../../src/storage/records/alerts/silence-table.ts';
import { decideProposal, insertProposal } from '../../src/storage/records/budgets/proposal-table.ts';
import { type AnyStore, freshStore, NOW_MS, someIntent } from '../support/state.ts';

const EUR = customerId('1234567890');
const HOUR_MS = 3_600_000;
const someone = (name: string, messages: string | undefined, graph?: string): AlertRecipient => ({
  name,
  timeZone: 'UTC',
  quietHours: undefined,
  addresses: new Map([
    ...(messages === undefined ? [] : [['messages', messages] as const]),
    ...(graph === undefined ? [] : [['graph', graph] as const]),
  ]),
});
const ANNA = someone('anna', 'whatsapp:+15005550002', '15005550002');
const BEN = someone('ben', undefined, '4915112345678');
const SETTINGS: AlertSettings = {
  recipients: [ANNA, BEN],
  routes: [],
  approvers: [],
  reports: new Map(),
  timeZone: 'UTC',
  digestAt: undefined,
  cooldownMs: HOUR_MS,
  repeatMs: 24 * HOUR_MS,
  undeliveredMs: HOUR_MS / 2,
};
const ALERT: NewAlert = { dedupeKey: 'k', severity: 'warning', customerId: EUR, text: 'It is so.', rule: 'trim' };
const CONDITION = { ...ALERT, dedupeKey: 'rule:trim:1234567890:campaign/21', kind: 'condition' as const };
const SILENCE: NewSilence = {
  customerId: undefined,
  rule: 'trim',
  severity: undefined,
  createdBy: 'anna',
  why: 'a sale',
  expiresAtMs: NOW_MS + HOUR_MS,
};

const address = (state: AnyStore, settings: Partial<AlertSettings> = {}, nowMs = NOW_MS) =>
  addressPending({ db: state.db, alerts: { ...SETTINGS, ...settings }, channels: CHANNEL_NAMES, nowMs });
const rows = ({ db }: AnyStore) =>
  db.selectFrom('outbox').select(['channel', 'recipient', 'state', 'error']).orderBy('id').execute();
const waits = (channel: string, recipient: string | undefined) => ({
  channel,
  recipient,
  state: 'pending',
  error: undefined,
});
const withdrawn = (error: string) => expect.objectContaining({ state: 'withdrawn', error });
const TO_ALL = [waits('messages', 'whatsapp:+15005550002'), waits('graph', '4915112345678')];
const SILENCED = 'Silenced by anna until 2026-11-20 13:00 UTC (S1): a sale';

describe('a waiting alert in the outbox', () => {
  it('goes once to each recipient, by the first available channel', async () => {
    const state = await freshStore();
    await enqueueAlert(state.db, ALERT, NOW_MS);
    await address(state);
    await address(state);
    expect(await rows(state)).toEqual(TO_ALL);
  });

  it('waits while there are no recipients, and goes out once there are', async () => {
    const state = await freshStore();
    await enqueueAlert(state.db, ALERT, NOW_MS);
    await address(state, { recipients: [] });
    expect(await rows(state)).toEqual([waits('messages', undefined)]);
    await address(state);
    expect(await rows(state)).toEqual(TO_ALL);
  });

  it('is withdrawn, with the reason, if no route matches', async () => {
    const state = await freshStore();
    await enqueueAlert(state.db, ALERT, NOW_MS);
    await address(state, {
      routes: [{ to: ['ben'], severities: ['critical'], accounts: undefined, rules: undefined }],
    });
    expect(await rows(state)).toEqual([withdrawn('No route in alerts.routes matches this alert.')]);
    expect(await readAlert(state.db, 'k')).toMatchObject({ state: 'resolved' });
  });

  it.each<[sentence: string, silence: Partial<NewSilence>, silenced: boolean]>([
    ['is withdrawn if its rule is silenced, with who silenced it and why', {}, true],
    ['goes out if the silence is over', { expiresAtMs: NOW_MS }, false],
    ['goes out if the silence is for another severity', { severity: 'info' }, false],
  ])('%s', async (_sentence, other, silenced) => {
    const state = await freshStore();
    await insertSilence(state.db, { ...SILENCE, ...other }, NOW_MS - HOUR_MS);
    await enqueueAlert(state.db, ALERT, NOW_MS);
    await address(state);
    expect(await rows(state)).toEqual(silenced ? [withdrawn(SILENCED)] : TO_ALL);
  });

  it('is withdrawn by a silence even if addressed; its condition counts as not reported', async () => {
    const state = await freshStore();
    await notify(state.db, { ...CONDITION, reason: 'first' }, NOW_MS);
    await address(state);
    await insertSilence(state.db, SILENCE, NOW_MS);
    await address(state);
    expect(await rows(state)).toEqual([withdrawn(SILENCED), withdrawn(SILENCED)]);
    expect(await readAlert(state.db, CONDITION.dedupeKey)).toMatchObject({ state: 'firing', notified: undefined });
  });

  it('ignores silences if it is a digest or an answer to a person', async () => {
    const state = await freshStore();
    await insertSilence(state.db, { ...SILENCE, rule: undefined }, NOW_MS);
    const digest = {
      ...ALERT,
      dedupeKey: 'digest:ben:2026-11-20',
      recipientName: 'ben',
      kind: 'digest',
      reason: 'digest',
    } as const;
    await notify(state.db, { ...digest, severity: 'info' }, NOW_MS);
    const answer = { dedupeKey: 'reply:1', channel: 'graph', recipient: '4917012345678', customerId: EUR } as const;
    await enqueueReply(state.db, { ...answer, text: 'Done.' }, NOW_MS);
    await address(state);
    expect((await rows(state)).toSorted((a, b) => Number(a.recipient) - Number(b.recipient))).toEqual([
      waits('graph', '4915112345678'),
      waits('graph', '4917012345678'),
    ]);
  });

  it('still goes to a person who asked for it; a silence withdraws it for everybody else', async () => {
    const state = await freshStore();
    await insertSilence(state.db, SILENCE, NOW_MS);
    await enqueueAlert(state.db, ALERT, NOW_MS);
    await addressAlsoTo(state.db, 'k', { channel: 'graph', recipient: '4917012345678' }, NOW_MS);
    await address(state);
    expect(await rows(state)).toEqual([withdrawn(SILENCED), waits('graph', '4917012345678')]);
  });

  it('waits again at a silenced address that has asked for it since', async () => {
    const state = await freshStore();
    await enqueueAlert(state.db, ALERT, NOW_MS);
    await address(state);
    await insertSilence(state.db, SILENCE, NOW_MS);
    await address(state);
    await addressAlsoTo(state.db, 'k', { channel: 'graph', recipient: '4915112345678' }, NOW_MS);
    await address(state);
    expect(await rows(state)).toEqual([withdrawn(SILENCED), waits('graph', '4915112345678')]);
    expect(await readAlert(state.db, 'k')).toMatchObject({ state: 'firing' });
  });

  it('is withdrawn if it is the digest of a former recipient', async () => {
    const state = await freshStore();
    const digest = {
      ...ALERT,
      dedupeKey: 'digest:carl:2026-11-20',
      recipientName: 'carl',
      kind: 'digest',
      reason: 'digest',
    } as const;
    await notify(state.db, digest, NOW_MS);
    await address(state);
    expect(await rows(state)).toEqual([withdrawn('carl is no longer a recipient.')]);
  });

  it.each(['decided on', 'expired'])('is withdrawn if its proposal was %s before it was sent', async (end) => {
    const state = await freshStore();
    const { kind: _kind, undoes: _undoes, actor: _actor, ...change } = someIntent();
    const expiresAtMs = NOW_MS + HOUR_MS;
    const proposal = await insertProposal(state.db, undefined, { ...change, expiresAtMs }, NOW_MS);
    await enqueueAlert(
      state.db,
      { ...ALERT, dedupeKey: `proposal:${proposal?.code}`, proposalCode: proposal?.code },
      NOW_MS,
    );
    await address(state);
    expect(await rows(state)).toEqual(TO_ALL);
    if (end === 'decided on')
      await decideProposal(state.db, `${proposal?.code}`, { state: 'rejected', by: 'anna' }, NOW_MS);
    await address(state, {}, end === 'expired' ? expiresAtMs : NOW_MS);
    const pointless = withdrawn('The proposal no longer awaits approval.');
    expect(await rows(state)).toEqual([pointless, pointless]);
  });

  it('that reports an end goes to those who received the start, whatever the routes are now', async () => {
    const state = await freshStore();
    await notify(state.db, { ...CONDITION, reason: 'first' }, NOW_MS);
    await address(state, { recipients: [BEN] });
    await state.db.updateTable('outbox').set({ state: 'accepted' }).execute();
    await notify(state.db, { ...CONDITION, reason: 'resolved' }, NOW_MS);
    const routes = [{ to: ['anna'], severities: undefined, accounts: undefined, rules: undefined }];
    await address(state, { routes });
    expect((await rows(state)).slice(1)).toEqual([waits('graph', '4915112345678')]);
  });

  it('that reports an end follows the routes if another alert reported the start', async () => {
    const state = await freshStore();
    await recordCondition(state.db, { ...CONDITION, firing: true }, NOW_MS);
    await notify(state.db, { ...CONDITION, reason: 'resolved' }, NOW_MS);
    await address(state);
    expect(await rows(state)).toEqual(TO_ALL);
  });
});

describe('a silence', () => {
  it('can be ended once by a person, and not after it has expired', async () => {
    const { db } = await freshStore();
    const { id } = await insertSilence(db, SILENCE, NOW_MS);
    expect(await endSilence(db, 99n, 'ben', NOW_MS)).toBeUndefined();
    expect(await endSilence(db, id, 'ben', NOW_MS + HOUR_MS)).toBeUndefined();
    expect(await endSilence(db, id, 'ben', NOW_MS)).toMatchObject({ endedBy: 'ben', endedAt: '2026-11-20T12:00:00Z' });
    expect(await endSilence(db, id, 'ben', NOW_MS)).toBeUndefined();
  });
});
