import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll } from 'vitest';
import { type ProgramResult, runInProcess } from '../commands/run-in-process.ts';
import { tempDir } from './temp-dir.ts';
import { TRIM_QUERIES, TRIM_RULES } from './trim-rule.ts';
import { NOON, writeFolder } from './world.ts';

/** A folder in which the product was used with its own sandbox, of the test's own. */
export interface UsedFolder {
  readonly folder: string;
  readonly state: string;
  at(...path: readonly string[]): string;
  /** One command by a person called anna, at noon when no other instant is given, on lines that are not broken. */
  run(args: readonly string[], now?: string): Promise<ProgramResult>;
  /** Does to state.sqlite what no command does. */
  execute(...sql: readonly string[]): void;
  rows(sql: string): Record<string, unknown>[];
}

let base: Promise<string> | undefined;

/** One report with a change of a budget, made once for all tests of a file. */
async function makeBase(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'pacekeeper-test-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  writeFolder(folder, 'queries', TRIM_QUERIES);
  writeFolder(folder, 'rules', TRIM_RULES);
  writeFileSync(join(folder, 'pacekeeper.yaml'), 'automation: { mode: apply }\n');
  const { code, stdout, stderr } = await runInProcess(['report'], { folder, env: { PACEKEEPER_NOW: NOON } });
  if (code !== 0) throw new Error(`${stdout}${stderr}`);
  return folder;
}

export async function usedFolder(): Promise<UsedFolder> {
  base ??= makeBase();
  const folder = tempDir();
  cpSync(await base, folder, { recursive: true });
  const state = join(folder, 'data', 'state.sqlite');
  return {
    folder,
    state,
    at: (...path) => join(folder, ...path),
    run: (args, now = NOON) =>
      runInProcess(args, { folder, env: { PACEKEEPER_NOW: now }, userName: 'anna', width: 1000 }),
    execute(...sql) {
      const file = new Database(state);
      for (const statement of sql) file.exec(statement);
      file.close();
    },
    rows(sql) {
      const file = new Database(state, { readonly: true });
      try {
        return file.prepare(sql).all() as Record<string, unknown>[];
      } finally {
        file.close();
      }
    },
  };
}

/** Every table of a database with its rows, in their order. */
export function tablesOf(path: string): Record<string, unknown[]> {
  const file = new Database(path, { readonly: true });
  file.defaultSafeIntegers(true);
  try {
    const names = file.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name");
    const rows = (name: string) => file.prepare(`SELECT * FROM "${name}"`).raw().all();
    return Object.fromEntries(
      names
        .pluck()
        .all()
        .map((name) => [name, rows(name)]),
    );
  } finally {
    file.close();
  }
}
