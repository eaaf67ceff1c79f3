import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** The folders that speak to SQLite; the inbox, the schedule and the sandbox keep files of their own. */
const ENGINE = /^src\/(?:store\/sqlite|warehouse\/sqlite|inbox|schedule|sandbox)\//;
const ASKS = /\bstate\.connection\b|\bconnection\b[^}\n]*\}: (?:Pick<)?(?:StateFile|Connected)\b/;

it('no other code asks a state file for its connection', () => {
  const asking = globSync('src/**/*.ts').filter((path) => !ENGINE.test(path) && ASKS.test(readFileSync(path, 'utf8')));
  expect(asking).toEqual([]);
});

/** The choice of the engine, its setting, and the commands that refuse it. */
const NAMES_POSTGRES = [
  'src/cli/command.ts',
  'src/cli/refuse-database.ts',
  'src/config/declared/store.ts',
  'src/config/read-settings.ts',
  'src/folder/engine.ts',
  'src/folder/postgres-engine.ts',
];

it('no other code asks which engine it has', () => {
  const naming = globSync('src/**/*.ts').filter(
    (path) => !/^src\/(?:store|warehouse)\/postgres\//.test(path) && /postgres/i.test(readFileSync(path, 'utf8')),
  );
  expect(naming.sort()).toEqual(NAMES_POSTGRES);
});
