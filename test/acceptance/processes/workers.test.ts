import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { accountsService, BUDGET, STATS_QUERY, statsRow } from '../../support/accounts-service.ts';
import { byEffort } from '../../support/effort.ts';
import { describePostgres, freshDatabase, onDatabase, ownPostgres, urlOf } from '../../support/postgres-server.ts';
import { runCli } from '../../support/run-cli.ts';
import { machine, startWorker, TRIM_ALL } from '../../support/workers.ts';

const NOW = '2026-11-20T12:00:00Z';
/** When the service no longer shows amounts from before the changes. */
const LATER = '2026-11-20T15:00:00Z';
const DAYS = ['2026-11-13', '2026-11-14', '2026-11-15', '2026-11-16', '2026-11-17', '2026-11-18', '2026-11-19'];

describePostgres('workers', () => {
  it('share a run: killed at random, they lose and double no row, change or alert', async () => {
    const accounts = byEffort({ quick: 20, thorough: 100, long: 1000 });
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
  }, 300_000);

  it('change budgets for a run, but not after a freeze', async () => {
    let validating = 0;
    const { promise: frozen, resolve: freeze } = Promise.withResolvers<void>();
    const service = await accountsService({
      accounts: 6,
      onStream: (_customer, _response, end) => end(DAYS.map((day) => statsRow(day, 1))),
      async onBudgets(kind) {
        if (kind !== 'validate') return;
        validating += 1;
        // More than the process of the run has open.
        if (validating === 3)
          freeze(runCli(['freeze', '--by', 'anna', '--why', 'a sale'], { cwd, env }).then(() => {}));
        await frozen;
      },
    });
    const env = { ...service.env, PACEKEEPER_NOW: NOW, PACEKEEPER_STORE_URL: await freshDatabase() };
    const cwd = machine({ rules: TRIM_ALL });
    const worker = startWorker(env, machine({ rules: TRIM_ALL }));
    await worker.ready;
    const run = await runCli(['report'], { cwd, env });
    expect(run.stdout).toContain('frozen by anna');
    expect(service.changes).toEqual([]);
    const intents = 'SELECT state, code, count(*)::int FROM pacekeeper.budget_intent GROUP BY 1, 2';
    expect(await onDatabase(env.PACEKEEPER_STORE_URL, intents)).toEqual([['expired', 'FROZEN', 6]]);
  });

  it('try a task four times, then the run does it: their clock differs', async () => {
    const accounts = 20;
    const { promise: noticed, resolve: notice } = Promise.withResolvers<void>();
    const service = await accountsService({
      accounts,
      onStream: (_customer, _response, end) => void noticed.then(() => end([])),
    });
    const env = { ...service.env, PACEKEEPER_NOW: NOW, PACEKEEPER_STORE_URL: await freshDatabase() };
    const one = { queries: { 'one.sql': STATS_QUERY } };
    const worker = startWorker({ ...env, PACEKEEPER_NOW: '2026-11-20T09:00:00Z' }, machine(one));
    await worker.ready;
    let refused = 0;
    worker.child.stderr?.on('data', (text) => {
      refused += String(text).split('The clock of this machine differs').length - 1;
      // The process of the run works on two tasks.
      if (refused >= (accounts - 2) * 4) notice();
    });
    const run = await runCli(['extract'], { cwd: machine(one), env });
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
    const limited = () => machine({ queries: { 'one.sql': STATS_QUERY }, extract: ', operations_per_day: 100' });
    const worker = startWorker(env, limited());
    await worker.ready;
    const run = await runCli(['extract'], { cwd: limited(), env });
    expect([run.code, run.stderr.includes('Workers that share the work of this run: 1')]).toEqual([1, true]);
    const [[operations, left] = []] = await onDatabase(
      env.PACEKEEPER_STORE_URL,
      "SELECT max(operations)::int, count(*) FILTER (WHERE slice.state = 'planned')::int FROM pacekeeper.run, pacekeeper.slice",
    );
    expect([operations, left, service.streams.length]).toEqual([100, 20, 40]);
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
