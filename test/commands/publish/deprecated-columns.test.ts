import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import { type Column, text } from '../../../src/storage/columns/column.ts';
import { PUBLISHED_RUNS } from '../../../src/storage/columns/run-columns.ts';
import { openState } from '../../../src/storage/records/sqlite/open-state.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { runInProcess } from '../run-in-process.ts';

const WORDS = 'account.title (use name)';

/** Declares one more column of `account`, as a version does that renames one. */
function declareDeprecated(): () => void {
  const columns = PUBLISHED_RUNS.find(({ name }) => name === 'account')?.columns as Column<never>[];
  columns.push({ ...text('title', 'The name of the account.'), sql: 'name', deprecated: 'use name' });
  const remove = () => void columns.splice(0, columns.length, ...columns.filter(({ key }) => key !== 'title'));
  onTestFinished(remove);
  return remove;
}

it('a deprecated column stays, and the dictionary, publish and doctor say once what to use', async () => {
  const folder = tempDir();
  await (await openState(join(folder, 'data', 'state.sqlite'))).close();
  const doctor = async () => {
    const { stdout } = await runInProcess(['doctor', '--offline', '--format', 'json'], { folder });
    return (JSON.parse(stdout) as { check: string; state: string; found: string; next_step: string }[]).filter(
      ({ check }) => check === 'published columns',
    );
  };
  const published = (sql: string) => {
    const file = new Database(join(folder, 'data', 'warehouse.sqlite'), { readonly: true });
    const rows = file.prepare(sql).raw().all();
    file.close();
    return rows;
  };
  const deprecated = 'SELECT table_name, column_name, deprecated FROM data_dictionary WHERE deprecated IS NOT NULL';

  const remove = declareDeprecated();
  const { code, stderr } = await runInProcess(['publish'], { folder });
  expect(code).toBe(0);
  expect(stderr.split(WORDS)).toHaveLength(2);
  expect(stderr).toContain(`The next version removes columns: ${WORDS}.`);
  expect(published(deprecated)).toEqual([['account', 'title', 'use name']]);
  expect(published('SELECT title FROM account')).toEqual([]);
  expect(await doctor()).toEqual([
    expect.objectContaining({
      state: 'warning',
      found: WORDS,
      next_step: 'Change queries and reports that use them before the next version.',
    }),
  ]);

  remove();
  const next = await runInProcess(['publish'], { folder });
  expect([next.code, next.stderr]).toEqual([0, '']);
  expect(published(deprecated)).toEqual([]);
  expect(await doctor()).toEqual([]);
});

it('a file of an earlier version, without that column in its dictionary, names none', async () => {
  const folder = tempDir();
  await (await openState(join(folder, 'data', 'state.sqlite'))).close();
  await runInProcess(['publish'], { folder });
  const file = new Database(join(folder, 'data', 'warehouse.sqlite'));
  file.exec('ALTER TABLE data_dictionary DROP COLUMN deprecated');
  file.close();
  const { stdout } = await runInProcess(['doctor', '--offline', '--format', 'json'], { folder });
  const checks = JSON.parse(stdout) as { check: string; state: string }[];
  const told = checks.filter(({ check }) => check === 'published columns' || check === 'last report');
  expect(told).toEqual([expect.objectContaining({ check: 'last report', state: 'missing' })]);
});
