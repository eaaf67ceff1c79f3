import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { budgetId } from '../../src/domain/ids.ts';
import { recordFreeze } from '../../src/storage/records/budgets/freeze-record.ts';
import type { StateFile } from '../../src/storage/records/sqlite/open-state.ts';
import { publishWarehouse } from '../../src/storage/warehouse/sqlite/publish.ts';
import { fillWithEvents, tamper } from '../support/audit.ts';
import { freshState, intentAfter, NOW_MS, UNKNOWN } from '../support/state.ts';

const HOUR_MS = 3_600_000;

/** Publishes, and answers questions about what is published. */
async function published(state: StateFile, nowMs = NOW_MS) {
  const path = join(dirname(state.path), 'warehouse.sqlite');
  await publishWarehouse(state, { path, nowMs, describe: () => undefined });
  return (sql: string) => {
    const file = new Database(path, { readonly: true });
    const rows = file.prepare(sql).all() as Record<string, unknown>[];
    file.close();
    return rows;
  };
}

const INSTANT = '[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9] [0-2][0-9]:[0-5][0-9]:[0-5][0-9].000';

describe('published instants', () => {
  it('are in every DATETIME column in the format of SQLAlchemy, RSQLite and JDBC', async () => {
    const rows = await published(await fillWithEvents(await freshState()));
    const columns = rows("SELECT table_name, column_name FROM data_dictionary WHERE type = 'DATETIME'");
    expect(columns.length).toBeGreaterThan(10);
    const others = columns.flatMap(({ table_name, column_name }) =>
      rows(`SELECT ${column_name} AS other FROM ${table_name} WHERE ${column_name} NOT GLOB '${INSTANT}'`),
    );
    expect(others).toEqual([]);
  });

  it('are texts in the chain of events, because its hashes cover them', async () => {
    const rows = await published(await fillWithEvents(await freshState()));
    const created = "table_name = 'budget_event' AND column_name = 'created_at'";
    expect(rows(`SELECT type, unit FROM data_dictionary WHERE ${created}`)).toEqual([
      { type: 'TEXT', unit: 'time (UTC)' },
    ]);
  });
});

describe('published budget changes', () => {
  it('include the whole chain of events, character for character, for verification', async () => {
    const state = await fillWithEvents(await freshState());
    const rows = await published(state);
    const all = 'SELECT * FROM budget_event ORDER BY id';
    const kept = state.connection.prepare(all).safeIntegers(false).all() as Record<string, unknown>[];
    expect(rows(all)).toEqual(kept);
  });

  it('continue where the last file ended', async () => {
    const state = await fillWithEvents(await freshState());
    await published(state);
    await recordFreeze(state.db, { by: 'anna', why: 'a sale' }, NOW_MS);
    await intentAfter(state, UNKNOWN, { budgetId: budgetId('204') });
    const rows = await published(state, NOW_MS + HOUR_MS);
    const all = 'SELECT * FROM budget_event ORDER BY id';
    expect(rows(all)).toEqual(state.connection.prepare(all).safeIntegers(false).all());
    const decided = 'SELECT event_id, kind, reason FROM decision ORDER BY event_id';
    expect(rows(decided)).toEqual(state.connection.prepare(decided).safeIntegers(false).all());
    expect(rows('SELECT budget_id, state FROM budget_intent')).toEqual([
      { budget_id: 201, state: 'applied' },
      { budget_id: 202, state: 'confirmed' },
      { budget_id: 203, state: 'expired' },
      { budget_id: 203, state: 'planned' },
      { budget_id: 204, state: 'unknown' },
    ]);
  });

  it.each([
    ['an event', 'budget_event', "SET actor = 'nobody' WHERE id = 1"],
    ['a decision', 'decision', "SET reason = 'none' WHERE event_id = 1"],
  ])('keep %s as first published, whatever happens to it later', async (_, table, change) => {
    const state = await fillWithEvents(await freshState());
    const all = `SELECT * FROM ${table} ORDER BY 1`;
    const before = (await published(state))(all);
    tamper(state, `UPDATE ${table} ${change}`);
    expect((await published(state, NOW_MS + HOUR_MS))(all)).toEqual(before);
  });

  it('include every decision with amounts, and for made changes the change', async () => {
    const rows = await published(await fillWithEvents(await freshState()));
    expect(rows('SELECT * FROM budget_intent WHERE id = 1')).toEqual([
      {
        id: 1,
        run_id: null,
        kind: 'rule',
        undoes: null,
        customer_id: 1234567890,
        budget_id: 201,
        campaign_id: 21,
        campaign_name: 'Trail Shoes',
        account_day: '2026-11-20',
        currency: 'EUR',
        rule: 'trim',
        rule_version: '1f2e3d4c5b6a',
        actor: 'rule trim@1f2e3d4c5b6a',
        from_micros: 40_000_000,
        from_amount: 40,
        to_micros: 34_000_000,
        to_amount: 34,
        amount_source: 'read',
        declared_micros: null,
        declared_amount: null,
        floor_micros: 5_000_000,
        floor_amount: 5,
        ceiling_micros: 200_000_000,
        ceiling_amount: 200,
        state: 'applied',
        code: null,
        reason: 'cost / clicks = 2.71 > 2.50',
        outcome: null,
        created_at: '2026-11-20 12:00:00.000',
        updated_at: '2026-11-20 12:00:03.000',
      },
    ]);
    const made = { kind: 'rule', actor: 'rule trim@1f2e3d4c5b6a', rule_version: '1f2e3d4c5b6a', to_amount: 34 };
    expect(rows('SELECT id, kind, actor, rule_version, to_amount, state FROM budget_change')).toEqual([
      { id: 1, ...made, state: 'applied' },
      { id: 2, ...made, state: 'confirmed' },
    ]);
  });

  it('include every proposal and every change by someone else', async () => {
    const rows = await published(await fillWithEvents(await freshState()));
    expect(rows('SELECT code, state, from_amount, to_amount, intent_id, decided_by FROM budget_proposal')).toEqual([
      { code: 'K7MX', state: 'approved', from_amount: 40, to_amount: 34, intent_id: 3, decided_by: 'anna' },
      { code: 'K7MY', state: 'open', from_amount: 40, to_amount: 34, intent_id: null, decided_by: null },
    ]);
    expect(
      rows('SELECT id, event_id, budget_id, account_day, expected_amount, found_amount FROM foreign_change'),
    ).toEqual([
      { id: 1, event_id: 10, budget_id: 202, account_day: '2026-11-20', expected_amount: 34, found_amount: 50 },
    ]);
  });

  it('omit the wording of a rule if it is unknown', async () => {
    const state = await fillWithEvents(await freshState());
    await intentAfter(state, [], { budgetId: budgetId('204'), ruleVersion: '' });
    const rows = await published(state);
    expect(rows('SELECT rule_version FROM budget_intent WHERE budget_id = 204')).toEqual([{ rule_version: null }]);
  });
});
