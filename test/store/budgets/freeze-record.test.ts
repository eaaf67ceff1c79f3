import { describe, expect, it } from 'vitest';
import { freezeState, recordFreeze, recordUnfreeze } from '../../../src/storage/records/budgets/freeze-record.ts';
import { freshStore, NOW_MS } from '../../support/state.ts';

describe('the record of a freeze', () => {
  it('shows who, when and why, until somebody ends it', async () => {
    const state = await freshStore();
    expect(await freezeState(state.db)).toBeUndefined();
    await recordFreeze(state.db, { by: 'anna', why: 'budget review' }, NOW_MS);
    expect(await freezeState(state.db)).toEqual({ by: 'anna', at: '2026-11-20T12:00:00Z', why: 'budget review' });
    await recordFreeze(state.db, { by: 'ben', why: 'a sale' }, NOW_MS + 1000);
    expect(await freezeState(state.db)).toMatchObject({ by: 'ben', why: 'a sale' });
    expect(await recordUnfreeze(state.db, { by: 'anna', why: 'all well' }, NOW_MS + 2000)).toBe(0);
    expect(await freezeState(state.db)).toBeUndefined();
    expect(await recordUnfreeze(state.db, { by: 'anna', why: 'all well' }, NOW_MS + 3000)).toBeUndefined();
    const events = state.connection.prepare('SELECT kind, actor, detail FROM budget_event ORDER BY id').all();
    expect(events).toEqual([
      { kind: 'frozen', actor: 'anna', detail: '{"version":2,"why":"budget review"}' },
      { kind: 'frozen', actor: 'ben', detail: '{"version":2,"why":"a sale"}' },
      { kind: 'unfrozen', actor: 'anna', detail: '{"version":2,"why":"all well"}' },
    ]);
  });

  it('is visible to another process at once', async () => {
    const one = await freshStore();
    const other = await freshStore(one.place);
    await recordFreeze(other.db, { by: 'anna', why: 'now' }, NOW_MS);
    expect(await freezeState(one.db)).toMatchObject({ why: 'now' });
  });
});
