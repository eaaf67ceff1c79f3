import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { customerId } from '../../src/domain/ids.ts';
import { RECORD_TABLES } from '../../src/storage/records/record-tables.ts';
import { knownAccount, knownAccountsThrough, upsertAccounts } from '../../src/storage/records/runs/account-table.ts';
import { freshState, NOW_MS } from '../support/state.ts';

const HIGHEST = customerId('9223372036854775807');
const NOTHING = { name: undefined, currency: undefined, timeZone: undefined };

it('each column and table of the state has its old name in SQL', async () => {
  const { db } = await freshState();
  for (const [table, columns] of RECORD_TABLES) {
    const list = [table, ...columns].map((name) => `'' AS ${name}`).join(', ');
    const { rows } = await sql<Record<string, string>>`SELECT ${sql.raw(list)}`.execute(db);
    const [camelTable = '', ...names] = Object.keys(rows[0] ?? {});
    expect([camelTable, ...names].filter((name) => name.includes('_'))).toEqual([]);
    const refs = sql.join(names.map((name) => sql.ref(name)));
    const statement = sql`SELECT ${refs} FROM ${sql.table(camelTable)}`.compile(db).sql;
    expect(statement).toBe(`SELECT ${columns.map((column) => `"${column}"`).join(', ')} FROM "${table}"`);
  }
});

describe('an id', () => {
  it('is an integer in the file and the same text before and after, up to the largest', async () => {
    const { db, connection } = await freshState();
    const account = { ...NOTHING, customerId: HIGHEST, loginCustomerId: HIGHEST };
    await upsertAccounts(db, [account], NOW_MS);
    const types = 'SELECT typeof(customer_id), typeof(login_customer_id), customer_id FROM account';
    expect(connection.prepare(types).raw().get()).toEqual(['integer', 'integer', 2n ** 63n - 1n]);
    expect(await knownAccount(db, HIGHEST)).toMatchObject(account);
    expect(await knownAccountsThrough(db, HIGHEST)).toMatchObject([account]);
    const ids = [customerId('1'), HIGHEST];
    expect(await db.selectFrom('account').select('customerId').where('customerId', 'in', ids).execute()).toEqual([
      { customerId: HIGHEST },
    ]);
  });

  it('is text in results of hand-written statements, and row counts are not', async () => {
    const { db } = await freshState();
    const { rows } = await sql`SELECT 12 AS budget_id, 13 AS campaign_id, 14 AS run_id, 'a' AS rule_2`.execute(db);
    expect(rows).toEqual([{ budgetId: '12', campaignId: '13', runId: 14n, rule2: 'a' }]);
  });

  it('uses the index although it is bound as text', async () => {
    const { db, connection } = await freshState();
    const ofDay = db.selectFrom('budgetIntent').select('id').where('customerId', '=', HIGHEST);
    const { sql: statement, parameters } = ofDay.compile();
    const plan = connection.prepare(`EXPLAIN QUERY PLAN ${statement}`).all(...parameters);
    expect(plan).toMatchObject([{ detail: expect.stringMatching(/USING (COVERING )?INDEX .*\(customer_id=\?\)/) }]);
  });

  it('is refused by the table if it is not an integer', async () => {
    const { connection } = await freshState();
    const insert = connection.prepare("INSERT INTO account (customer_id, seen_at) VALUES (?, '2026-11-20T12:00:00Z')");
    expect(() => insert.run('9223372036854775808')).toThrow(/datatype mismatch|cannot store/);
  });
});

describe('a missing value', () => {
  it('reads as undefined from any statement', async () => {
    const { db } = await freshState();
    await upsertAccounts(db, [{ ...NOTHING, customerId: HIGHEST }], NOW_MS);
    expect(await db.selectFrom('account').select(['name', 'loginCustomerId']).execute()).toStrictEqual([
      { name: undefined, loginCustomerId: undefined },
    ]);
    const { rows } = await sql`SELECT name, max(time_zone) AS time_zone FROM account`.execute(db);
    expect(rows).toStrictEqual([{ name: undefined, timeZone: undefined }]);
  });

  it('clears a known value', async () => {
    const { db } = await freshState();
    const known = { customerId: HIGHEST, name: 'Shop', currency: 'EUR', timeZone: 'UTC' };
    await upsertAccounts(db, [{ ...known, loginCustomerId: customerId('1'), status: 'ENABLED' }], NOW_MS);
    await upsertAccounts(db, [{ ...NOTHING, customerId: HIGHEST }], NOW_MS);
    expect(await knownAccount(db, HIGHEST)).toEqual({
      ...NOTHING,
      customerId: HIGHEST,
      loginCustomerId: undefined,
      status: undefined,
    });
  });
});
