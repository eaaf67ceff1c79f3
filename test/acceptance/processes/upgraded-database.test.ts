import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { acquireRunLock } from '../../../src/storage/records/postgres/run-lock.ts';
import { DUMPS, REPORT, restored, schemaOf } from '../../support/database-of-version.ts';
import { nextProgram } from '../../support/next-program.ts';
import { describePostgres, onDatabase } from '../../support/postgres-server.ts';
import { type CliResult, runCli } from '../../support/run-cli.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { TRIM_QUERIES, TRIM_RULES } from '../../support/trim-rule.ts';
import { startWorker } from '../../support/workers.ts';
import { writeFolder } from '../../support/world.ts';

/** After the last run of the dump. */
const NOW = '2026-11-21T12:00:00Z';
const VERIFY = ['audit', 'verify', '--offline', '--data-dir', 'data'];

let program = '';

const built = mkdtempSync(join(tmpdir(), 'pacekeeper-next-'));

beforeAll(async () => {
  program = await nextProgram(built);
});

afterAll(() => rmSync(built, { recursive: true }));

function machine(): string {
  const folder = tempDir();
  writeFolder(folder, 'queries', TRIM_QUERIES);
  writeFolder(folder, 'rules', TRIM_RULES);
  writeFileSync(join(folder, 'pacekeeper.yaml'), 'automation: { mode: apply }\n');
  mkdirSync(join(folder, 'data'));
  return folder;
}

/** A database whose tables the present program made, and the two programs that use it. */
async function cluster() {
  const url = await restored(DUMPS[0] ?? '');
  const env = { PACEKEEPER_STORE_URL: url, PACEKEEPER_NOW: NOW };
  const run = (args: readonly string[], version?: string, cwd = machine()) =>
    runCli(args, { cwd, env, program: version });
  // Its own upgrade is not the matter of these tests.
  expect(await run(VERIFY)).toMatchObject({ code: 0 });
  const version = async () => {
    const [[newest] = []] = await onDatabase(url, 'SELECT max(name) FROM pacekeeper.schema_version');
    return String(newest).slice(0, 4);
  };
  return { url, env, run, version, before: await version() };
}

const stepOf = ({ stderr }: CliResult) => /^next step: (.*)$/m.exec(stderr)?.[1];

const UPGRADE_IT =
  'Stop all processes, and dump the database with pg_dump (docs/upgrade.md). Then run pacekeeper report, which upgrades the tables.';

