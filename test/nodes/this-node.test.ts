import { spawnSync } from 'node:child_process';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';

/** `npm run` prefers the Node of the repository. Without this check the tests could run on that one alone. */
const { EXPECTED_NODE } = process.env;

it('tests and their processes run on the requested Node', () => {
  expect(process.version).toBe(EXPECTED_NODE);
  expect(spawnSync(process.execPath, ['--version'], { encoding: 'utf8' }).stdout.trim()).toBe(EXPECTED_NODE);
});

it('SQLite loads, counts exactly and survives the garbage collection of its statements', () => {
  const database = new Database(':memory:').defaultSafeIntegers(true);
  for (let round = 0; round < 10_000; round += 1) database.prepare(`SELECT ${round}`).get();
  expect(database.prepare('SELECT 9223372036854775807 AS largest').get()).toEqual({ largest: 9223372036854775807n });
  database.close();
});
