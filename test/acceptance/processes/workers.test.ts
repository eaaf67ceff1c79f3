import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { accountNumber, accountsService, BUDGET, STATS_QUERY, statsRow } from '../../support/accounts-service.ts';
import { byEffort } from '../../support/effort.ts';
import { describePostgres, freshDatabase, onDatabase, ownPostgres, urlOf } from '../../support/postgres-server.ts';
import { runCli } from '../../support/run-cli.ts';
import { machine, startCommand, startWorker, TRIM_ALL } from '../../support/workers.ts';

const NOW = '2026-11-20T12:00:00Z';
/** When the service no longer shows amounts from before the changes. */
const LATER = '2026-11-20T15:00:00Z';
const DAYS = ['2026-11-13', '2026-11-14', '2026-11-15', '2026-11-16', '2026-11-17', '2026-11-18', '2026-11-19'];

/** Of a machine whose clock is ahead. */
const otherClock = (minutes: number) => ({
  NODE_OPTIONS: `--import ${resolve('test/support/other-clock.mjs')}`,
  TEST_CLOCK_AHEAD_MS: String(minutes * 60_000),
});

/** Folders of machines that share a database. */
interface Machines extends Record<'run' | 'worker' | 'serve' | 'schedule' | 'other', string> {
  readonly env: Readonly<Record<string, string>> & { readonly PACEKEEPER_STORE_URL: string };
}
type Folders = [string, string, string, string, string];

async function writeFreeze(folder: string): Promise<void> {
  mkdirSync(join(folder, 'data'), { recursive: true });
  writeFileSync(join(folder, 'data', 'FREEZE'), 'a sale');
}

/** Until somebody has found the file, or after a time in which everybody looked. */
async function putFile(folder: string, { PACEKEEPER_STORE_URL: url }: Machines['env']): Promise<void> {
  await writeFreeze(folder);
  const lastMs = performance.now() + 8000;
  const found = "SELECT 1 FROM pacekeeper.budget_event WHERE kind = 'frozen'";
  while (performance.now() < lastMs && (await onDatabase(url, found)).length === 0);
}

