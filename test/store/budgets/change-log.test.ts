import { expect, it } from 'vitest';
import { budgetId, campaignId, customerId } from '../../../src/domain/ids.ts';
import { civilDate } from '../../../src/domain/parse-civil-date.ts';
import { type LogFilter, type LogPlace, logCounts, logRows } from '../../../src/storage/records/budgets/change-log.ts';
import { recordFreeze, recordUnfreeze } from '../../../src/storage/records/budgets/freeze-record.ts';
import { moveIntent } from '../../../src/storage/records/budgets/intent-table.ts';
import { decideProposal, insertProposal } from '../../../src/storage/records/budgets/proposal-table.ts';
import { budgetHistory, logEntries } from '../../../src/views/change-log.ts';
import { APPLIED, freshStore, intentAfter, NOW_MS, someIntent } from '../../support/state.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const HOSTILE = `<b>o'hara</b> "; --`;

/** A change, its undo, a rejected, an approved and an open request, and a freeze that a hostile name ended a day later. */
async function worked() {
  const { db } = await freshStore();
  await intentAfter({ db }, APPLIED);
  const undo = { kind: 'undo', undoes: 1n, actor: 'anna', accountDay: civilDate('2026-11-21') } as const;
  await intentAfter({ db }, APPLIED, { ...undo, why: 'a sale' });
  const codes = ['K7MA', 'K7MB', 'K7MC'];
  for (const [index, code] of codes.entries()) {
    const proposal = { ...someIntent({ budgetId: budgetId(`30${index}`), rule: 'ask' }), expiresAtMs: NOW_MS + DAY };
    await insertProposal(db, undefined, proposal, NOW_MS, () => code);
  }
  await decideProposal(db, 'K7MA', { state: 'rejected', by: 'jonas', why: 'no' }, NOW_MS + HOUR);
  const approved = { origin: 'approval', actor: 'approved by anna', rule: 'ask', budgetId: budgetId('301') } as const;
  const made = await intentAfter({ db }, [], { ...approved, campaignId: campaignId('31') });
  await decideProposal(db, 'K7MB', { state: 'approved', by: 'anna', why: 'yes', intentId: made.id }, NOW_MS + HOUR);
  await moveIntent(db, made, { to: 'expired', code: 'LATE' }, NOW_MS + HOUR);
  await recordFreeze(db, { by: 'rosa', why: 'prices' }, NOW_MS + HOUR);
  await recordUnfreeze(db, { by: HOSTILE, why: 'fine' }, NOW_MS + DAY);
  return db;
}

const ALL = ['unfreeze', 'freeze', 'approval', 'rejection', 'request', 'undo', 'change'];

it('a change or a request is one entry, beside the acts of people', async () => {
  const db = await worked();
  const kinds = async (filter: LogFilter, place: Omit<LogPlace, 'limit'> = {}, limit = 100) =>
    (await logRows(db, filter, { ...place, limit })).map(({ kind }) => kind);
  expect(await kinds({})).toEqual(ALL);
  const cases: readonly (readonly [LogFilter, readonly string[]])[] = [
    [{ by: 'anna' }, ['approval', 'undo']],
    [{ by: 'jonas' }, ['rejection']],
    [{ by: HOSTILE }, ['unfreeze']],
    [{ by: 'nobody' }, []],
    [{ rule: 'trim' }, ['change']],
    [{ rule: 'ask' }, ['approval', 'rejection', 'request']],
    [{ rule: HOSTILE }, []],
    [{ customers: [customerId('1234567890')] }, ['approval', 'rejection', 'request', 'undo', 'change']],
    [{ customers: [customerId('99')] }, []],
    [{ campaignId: campaignId('31') }, ['approval']],
    [{ from: civilDate('2026-11-21') }, ['unfreeze']],
    [{ to: civilDate('2026-11-20') }, ALL.slice(1)],
    [{ from: civilDate('2026-11-22') }, []],
    [{ kinds: ['freeze', 'unfreeze'], by: 'rosa' }, ['freeze']],
    [{ kinds: ['refusal'] }, []],
  ];
  for (const [filter, expected] of cases) expect([filter, await kinds(filter)]).toEqual([filter, expected]);
});

it('pages before and after an event have no gap and no entry twice', async () => {
  const db = await worked();
  const all = (await logRows(db, {}, { limit: 100 })).map(({ eventId }) => eventId);
  const forward: bigint[] = [];
  for (let before: bigint | undefined; forward.length < all.length; before = forward.at(-1)) {
    const page = await logRows(db, {}, { limit: 2, before });
    expect(page.length).toBeGreaterThan(0);
    forward.push(...page.map(({ eventId }) => eventId));
  }
  expect(forward).toEqual(all);
  const newer = await logRows(db, {}, { limit: 2, after: all[3] });
  expect(newer.map(({ eventId }) => eventId)).toEqual(all.slice(1, 3));
  expect(await logRows(db, {}, { limit: 2, before: 1n })).toEqual([]);
});

it('counts equal the rows, by kind, state, person and rule', async () => {
  const db = await worked();
  const counts = await logCounts(db, {});
  expect(counts.reduce((sum, { count }) => sum + count, 0n)).toBe(BigInt(ALL.length));
  expect(counts).toContainEqual(
    expect.objectContaining({ kind: 'approval', state: 'expired', person: 'anna', rule: 'ask', count: 1n }),
  );
  expect(counts).toContainEqual(expect.objectContaining({ kind: 'undo', state: 'applied', rule: undefined }));
});

it('entries have the reasons of people and all events, also those before an approval', async () => {
  const db = await worked();
  const entries = await logEntries(db, [], await logRows(db, {}, { limit: 100 }));
  const one = (wanted: string) => entries.find(({ kind }) => kind === wanted);
  expect(one('approval')?.change?.why).toBe('yes');
  expect(one('approval')?.steps.map(({ kind }) => kind)).toEqual(['proposed', 'planned', 'approved', 'expired']);
  expect(one('rejection')?.proposal?.why).toBe('no');
  expect(one('rejection')?.steps.map(({ kind }) => kind)).toEqual(['proposed', 'declined']);
  expect(one('undo')?.change?.why).toBe('a sale');
  expect(one('change')?.change?.undoneBy?.actor).toBe('anna');
});

it('the history of budgets lists the newest entries within the limit, without open requests', async () => {
  const db = await worked();
  const { changes, rejections, events } = await budgetHistory(db, undefined, { limit: 4 });
  expect(events.map(({ kind }) => kind)).toEqual(['unfrozen', 'frozen']);
  expect([changes.map(({ id }) => id), rejections.map(({ code }) => code)]).toEqual([[3n], ['K7MA']]);
});