describePostgres('a database with older tables', () => {
  it.each([
    ['status', ['status']],
    ['budgets history', ['budgets', 'history']],
    ['coverage', ['coverage']],
    ['migrate-store --dry-run', ['migrate-store', '--from', 'env:PACEKEEPER_STORE_URL', '--to', 'other', '--dry-run']],
  ])('is not changed by %s, which says how to upgrade it', async (_, args) => {
    const { url, run, version, before } = await cluster();
    const rest = args[0] === 'migrate-store' ? [] : ['--data-dir', 'data'];
    const found = await run([...args, ...rest], program);
    expect([found.code, stepOf(found)]).toEqual([2, UPGRADE_IT]);
    expect(found.stderr).toMatch(
      new RegExp(
        `error: ${url.replace(/keeper:[^@]+@/, '')} has tables of version ${before}, expected version 9999\\.`,
      ),
    );
    expect(await version()).toBe(before);
  });

  it('is told from newer and intact ones by doctor', async () => {
    const { run, version, before } = await cluster();
    const recordsOf = async (which?: string) => {
      const { code, stdout } = await run(['doctor', '--offline', '--format', 'json', '--data-dir', 'data'], which);
      const checks = JSON.parse(stdout) as Record<string, string>[];
      const { state, found, next_step: step } = checks.find(({ check }) => check === 'records') ?? {};
      return [code, state, found, step];
    };
    expect(await recordsOf(program)).toEqual([0, 'warning', `version ${before}`, UPGRADE_IT]);
    expect(await version()).toBe(before);
    expect(await recordsOf()).toEqual([0, 'ok', `version ${before}, intact`, null]);
    await run(VERIFY, program);
    expect(await recordsOf(program)).toEqual([0, 'ok', 'version 9999, intact', null]);
    expect(await recordsOf()).toEqual([
      1,
      'failed',
      'written by a newer version (9999)',
      'Update pacekeeper, or name another database in store.url.',
    ]);
  });

  it('is upgraded by a report, which goes on, and older programs refuse it from then on', async () => {
    const { env, run, version } = await cluster();
    const worker = startWorker(env, machine());
    await worker.ready;
    const { code, stdout, stderr } = await run(REPORT, program);
    expect([code, stdout]).toEqual([0, expect.stringContaining('Done: ')]);
    expect(stderr).toMatch(/upgrading the tables from version \d{4} to 9999\.\n.*the tables have version 9999 now\./);
    expect(await version()).toBe('9999');
    expect((await run(VERIFY, program)).code).toBe(0);
    worker.child.kill('SIGTERM');
    expect(await worker.ended).toMatchObject({ code: 0, stderr: expect.not.stringContaining('failed') });
    for (const args of [REPORT, ['worker'], ['serve', '--data-dir', 'data'], ['status', '--data-dir', 'data']]) {
      const late = await run(args);
      expect([args[0], late.code, late.stderr]).toEqual([
        args[0],
        2,
        expect.stringContaining('was written by a newer version of pacekeeper.\nnext step: Update pacekeeper'),
      ]);
    }
  });

  it.each([
    ['worker', ['worker'], 'worker'],
    ['serve', ['serve', '--data-dir', 'data'], 'address'],
  ])('is upgraded by %s when it starts', async (_, args, first) => {
    const { env, version } = await cluster();
    const running = runCli(args, {
      cwd: machine(),
      env: { ...env, SERVE_PORT: '0' },
      program,
      onStart: (child) =>
        void once(child.stdout as NodeJS.ReadableStream, 'data').then(([text]) => {
          expect(String(text)).toContain(first);
          child.kill('SIGTERM');
        }),
    });
    expect(await running).toMatchObject({ code: 0, stderr: expect.stringContaining('to 9999.') });
    expect(await version()).toBe('9999');
  });

  it('is upgraded by one of several processes, while the others wait', async () => {
    const { run, version } = await cluster();
    const ended = await Promise.all([1, 2, 3].map(() => run(['alerts', 'deliver', '--data-dir', 'data'], program)));
    expect(ended.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(ended.filter(({ stderr }) => stderr.includes('upgrading the tables'))).toHaveLength(1);
    expect(await version()).toBe('9999');
  });

  it('is not upgraded during a run, which is named, and a freeze is recorded at once', async () => {
    const { url, run, version, before } = await cluster();
    const lock = await acquireRunLock(url, 'pacekeeper report', NOW);
    for (const args of [REPORT, ['worker'], ['alerts', 'deliver', '--data-dir', 'data']]) {
      const { code, stderr } = await run(args, program);
      expect([code, stderr]).toEqual([1, expect.stringMatching(/ is in use by pacekeeper report, process \d+ on /)]);
    }
    const frozen = await run(['freeze', '--by', 'anna', '--why', 'a sale', '--data-dir', 'data'], program);
    expect([frozen.code, frozen.stdout]).toEqual([0, expect.not.stringContaining('cannot be recorded')]);
    expect(await onDatabase(url, 'SELECT kind FROM pacekeeper.budget_event ORDER BY id DESC LIMIT 1')).toEqual([
      ['frozen'],
    ]);
    expect(await version()).toBe(before);
    if (lock.kind === 'acquired') await lock.release();
    const thawed = await run(['unfreeze', '--by', 'ben', '--why', 'over', '--data-dir', 'data'], program);
    expect([thawed.code, await version()]).toEqual([0, before]);
  });

  it('is frozen for all by a newer program that finds the file FREEZE, and waits for the run', async () => {
    const { url, run, version, before } = await cluster();
    const lock = await acquireRunLock(url, 'pacekeeper report', NOW);
    const cwd = machine();
    writeFileSync(join(cwd, 'data', 'FREEZE'), 'a sale');
    const { code, stderr } = await run(REPORT, program, cwd);
    expect([code, stderr]).toEqual([1, expect.stringContaining(' is in use by pacekeeper report')]);
    expect(await onDatabase(url, 'SELECT kind FROM pacekeeper.budget_event ORDER BY id DESC LIMIT 1')).toEqual([
      ['frozen'],
    ]);
    expect(await version()).toBe(before);
    if (lock.kind === 'acquired') await lock.release();
  });

  it('stays as it was if the program is killed in the middle, and the next command upgrades it', async () => {
    const { url, run, version, before } = await cluster();
    const slow = await nextProgram(tempDir(), { postgres: 'SELECT pg_sleep(60)' });
    const schema = await schemaOf(url);
    await runCli(REPORT, {
      cwd: machine(),
      env: { PACEKEEPER_STORE_URL: url, PACEKEEPER_NOW: NOW },
      program: slow,
      async onStart(child) {
        const asleep =
          "SELECT 1 FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%' AND datname = current_database()";
        while ((await onDatabase(url, asleep)).length === 0);
        child.kill('SIGKILL');
        await onDatabase(
          url,
          `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'pacekeeper'`,
        );
      },
    });
    expect([await version(), await schemaOf(url)]).toEqual([before, schema]);
    expect(await run(REPORT)).toMatchObject({ code: 0 });
    expect(await run(['alerts', 'deliver', '--data-dir', 'data'], program)).toMatchObject({ code: 0 });
    expect(await version()).toBe('9999');
  });

  it('is upgraded by the owner of its tables only, whom the refusal names', async () => {
    const { url, run, env, version, before } = await cluster();
    await onDatabase(
      url,
      'DO $$ BEGIN CREATE ROLE runs_only LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$',
      'GRANT USAGE, CREATE ON SCHEMA pacekeeper, warehouse TO runs_only',
      'GRANT ALL ON ALL TABLES IN SCHEMA pacekeeper, warehouse TO runs_only',
    );
    const runner = { ...env, PACEKEEPER_STORE_URL: url.replace(/keeper:[^@]+@/, 'runs_only@') };
    const refused = await runCli(REPORT, { cwd: machine(), env: runner, program });
    expect([refused.code, stepOf(refused)]).toEqual([
      2,
      'Stop all processes, and dump the database with pg_dump (docs/upgrade.md). Then run pacekeeper audit verify --offline as keeper, who owns the tables, and grant the rights again (docs/scale-out.md, Roles).',
    ]);
    expect(await version()).toBe(before);
    expect(await run(VERIFY, program)).toMatchObject({ code: 0 });
    expect(await version()).toBe('9999');
    const { stdout } = await runCli(['doctor', '--offline', '--format', 'json', '--data-dir', 'data'], {
      cwd: machine(),
      env: runner,
      program,
    });
    const rights = (JSON.parse(stdout) as Record<string, string>[]).find(({ check }) => check === 'rights');
    expect(rights).toMatchObject({ state: 'failed', found: 'the user may not write table later_note' });
    expect(rights?.next_step).toContain('docs/scale-out.md (Roles)');
  });
});

it('the same migration changes a file, with the statements that only files have', async () => {
  const folder = machine();
  expect(await runCli(REPORT, { cwd: folder, env: { PACEKEEPER_NOW: NOW } })).toMatchObject({ code: 0 });
  expect(await runCli(VERIFY, { cwd: folder, env: { PACEKEEPER_NOW: NOW }, program })).toMatchObject({ code: 0 });
  const file = new Database(join(folder, 'data/state.sqlite'));
  expect(file.prepare('SELECT currency, later_micros FROM account').raw().all()).toEqual([['EUR', 10000]]);
  expect(file.prepare('SELECT words FROM later_note').pluck().all()).toEqual(['report -- as INTEGER']);
  expect(() => file.exec('DELETE FROM later_note')).toThrow('no');
  file.close();
});
