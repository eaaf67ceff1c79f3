import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { budgetId } from '../../../src/domain/ids.ts';
import {
  allEvents,
  appendEvent,
  type BudgetEvent,
  eventsOf,
} from '../../../src/storage/records/budgets/event-table.ts';
import { moveIntent } from '../../../src/storage/records/budgets/intent-table.ts';
import { isBusy } from '../../../src/storage/records/is-busy.ts';
import { type AnyStore, byEngine, freshStore, intentAfter, NOW_MS } from '../../support/state.ts';

async function eventsIn(state: AnyStore): Promise<BudgetEvent[]> {
  const events: BudgetEvent[] = [];
  for await (const event of allEvents(state.db)) events.push(event);
  return events;
}

/** As somebody else would, with nothing but the file: the engine writes the text, and any SHA-256 will do. */
function recomputed({ connection }: AnyStore): unknown[] {
  const text = byEngine({
    sqlite: 'json_array(id, intent_id, kind, actor, detail, created_at, previous_hash)',
    postgres: `concat('[', concat_ws(',', id, coalesce(intent_id::text, 'null'), to_json(kind), to_json(actor),
      to_json(detail), to_json(created_at), to_json(previous_hash)), ']')`,
  });
  const texts = connection.prepare(`SELECT ${text} FROM budget_event ORDER BY id`).pluck().all() as string[];
  return texts.map((line) => createHash('sha256').update(line).digest('hex'));
}

