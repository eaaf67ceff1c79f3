import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { InputError } from '../../src/domain/errors.ts';
import { customerId } from '../../src/domain/ids.ts';
import { renderReportJson } from '../../src/views/report/render-json.ts';
import { TRIM_QUERIES, TRIMMED } from '../support/trim-rule.ts';
import { createWorld } from '../support/world.ts';

describe('a run that crashes', () => {
  it('is recorded with the data read until then', async () => {
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
    expect(JSON.parse(readFileSync(join(world.dataDir, 'runs', '2.json'), 'utf8'))).toMatchObject({
      run: { id: 2, command: 'extract', exit_code: 1 },
      failures: ['The disk is on fire.'],
    });
  });
});

describe('a recorded run', () => {
  it('writes its result to its own file, readable by its owner; the newest 400 are kept', async () => {
    const world = await createWorld({ queries: TRIM_QUERIES, rules: {} });
    const folder = join(world.dataDir, 'runs');
    await world.extract({ customers: [customerId(TRIMMED.customerId)] });
    const state = new Database(join(world.dataDir, 'state.sqlite'));
    state.exec("UPDATE sqlite_sequence SET seq = 504 WHERE name = 'run'").close();
    const old = Array.from({ length: 405 }, (_, index) => `${100 + index}.json`);
    for (const name of [...old, 'notes.txt']) writeFileSync(join(folder, name), '{}');
    const result = await world.extract({ customers: [customerId(TRIMMED.customerId)] });
    // The first of all runs is the oldest by its number.
    expect(existsSync(join(folder, '1.json'))).toBe(false);
    expect(readdirSync(folder).sort()).toEqual([...old.slice(6), '505.json', 'notes.txt'].sort());
    for (const name of old) rmSync(join(folder, name), { force: true });
    const next = await world.extract({ customers: [customerId(TRIMMED.customerId)] });
    const path = join(folder, `${next.run.id}.json`);
    expect(readFileSync(path, 'utf8')).toBe(`${renderReportJson(next)}\n`);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(result.failures).toEqual([]);
  });

  it('fails if its file cannot be written, says so, and is recorded as failed', async () => {
    const world = await createWorld({ queries: TRIM_QUERIES, rules: {} });
    mkdirSync(world.dataDir, { recursive: true });
    writeFileSync(join(world.dataDir, 'runs'), 'a file where a folder is to be');
    const result = await world.extract({ customers: [customerId(TRIMMED.customerId)] });
    expect(result.run.exitCode).toBe(1);
    expect(result.failures).toEqual([expect.stringMatching(/runs\/1\.json could not be written: .*EEXIST/)]);
    expect(world.rows('state', 'SELECT state, error FROM run')).toEqual([
      { state: 'failed', error: result.failures.join('\n') },
    ]);
  });

  it('fails if a page could not be made; record, file and result agree', async () => {
    const world = await createWorld({ queries: TRIM_QUERIES, rules: {} });
    const seen: unknown[] = [];
    const result = await world.report({
      customers: [customerId(TRIMMED.customerId)],
      afterwards: async (app) => {
        seen.push(
          ...world.rows('state', 'SELECT state FROM run'),
          existsSync(join(app.settings.paths.data, 'warehouse.sqlite')),
        );
        return { failure: 'The page could not be made.', stopped: false };
      },
    });
    // The page is made of what was published, and knows how its own run ended.
    expect(seen).toEqual([{ state: 'done' }, true]);
    expect([result.run.exitCode, result.failures]).toEqual([1, ['The page could not be made.']]);
    expect(readFileSync(join(world.dataDir, 'runs', '1.json'), 'utf8')).toBe(`${renderReportJson(result)}\n`);
    expect(world.rows('state', 'SELECT state, error FROM run')).toEqual([
      { state: 'failed', error: 'The page could not be made.' },
    ]);
  });

  it('is refused in both record and file if the user must correct something', async () => {
    const world = await createWorld({ queries: TRIM_QUERIES, rules: {} });
    await expect(world.extract({ customers: [customerId('1111111111')] })).rejects.toThrow(InputError);
    expect(world.rows('state', 'SELECT state FROM run')).toEqual([{ state: 'refused' }]);
    expect(JSON.parse(readFileSync(join(world.dataDir, 'runs', '1.json'), 'utf8')).run).toMatchObject({ exit_code: 2 });
  });
});
