import { appendFileSync, cpSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { accountsService, type OnStream, STATS_QUERY, statsRow } from '../../support/accounts-service.ts';
import { isLong } from '../../support/effort.ts';
import { networkLine } from '../../support/network-line.ts';
import { describePostgres, freshDatabase, onDatabase } from '../../support/postgres-server.ts';
import { runCli } from '../../support/run-cli.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { machine, startWorker, TRIM_ALL } from '../../support/workers.ts';

const NOW = '2026-11-20T12:00:00Z';
/** When the service no longer shows amounts from before a change. */
const LATER = '2026-11-20T15:00:00Z';
const DAY = '2026-11-19';
const ONE = { queries: { 'one.sql': STATS_QUERY } };

/** Each account has one row, of one click. */
async function cluster(accounts: number, onStream: OnStream) {
  const service = await accountsService({ accounts, onStream });
  const url = await freshDatabase();
  const env = { ...service.env, PACEKEEPER_NOW: NOW, PACEKEEPER_STORE_URL: url };
  const facts = async () => [
    ...(await onDatabase(url, 'SELECT count(*)::int, sum(clicks)::int FROM warehouse.one')),
    ...(await onDatabase(url, 'SELECT state, count(*)::int FROM pacekeeper.slice GROUP BY 1')),
    ...(await onDatabase(url, 'SELECT state, rows_read::int FROM pacekeeper.run')),
  ];
  return { url, env, service, facts };
}

const exact = (accounts: number) => [
  [accounts, accounts],
  ['done', accounts],
  ['done', accounts],
];

const REFUSE = [
  `CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    RAISE EXCEPTION 'No space left on device' USING ERRCODE = '53100'; END $$`,
  'CREATE TRIGGER refuse BEFORE INSERT ON pacekeeper_queue.job_common EXECUTE FUNCTION public.refuse()',
];

/** The built program with another entry file. */
function olderProgram(): string {
  const folder = tempDir();
  for (const name of ['package.json', 'catalogue', 'node_modules']) symlinkSync(resolve(name), join(folder, name));
  cpSync('dist', join(folder, 'dist'), { recursive: true });
  const program = join(folder, 'dist/main.js');
  appendFileSync(program, '// older\n');
  return program;
}

/** The first load of the role `worker` waits for this lock in its transaction. */
const HELD = 42;
const HOLD = [
  'CREATE SEQUENCE public.loads',
  `CREATE FUNCTION public.hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF session_user = 'worker' AND nextval('public.loads') = 1 THEN PERFORM pg_advisory_xact_lock(${HELD}); END IF;
    RETURN NULL; END $$`,
  'CREATE TRIGGER hold BEFORE INSERT ON pacekeeper.account_day FOR EACH STATEMENT EXECUTE FUNCTION public.hold()',
];

describePostgres('troubled workers', () => {
  it.each([
    ['takes no task', REFUSE, []],
    ['is lost during the run', [], ['DROP SCHEMA pacekeeper_queue CASCADE']],
  ])('a queue that %s: the run does the rest by itself, with one warning', async (_, before, during) => {
    const accounts = 40;
    let broken: Promise<unknown> | undefined;
    const { url, env, service, facts } = await cluster(accounts, (_customer, _response, end) => {
      if (service.streams.length === 10) broken = onDatabase(url, ...during);
      void Promise.resolve(broken).then(() => end([statsRow(DAY, 1)]));
    });
    const worker = startWorker(env, machine(ONE));
    await worker.ready;
    await onDatabase(url, ...before);
    const run = await runCli(['report', '--format', 'json'], { cwd: machine(ONE), env });
    worker.child.kill('SIGTERM');
    const warnings = run.stderr.match(/, so this process does (?:the rest|all of them): /g);
    expect([run.code, warnings?.length, (await worker.ended).code]).toEqual([0, 1, 0]);
    expect(await facts()).toEqual(exact(accounts));
  });

  it.each<[string, number]>([
    ['it loses the queue', 1],
    // A lease lasts ten seconds.
    ...(isLong ? [['it hangs and goes on later', 0] satisfies [string, number]] : []),
  ])('while a worker changes budgets, %s: each budget is changed once', async (_, code) => {
    const accounts = 12;
    const isLost = code === 1;
    const { promise: troubled, resolve: trouble } = Promise.withResolvers<unknown>();
    const service = await accountsService({
      accounts,
      onStream: (_customer, _response, end) => end([statsRow(DAY, 1)]),
      async onBudgets(kind, token) {
        if (kind !== 'validate') return;
        const isWorker = token === 'Bearer worker';
        if (isWorker && isLost) trouble(onDatabase(url, 'DROP SCHEMA IF EXISTS pacekeeper_queue CASCADE'));
        if (isWorker && !isLost) trouble(worker.child.kill('SIGSTOP'));
        await troubled;
      },
    });
    const url = await freshDatabase();
    const env = { ...service.env, PACEKEEPER_NOW: NOW, PACEKEEPER_STORE_URL: url };
    const files = { ...ONE, rules: TRIM_ALL };
    const worker = startWorker({ ...env, ADS_ACCESS_TOKEN: 'worker' }, machine(files));
    await worker.ready;
    const cwd = machine(files);
    const run = await runCli(['report'], { cwd, env });
    expect(run.code).toBe(code);
    if (isLost)
      expect(run.stderr).toMatch(/evaluated rules or changed budgets: .*\nnext step: Run pacekeeper report again/);
    worker.child.kill('SIGCONT');
    worker.child.kill('SIGTERM');
    expect((await worker.ended).code).toBe(0);
    const next = await runCli(['report', '--no-extract'], { cwd, env: { ...env, PACEKEEPER_NOW: LATER } });
    expect(next.code).toBe(0);
    expect(service.changes).toHaveLength(accounts);
    expect(new Set(service.changes.map(({ customer }) => customer)).size).toBe(accounts);
  });

  it('two clusters on one database share nothing, and one for another target is refused', async () => {
    const accounts = 3;
    const { env, facts } = await cluster(accounts, (_customer, _response, end) => end([statsRow(DAY, 1)]));
    const other = { ...env, PACEKEEPER_TARGET: 'sandbox' };
    const workers = [
      startWorker(env, machine({ ...ONE, settings: 'ads: { access: 1000 }' })),
      startWorker(other, machine(ONE)),
    ];
    await Promise.all(workers.map(({ ready }) => ready));
    const run = await runCli(['report', '--format', 'json'], { cwd: machine(ONE), env });
    const refused = await runCli(['report'], { cwd: machine(ONE), env: other });
    for (const { child } of workers) child.kill('SIGTERM');
    const codes = await Promise.all(workers.map(async ({ ended }) => (await ended).code));
    expect([run.code, refused.code, ...codes]).toEqual([0, 2, 0, 0]);
    expect(run.stderr).toContain('share nothing: 2.');
    expect(refused.stderr).toMatch(
      / belongs to live .*, but this run is for sandbox .*\nnext step: Correct the target, or choose/,
    );
    expect(await facts()).toEqual(exact(accounts));
  });

  it('a worker of another version takes no task', async () => {
    const { env, facts } = await cluster(3, (_customer, _response, end) => end([statsRow(DAY, 1)]));
    const older = startWorker(env, machine(ONE), olderProgram());
    await older.ready;
    const run = await runCli(['report', '--format', 'json'], { cwd: machine(ONE), env });
    older.child.kill('SIGTERM');
    expect([run.code, (await older.ended).code]).toEqual([0, 0]);
    expect(run.stderr).toContain('share nothing: 1.');
    expect(await facts()).toEqual(exact(3));
  });

  // A lease lasts ten seconds.
  it.runIf(isLong)(
    'a worker that hangs in a transaction: others read its accounts, and it writes nothing afterwards',
    async () => {
      const accounts = 12;
      const held: (() => void)[] = [];
      const { url, env, service, facts } = await cluster(accounts, (_customer, _response, end) => {
        held.push(() => end([statsRow(DAY, 1)]));
        // Until more streams are open than the process of the run has.
        if (service.inFlightMax() > 2) for (const answer of held.splice(0)) answer();
      });
      await onDatabase(url, 'DROP ROLE IF EXISTS worker', 'CREATE ROLE worker LOGIN SUPERUSER');
      const worker = startWorker({ ...env, PACEKEEPER_STORE_URL: url.replace('keeper:', 'worker:') }, machine(ONE));
      await worker.ready;
      await onDatabase(url, ...HOLD);
      const holder = new pg.Client({ connectionString: url });
      await holder.connect();
      onTestFinished(() => holder.end());
      await holder.query(`SELECT pg_advisory_lock(${HELD})`);
      const running = runCli(['report', '--format', 'json'], { cwd: machine(ONE), env });
      while ((await holder.query(`SELECT 1 FROM pg_locks WHERE objid = ${HELD} AND NOT granted`)).rowCount === 0);
      worker.child.kill('SIGSTOP');
      await holder.query(`SELECT pg_advisory_unlock(${HELD})`);
      const run = await running;
      worker.child.kill('SIGCONT');
      worker.child.kill('SIGTERM');
      const { code, stderr } = await worker.ended;
      expect([run.code, code], `${run.stderr}\n${stderr}`).toEqual([0, 0]);
      expect(await facts()).toEqual(exact(accounts));
    },
  );

  it.runIf(isLong).each([
    ['cut', true],
    ['cut', false],
    ['silence', true],
    ['silence', false],
  ] as const)(
    'a network (%s) that parts a worker from the database, but not from the service: others read its accounts (mended: %s)',
    async (how, isMended) => {
      const accounts = 12;
      const held: (() => void)[] = [];
      let isParted = false;
      const { url, env, service, facts } = await cluster(accounts, (_customer, _response, end) => {
        held.push(() => end([statsRow(DAY, 1)]));
        if (service.inFlightMax() > 2 && !isParted) line[how]();
        isParted ||= service.inFlightMax() > 2;
        if (isParted) for (const answer of held.splice(0)) answer();
      });
      const line = await networkLine(url);
      const worker = startWorker({ ...env, PACEKEEPER_STORE_URL: line.url }, machine(ONE));
      await worker.ready;
      const run = await runCli(['report', '--format', 'json'], { cwd: machine(ONE), env });
      if (isMended) line.mend();
      worker.child.kill('SIGTERM');
      const { code, stderr } = await worker.ended;
      expect([run.code, code], `${run.stderr}\n${stderr}`).toEqual([0, 0]);
      expect(await facts()).toEqual(exact(accounts));
    },
  );
});
