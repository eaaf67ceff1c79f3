import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { RESERVED_TABLE_NAMES } from '../../src/language/gaql/query-file.ts';
import { publishWarehouse } from '../../src/storage/warehouse/sqlite/publish.ts';
import { freshState, NOW_MS } from '../support/state.ts';
import { tempDir } from '../support/temp-dir.ts';

const TABLES =
  "SELECT name FROM sqlite_schema WHERE type IN ('table', 'index') AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'kysely_%' AND name NOT LIKE 'ix_%'";

describe('names reserved from query files', () => {
  it('include every table and index of the program, published or not', async () => {
    const state = await freshState();
    const path = join(tempDir(), 'warehouse.sqlite');
    await publishWarehouse(state, { path, nowMs: NOW_MS, describe: () => undefined });
    const file = new Database(path, { readonly: true });
    const names = [...state.connection.prepare(TABLES).pluck().all(), ...file.prepare(TABLES).pluck().all()];
    file.close();
    expect(names.length).toBeGreaterThan(20);
    expect(names.filter((name) => !RESERVED_TABLE_NAMES.includes(String(name)))).toEqual([]);
  });
});