describe('the chain of events', () => {
  it('records who did what, why, and what was read, sent and answered', async () => {
    const state = await freshStore();
    const intent = await intentAfter(state, ['validated']);
    const detail = { sent: { amount_micros: intent.to }, answer: { request_id: 'r-1' }, to_micros: 'not this' };
    await moveIntent(state.db, intent, { to: 'sending', actor: 'anna', detail }, NOW_MS + 5000);
    const [planned, , sending] = await eventsOf(state.db, intent.id);
    expect(planned).toMatchObject({ id: 1n, kind: 'planned', actor: 'rule trim@1f2e3d4c5b6a' });
    expect(planned?.detail).toBe(
      '{"account_day":"2026-11-20","amount_source":"read","budget_id":"201","campaign_id":"21","campaign_name":"Trail Shoes",' +
        '"ceiling_micros":"200000000","code":null,"currency":"EUR","customer_id":"1234567890","declared_micros":null,' +
        '"floor_micros":"5000000","from_micros":"40000000","intent_kind":"rule","origin":"rule","outcome":null,' +
        '"reason":"cost / clicks = 2.71 > 2.50","rule":"trim","rule_version":"1f2e3d4c5b6a","run_id":null,"state":"planned",' +
        '"to_micros":"34000000","undoes":null,"version":2}',
    );
    expect(sending).toMatchObject({ kind: 'sending', actor: 'anna', createdAt: '2026-11-20T12:00:05Z' });
    expect(sending?.detail).toBe(
      '{"account_day":"2026-11-20","answer":{"request_id":"r-1"},"budget_id":"201","code":null,"currency":"EUR",' +
        '"customer_id":"1234567890","from_micros":"40000000","outcome":null,"sent":{"amount_micros":"34000000"},' +
        '"state_before":"validated","to_micros":"34000000","version":2}',
    );
  });

  it('can be recomputed by anyone, whatever it contains', async () => {
    const state = await freshStore();
    const control = String.fromCharCode(...Array.from({ length: 32 }, (_, code) => code));
    const odd = [`${control}\u007f`, '"\\/\'', 'Zoë 😀\u2028\ufeff', 'half a pair: \ud800', '</script>'];
    for (const text of odd) {
      await appendEvent(state.db, { kind: 'frozen', actor: text, detail: { why: text, [text]: [text, 1] } }, NOW_MS);
    }
    await intentAfter(state, ['validated']);
    const events = await eventsIn(state);
    expect(recomputed(state)).toEqual(events.map(({ hash }) => hash));
    expect(events.map(({ previousHash }) => previousHash)).toEqual([
      '0'.repeat(64),
      ...events.slice(0, -1).map(({ hash }) => hash),
    ]);
  });

  it('is read in full at any length', async () => {
    const state = await freshStore();
    await state.db.transaction().execute(async (trx) => {
      for (let left = 2001; left > 0; left--) {
        await appendEvent(trx, { kind: 'frozen', actor: 'anna', detail: {} }, NOW_MS);
      }
    });
    const ids = (await eventsIn(state)).map(({ id }) => id);
    expect(ids).toEqual(Array.from({ length: 2001 }, (_, index) => BigInt(index + 1)));
  });

  const TAMPERING = [
    ["UPDATE budget_event SET actor = 'nobody' WHERE id = 1", 'an event is never changed'],
    ['DELETE FROM budget_event WHERE id = 2', 'an event is never deleted'],
    [
      `INSERT ${byEngine({ sqlite: 'OR REPLACE ', postgres: '' })}INTO budget_event SELECT * FROM budget_event WHERE id = 1`,
      'an event follows the last one',
    ],
    [
      'INSERT INTO budget_event SELECT 3, intent_id, kind, actor, detail, created_at, previous_hash, hash FROM budget_event WHERE id = 2',
      'an event follows the last one',
    ],
    [
      'INSERT INTO budget_event SELECT 9, intent_id, kind, actor, detail, created_at, hash, hash FROM budget_event WHERE id = 2',
      'an event follows the last one',
    ],
  ] as const;
  it.each(TAMPERING)('refuses %s', async (statement, words) => {
    const state = await freshStore();
    await intentAfter(state, ['validated']);
    const before = await eventsIn(state);
    expect(() => state.connection.exec(statement)).toThrow(`budget_event only grows: ${words}`);
    expect(await eventsIn(state)).toEqual(before);
  });

  it('does not fork when two processes write at the same time', async () => {
    // Both live in one thread here: to wait for the other one would be to wait for oneself.
    const one = await freshStore(undefined, 0);
    const other = await freshStore(one.place, 0);
    let refusals = 0;
    const append = async (state: AnyStore, actor: string): Promise<void> => {
      try {
        await appendEvent(state.db, { kind: 'frozen', actor, detail: {} }, NOW_MS);
      } catch (error) {
        if (!isBusy(error)) throw error;
        refusals++;
        await setImmediate();
        await append(state, actor);
      }
    };
    for (let round = 0; round < 50; round++) {
      await Promise.all([append(one, 'one'), append(other, 'other'), append(other, 'other'), append(one, 'one')]);
    }
    expect(refusals).toBeGreaterThan(10);
    const events = await eventsIn(one);
    expect(events.map(({ id }) => id)).toEqual(Array.from({ length: 200 }, (_, index) => BigInt(index + 1)));
    expect(new Set(events.map(({ previousHash }) => previousHash)).size).toBe(200);
    expect(recomputed(other)).toEqual(events.map(({ hash }) => hash));
  });

  it('lets a transaction that read before writing finish, despite other writers', async () => {
    const one = await freshStore();
    const other = await freshStore(one.place, 0);
    const intent = await intentAfter(one, ['validated']);
    const freeze = () => appendEvent(other.db, { kind: 'frozen', actor: 'anna', detail: {} }, NOW_MS);
    await one.db.transaction().execute(async (trx) => {
      expect(await eventsOf(trx, intent.id)).toHaveLength(2);
      await expect(freeze()).rejects.toSatisfy(isBusy);
      await moveIntent(trx, intent, { to: 'sending' }, NOW_MS);
    });
    await freeze();
    expect((await eventsIn(one)).map(({ kind }) => kind)).toEqual(['planned', 'validated', 'sending', 'frozen']);
  });

  it('is read without waiting for a writer', async () => {
    const one = await freshStore();
    const other = await freshStore(one.place, 0);
    await intentAfter(one, [], { budgetId: budgetId('202') });
    await one.db.transaction().execute(async (trx) => {
      await appendEvent(trx, { kind: 'frozen', actor: 'anna', detail: {} }, NOW_MS);
      const seen = other.db.transaction().setAccessMode('read only');
      expect(await seen.execute((reader) => eventsOf(reader, 1n))).toHaveLength(1);
    });
  });

  it('opens without waiting for another process’s write', async () => {
    const one = await freshStore();
    await one.db.transaction().execute(async (trx) => {
      await appendEvent(trx, { kind: 'frozen', actor: 'anna', detail: {} }, NOW_MS);
      expect(await eventsIn(await freshStore(one.place, 0))).toEqual([]);
    });
  });
});
