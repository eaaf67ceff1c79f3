import { beforeEach, describe, expect, it } from 'vitest';
import { enqueueAlert, type Notification, notify } from '../../../src/storage/records/alerts/alert-table.ts';
import { withdrawFirings } from '../../../src/storage/records/alerts/condition-table.ts';
import { claimMessage, recordNotThere, recordOutcome } from '../../../src/storage/records/alerts/message-outcome.ts';
import { insertMessage, messageById } from '../../../src/storage/records/alerts/message-table.ts';
import { addressedRows, addressRow, unaddressedRows } from '../../../src/storage/records/alerts/outbox-table.ts';
import { type AnyStore, freshStore, NOW_MS } from '../../support/state.ts';

const ANNA = { channel: 'messages', recipient: 'whatsapp:+4915112345678' } as const;
const ALERT = { severity: 'warning', customerId: undefined } as const;
const FIRING: Notification = {
  ...ALERT,
  dedupeKey: 'rule:stopped:1:account',
  rule: 'stopped',
  text: 'Stopped.',
  kind: 'condition',
  reason: 'first',
};

let state: AnyStore;
let message: bigint;
/** A condition and an event that wait in one message. */
beforeEach(async () => {
  state = await freshStore();
  await notify(state.db, FIRING, NOW_MS);
  await enqueueAlert(state.db, { ...ALERT, dedupeKey: 'e', text: 'Cut.' }, NOW_MS);
  for (const row of await unaddressedRows(state.db)) await addressRow(state.db, row, [ANNA], NOW_MS);
  const rowIds = (await addressedRows(state.db)).map(({ id }) => id);
  message = await insertMessage(state.db, { ...ANNA, text: 'Both.', reference: 'ACDEFGHJ', rowIds }, NOW_MS);
});

const over = () => withdrawFirings(state.db, 1n, { because: 'condition_over', why: 'It was over before.' }, NOW_MS);
const rows = () => state.connection.prepare('SELECT text, state FROM outbox ORDER BY id').all();

async function requested(kind: 'not_processed' | 'unknown' | undefined): Promise<bigint> {
  const attempt = (await claimMessage(state.db, message, 'a process', NOW_MS)) ?? 0n;
  if (kind) await recordOutcome(state.db, message, attempt, { kind, error: 'No.', code: undefined }, NOW_MS);
  return attempt;
}

describe('a condition that ended', () => {
  it.each(['before its message was sent', 'after its message was surely not processed'])(
    'is withdrawn %s, if nobody has heard of it, and the rows that waited with it keep waiting',
    async (when) => {
      if (when.startsWith('after')) await requested('not_processed');
      expect(await over()).toBeUndefined();
      expect(await messageById(state.db, message)).toBeUndefined();
      expect(rows()).toEqual([
        { text: 'Stopped.', state: 'withdrawn' },
        { text: 'Cut.', state: 'pending' },
      ]);
    },
  );

  it('may have been heard while its message is being sent', async () => {
    await requested(undefined);
    expect(await over()).toMatchObject({ as: 'first' });
    expect(rows()).toMatchObject([{ state: 'sending' }, { state: 'sending' }]);
  });

  it('may have been heard while its message waits again after a possible delivery', async () => {
    await recordNotThere(state.db, message, await requested('unknown'), NOW_MS);
    expect(await over()).toMatchObject({ as: 'first' });
    expect(rows()).toMatchObject([{ state: 'pending' }, { state: 'pending' }]);
  });
});