describePostgres('workers', () => {
  it('share a run: killed at random, they lose and double no row, change or alert', async () => {
    const accounts = byEffort({ quick: 20, thorough: 50, long: 1000 });
    const ruled = () => machine({ rules: TRIM_ALL });
    let asked = 0;
    const held: (() => void)[] = [];
    let onRequest = () => {};
    const service = await accountsService({
      accounts,
      onBudgets: () => onRequest(),
      onStream(customer, _response, end) {
        asked += 1;
        onRequest();
        held.push(() => end(DAYS.map((day) => statsRow(day, Number(customer.slice(-4)) % 97))));
        // More than the process of the run has open, so that workers die at work. The last ones wait for nobody.
        while (held.length > (asked > accounts * 3 - 20 ? 0 : 4)) held.shift()?.();
      },
    });
    const env = { ...service.env, PACEKEEPER_NOW: NOW, PACEKEEPER_STORE_URL: await freshDatabase() };
    const workers = [1, 2, 3, 4].map(() => startWorker(env, ruled()));
    await Promise.all(workers.map(({ ready }) => ready));
    let requests = 0;
    let killed = 0;
    onRequest = () => {
      requests += 1;
      // Three streams, a reading, a validation, a second reading and a change of each account.
      if (requests % Math.ceil((accounts * 7) / 10) !== 0) return;
      workers[killed % 4]?.child.kill('SIGKILL');
      workers[killed % 4] = startWorker(env, ruled());
      killed += 1;
    };
    const runFolder = ruled();
    const run = await runCli(['report', '--format', 'json'], { cwd: runFolder, env });
    onRequest = () => {};
    expect(run.stderr).toContain('Workers that share');
    const url = env.PACEKEEPER_STORE_URL;
    // The next run removes the tasks.
    const retried = await onDatabase(
      url,
      "SELECT count(*) > 0 FROM pacekeeper_queue.job WHERE name LIKE 'tasks-%' AND retry_count > 0",
    );
    // Reads whether changes were made whose worker died.
    const next = await runCli(['report', '--no-extract'], { cwd: runFolder, env: { ...env, PACEKEEPER_NOW: LATER } });
    expect(next.code).toBe(0);
    for (const { child } of workers) child.kill('SIGTERM');
    expect((await Promise.all(workers.map(({ ended }) => ended))).map(({ code }) => code)).toEqual([0, 0, 0, 0]);

    const clicks = Array.from(
      { length: accounts },
      (_, index) => (Number(String(1_000_000_001 + index).slice(-4)) % 97) * 7,
    );
    const expected = [accounts * 7, clicks.reduce((sum, one) => sum + one, 0)];
    for (const table of ['one', 'two', 'three']) {
      expect(await onDatabase(url, `SELECT count(*)::int, sum(clicks)::int FROM warehouse.${table}`)).toEqual([
        expected,
      ]);
    }
    expect(await onDatabase(url, 'SELECT state, count(*)::int FROM pacekeeper.slice GROUP BY 1')).toEqual([
      ['done', accounts * 3],
    ]);
    expect(await onDatabase(url, 'SELECT rows_read::int FROM pacekeeper.run ORDER BY id')).toEqual([
      [accounts * 21],
      [0],
    ]);
    const decided = 'SELECT count(DISTINCT customer_id)::int FROM pacekeeper.budget_intent';
    expect(await onDatabase(url, `${decided} WHERE state IN ('applied', 'confirmed')`)).toEqual([[accounts]]);
    const alerts = 'SELECT count(*)::int, count(DISTINCT customer_id)::int FROM pacekeeper.alert';
    const ofMade = "dedupe_key ~ '^budget-intent:[0-9]+:done$'";
    expect(await onDatabase(url, `${alerts} WHERE ${ofMade}`)).toEqual([[accounts, accounts]]);
    expect(service.changes).toHaveLength(accounts);
    expect(new Set(service.amounts.values())).toEqual(new Set([BUDGET * 0.85]));
    expect((await runCli(['audit', 'verify'], { cwd: runFolder, env })).code).toBe(0);
    expect([killed > 5, retried]).toEqual([true, [[true]]]);
  });

  it.each<[string, string, (machines: Machines) => Promise<unknown>]>([
    [
      'a person freezes',
      'frozen by anna',
      ({ run, env }) => runCli(['freeze', '--by', 'anna', '--why', 'a sale'], { cwd: run, env }),
    ],
    ['the file FREEZE stands in the folder of the run', 'a sale', ({ run, env }) => putFile(run, env)],
    ['the file FREEZE stands in the folder of the worker', 'a sale', ({ worker, env }) => putFile(worker, env)],
    ['the file FREEZE stands in the folder of serve', 'a sale', ({ serve, env }) => putFile(serve, env)],
    ['the file FREEZE stands in the folder of the schedule', 'a sale', ({ schedule, env }) => putFile(schedule, env)],
    [
      'pacekeeper status finds the file FREEZE of its folder',
      'a sale',
      async ({ other, env }) => {
        await writeFreeze(other);
        await runCli(['status'], { cwd: other, env });
      },
    ],
  ])('change budgets for a run, but not after %s', async (_, words, stop) => {
    let validating = 0;
    const { promise: frozen, resolve: freeze } = Promise.withResolvers<void>();
    const service = await accountsService({
      accounts: 6,
      onStream: (_customer, _response, end) => end(DAYS.map((day) => statsRow(day, 1))),
      async onBudgets(kind) {
        if (kind !== 'validate') return;
        validating += 1;
        // More than the process of the run has open.
        if (validating === 3) freeze(stop(machines).then(() => {}));
        await frozen;
      },
    });
    const env = { ...service.env, PACEKEEPER_NOW: NOW, PACEKEEPER_STORE_URL: await freshDatabase() };
    const [run, worker, serve, schedule, other] = [1, 2, 3, 4, 5].map(() => machine({ rules: TRIM_ALL })) as Folders;
    const machines: Machines = { run, worker, serve, schedule, other, env };
    appendFileSync(join(schedule, 'pacekeeper.yaml'), 'schedule: [{ name: yearly, cron: "0 0 1 1 *", job: report }]\n');
    await Promise.all([
      startWorker(env, worker).ready,
      startCommand(['serve'], { ...env, SERVE_PORT: '0' }, serve),
      startCommand(['schedule'], env, schedule),
    ]);
    const report = await runCli(['report'], { cwd: run, env });
    expect(report.stdout).toContain(words);
    expect(service.changes).toEqual([]);
    const intents = 'SELECT state, code, count(*)::int FROM pacekeeper.budget_intent GROUP BY 1, 2';
    expect(await onDatabase(env.PACEKEEPER_STORE_URL, intents)).toEqual([['expired', 'FROZEN', 6]]);
  });

  it('stop the rules of a table with an error, and no others, in the accounts of the error', async () => {
    const files = {
      queries: {
        'one.sql': STATS_QUERY,
        'two.sql': STATS_QUERY,
        'one.tests.yaml': 'tests: [{ range: { column: clicks, max: 3 } }]\n',
        'three.sql': STATS_QUERY,
        'three.tests.yaml': 'tests: [{ sql: "SELECT max(clicks) AS most FROM three" }]\n',
      },
      rules: {
        ...TRIM_ALL,
        'third.yaml': TRIM_ALL['trim.yaml'].replace('from: one', 'from: three').replace('15%', '20%'),
        'wide.yaml': TRIM_ALL['trim.yaml'].replace('from: one', 'from: two').replace('15%', '10%'),
      },
    };
    // In each of the last three accounts, every day has more clicks than the test allows.
    const all = Array.from({ length: 6 }, (_, index) => accountNumber(index));
    const wrong = all.slice(3);
    const { promise: shared, resolve: share } = Promise.withResolvers<void>();
    let reading = 0;
    const service = await accountsService({
      accounts: 6,
      onStream: (customer, _response, end) => end(DAYS.map((day) => statsRow(day, Number(customer.slice(-4))))),
      async onBudgets(kind) {
        if (kind !== 'read') return;
        reading += 1;
        // The process of the run has two of them, so the worker has one with an error and one without.
        if (reading === 6) share();
        await shared;
      },
    });
    const env = { ...service.env, PACEKEEPER_NOW: NOW, PACEKEEPER_STORE_URL: await freshDatabase() };
    await startWorker(env, machine(files)).ready;
    const run = machine(files);
    const dry = await runCli(['report', '--dry-run', '--format', 'json'], { cwd: run, env });
    type Rules = { rule: string; customer_id: string; not_evaluated: string | null }[];
    const { rules } = JSON.parse(dry.stdout) as { rules: Rules };
    const stopped = rules.filter(({ not_evaluated }) => not_evaluated !== null);
    const ofThird = all.map((id) => ['third', id]);
    expect(stopped.map(({ rule, customer_id }) => [rule, customer_id]).sort()).toEqual([
      ...ofThird,
      ...wrong.map((id) => ['trim', id]),
    ]);
    expect(reading).toBeGreaterThanOrEqual(6);

    expect((await runCli(['report'], { cwd: run, env })).code).toBe(1);
    // Where several rules ask, the name decides.
    const changed = service.changes.map(({ customer, to }) => [customer, to / BUDGET]).sort();
    expect(changed).toEqual(all.map((id) => [id, wrong.includes(id) ? 0.9 : 0.85]));
  });

  it('take no task while the clock of their machine is wrong, and then work by the files that they have read', async () => {
    const service = await accountsService({ accounts: 3 });
    const env = { ...service.env, PACEKEEPER_NOW: NOW, PACEKEEPER_STORE_URL: await freshDatabase() };
    const folder = machine();
    const worker = startWorker({ ...env, ...otherClock(2) }, folder);
    let said = '';
    worker.child.stderr?.on('data', (text) => {
      said += text;
    });
    await worker.ready;
    const beside = await runCli(['extract'], { cwd: machine(), env });
    expect(beside.stderr).toContain('Workers of another version, or with other settings or files, share nothing: 1.');
    expect(said).toContain("This worker takes no tasks: its clock is 120 s ahead of the database's clock.");
    writeFileSync(join(folder, 'queries/later.sql'), STATS_QUERY);
    worker.child.kill('SIGUSR2');
    while (!said.includes('The clock is right again')) await once(worker.child.stderr as NodeJS.ReadableStream, 'data');
    let run = await runCli(['extract'], { cwd: machine(), env });
    // The worker opens its queue again.
    while (!run.stderr.includes('Workers that share the work'))
      run = await runCli(['extract'], { cwd: machine(), env });
    worker.child.kill('SIGTERM');
    expect([beside.code, run.code, (await worker.ended).code]).toEqual([0, 0, 0]);
  });

  it('share nothing with a run whose clock is wrong, and such a run changes nothing and fails', async () => {
    const service = await accountsService({
      accounts: 2,
      onStream: (_customer, _response, end) => end(DAYS.map((day) => statsRow(day, 1))),
    });
    const env = { ...service.env, PACEKEEPER_NOW: NOW, PACEKEEPER_STORE_URL: await freshDatabase() };
    const cwd = machine({ rules: TRIM_ALL });
    const worker = startWorker(env, machine({ rules: TRIM_ALL }));
    await worker.ready;
    const run = await runCli(['report'], { cwd, env: { ...env, ...otherClock(26 * 60) } });
    expect([run.code, service.changes]).toEqual([1, []]);
    expect(run.stderr).toContain('the clocks of this machine and the database are 93600 s apart');
    const words =
      /No budget change is sent: this clock says \S+ \S+ UTC, but the clock of the database says \S+ \S+ UTC\./;
    expect(run.stdout.replace(/\s+/g, ' ')).toMatch(words);
    const right = await runCli(['report'], { cwd, env });
    expect([right.code, service.changes.length]).toEqual([0, 2]);
  });

  it('try a task four times, then the run does it: their clock differs', async () => {
    const accounts = 20;
    const { promise: noticed, resolve: notice } = Promise.withResolvers<void>();
    const service = await accountsService({
      accounts,
      onStream: (_customer, _response, end) => void noticed.then(() => end([])),
    });
    const env = { ...service.env, PACEKEEPER_STORE_URL: await freshDatabase() };
    const one = { queries: { 'one.sql': STATS_QUERY } };
    // Both are right enough for the database.
    const worker = startWorker({ ...env, ...otherClock(0.8) }, machine(one));
    await worker.ready;
    let refused = 0;
    worker.child.stderr?.on('data', (text) => {
      refused += String(text).split('The clock of this machine differs').length - 1;
      // The process of the run works on two tasks.
      if (refused >= (accounts - 2) * 4) notice();
    });
    const run = await runCli(['extract'], { cwd: machine(one), env: { ...env, ...otherClock(-0.8) } });
    worker.child.kill('SIGTERM');
    expect([run.code, (await worker.ended).code]).toEqual([0, 0]);
    const failed = "SELECT count(*) >= 18, max(retry_count) FROM pacekeeper_queue.job WHERE state = 'failed'";
    expect(await onDatabase(env.PACEKEEPER_STORE_URL, failed)).toEqual([[true, 3]]);
    expect(
      await onDatabase(env.PACEKEEPER_STORE_URL, 'SELECT state, count(*)::int FROM pacekeeper.slice GROUP BY 1'),
    ).toEqual([['done', accounts]]);
  });

  it('keep the limit of operations together', async () => {
    const accounts = 60;
    const held: (() => void)[] = [];
    const service = await accountsService({
      accounts,
      // Until more streams are open than the process of the run has.
      onStream(_customer, _response, end) {
        held.push(() => end([]));
        if (service.inFlightMax() > 2) for (const answer of held.splice(0)) answer();
      },
    });
    const env = { ...service.env, PACEKEEPER_NOW: NOW, PACEKEEPER_STORE_URL: await freshDatabase() };
    const limited = () => machine({ queries: { 'one.sql': STATS_QUERY }, settings: 'ads: { access: 100 }' });
    const worker = startWorker(env, limited());
    await worker.ready;
    const run = await runCli(['extract'], { cwd: limited(), env });
    expect([run.code, run.stderr.includes('Workers that share the work of this run: 1')]).toEqual([1, true]);
    const [[operations, left] = []] = await onDatabase(
      env.PACEKEEPER_STORE_URL,
      "SELECT max(operations)::int, count(*) FILTER (WHERE slice.state = 'planned')::int FROM pacekeeper.run, pacekeeper.slice",
    );
    // The first operation of the run asks for the units of currencies.
    expect([operations, left, service.streams.length]).toEqual([100, 21, 39]);
  });

  it('leave a run that is asked to stop: what was not read stays planned, and the next run reads it', async () => {
    const accounts = 60;
    const held: (() => void)[] = [];
    let open: ChildProcess | undefined;
    let isStopped = false;
    const service = await accountsService({
      accounts,
      onStream(_customer, _response, end) {
        held.push(() => end([]));
        if (service.inFlightMax() > 2 && !isStopped) open?.kill('SIGTERM');
        isStopped ||= service.inFlightMax() > 2;
        if (isStopped) for (const answer of held.splice(0)) answer();
      },
    });
    const env = { ...service.env, PACEKEEPER_NOW: NOW, PACEKEEPER_STORE_URL: await freshDatabase() };
    const one = { queries: { 'one.sql': STATS_QUERY } };
    const worker = startWorker(env, machine(one));
    await worker.ready;
    const onStart = (started: ChildProcess) => {
      open = started;
    };
    const stopped = await runCli(['extract'], { cwd: machine(one), env, onStart });
    const [row] = await onDatabase(
      env.PACEKEEPER_STORE_URL,
      "SELECT count(*)::int FROM pacekeeper.slice WHERE state = 'planned'",
    );
    const planned = Number(row?.[0]);
    const next = await runCli(['extract', '--resume'], { cwd: machine(one), env });
    expect([stopped.code, planned > 0, next.code]).toEqual([1, true, 0]);
    expect(
      await onDatabase(
        env.PACEKEEPER_STORE_URL,
        "SELECT run_id::int, count(*)::int FROM pacekeeper.slice WHERE state = 'done' GROUP BY 1 ORDER BY 1",
      ),
    ).toEqual([
      [1, accounts - planned],
      [2, planned],
    ]);
  });

  it('outlive a server that is stopped and started', async () => {
    const server = await ownPostgres();
    const service = await accountsService({ accounts: 3 });
    const env = { ...service.env, PACEKEEPER_NOW: NOW, PACEKEEPER_STORE_URL: urlOf(server, 'postgres') };
    const worker = startWorker(env);
    await worker.ready;
    const noticed = once(worker.child.stderr as NodeJS.ReadableStream, 'data');
    server.stop();
    await noticed;
    server.start();
    const run = await runCli(['extract'], { cwd: machine(), env });
    worker.child.kill('SIGTERM');
    expect([
      run.code,
      run.stderr.includes('Workers that share the work of this run: 1'),
      (await worker.ended).code,
    ]).toEqual([0, true, 0]);
  });

  it('take no task of a run with other files, and end at SIGTERM with 0', async () => {
    const service = await accountsService({ accounts: 3 });
    const env = { ...service.env, PACEKEEPER_NOW: NOW, PACEKEEPER_STORE_URL: await freshDatabase() };
    const worker = startWorker(env, machine({ queries: { 'other.sql': STATS_QUERY } }));
    await worker.ready;
    const run = await runCli(['extract'], { cwd: machine(), env });
    worker.child.kill('SIGTERM');
    const { code, stdout } = await worker.ended;
    expect([run.code, run.stderr.includes('Workers that share'), code]).toEqual([0, false, 0]);
    expect(run.stderr).toContain('Workers of another version, or with other settings or files, share nothing: 1.');
    expect(JSON.parse(stdout)).toEqual({
      worker: expect.stringContaining('@'),
      group: expect.stringMatching(/^[\da-f]{16}$/),
      concurrency: 4,
    });
  });
});

it('a worker without a database says what it needs', async () => {
  const { code, stderr } = await runCli(['worker'], { cwd: machine() });
  expect([code, stderr]).toEqual([2, expect.stringContaining('it needs a database')]);
});
