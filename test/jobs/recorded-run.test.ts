import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { TRIM_QUERIES } from '../support/trim-rule.ts';
import { createWorld } from '../support/world.ts';

describe('a run that dies of a failure of its own', () => {
  it('is recorded with what it had read until then', async () => {
    const world = await createWorld({ config: 'extract: { concurrency: 1 }', queries: TRIM_QUERIES, rules: {} });
    await world.extract();
    const state = new Database(join(world.dataDir, 'state.sqlite'));
    state.exec(`CREATE TRIGGER third BEFORE UPDATE ON slice
      WHEN (SELECT count(*) FROM slice WHERE run_id = new.run_id AND state = 'done') = 2
      BEGIN SELECT RAISE(ABORT, 'The disk is on fire.'); END`);
    state.close();
    await expect(world.extract()).rejects.toThrow('The disk is on fire.');
    const [run] = world.rows('state', 'SELECT state, accounts, rows_read, error FROM run WHERE id = 2');
    const [read] = world.rows('state', "SELECT sum(rows) AS rows FROM slice WHERE run_id = 2 AND state = 'done'");
    expect(run).toEqual({ state: 'failed', accounts: 2, rows_read: read?.rows, error: 'The disk is on fire.' });
    expect(read?.rows).toBeGreaterThan(0);
  });
});
