import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { settingsSchema } from '../../src/config/settings.ts';
import { proveWhole } from '../../src/engine/budgets/verify-audit.ts';
import { onDatabase, startPostgres, urlOf } from '../../test/support/postgres-server.ts';
import { type AccountsJob, SENT_PATH, type Sent } from '../accounts/many-accounts.ts';
import { type PartReport, renderTable, whole } from '../figures.ts';
import { withFolder } from '../folders.ts';
import type { Measurement } from '../measurement.ts';
import { peakMiBIn, runChild, runProgram, withServer, withStarted } from '../processes.ts';
import { QUERY_FILE } from '../query.ts';
import { openStore } from '../store.ts';
import { compareTotals, type Totals } from '../totals.ts';
import type { AppendJob } from './append-child.ts';

export interface ScaleSizes extends AccountsJob {
  /** The process of the run and its workers, for each measurement. */
  readonly processes: readonly number[];
  /** Accounts that each process reads at a time. By default, the setting's own default. */
  readonly concurrency: number | undefined;
}

const TIMES_MIN = 3.5;
const WORKER_MIB_MAX = 250;
const IDLE_PER_SECOND_MAX = 1;

interface Found {
  readonly processes: number;
  readonly run: Measurement;
  /** Of the largest worker. Undefined without workers. */
  readonly workerMiB: number | undefined;
}

const TOTALS = `SELECT count(*)::text, sum(impressions)::text, sum(clicks)::text, sum(cost_micros)::text
  FROM warehouse.keyword_stats`;

/** Measures an extraction of many accounts into PostgreSQL that one process reads, against several. */
export async function benchScale(folder: string, sizes: ScaleSizes): Promise<PartReport> {
  const server = await startPostgres('');
  process.once('exit', () => server.end());
  const found: Found[] = [];
  for (const processes of sizes.processes) {
    const name = `scale_${processes}`;
    await onDatabase(urlOf(server, 'postgres'), `CREATE DATABASE ${name}`);
    const url = urlOf(server, name);
    const one = await withServer('accounts/serve-accounts', sizes, (service) =>
      withFolder(folder, (own) => readBy(processes, sizes.concurrency, own, service, url)),
    );
    found.push(one);
    const [[bytes]] = (await onDatabase(url, 'SELECT pg_database_size(current_database())::text')) as [[string]];
    process.stderr.write(`scale: ${JSON.stringify(one)}, ${bytes} bytes of database\n`);
    await onDatabase(urlOf(server, 'postgres'), `DROP DATABASE ${name} WITH (FORCE)`);
  }
  const idle = await withFolder(folder, (own) => benchIdle(own, urlOf(server, 'postgres')));
  const chain = await benchChain(urlOf(server, 'postgres'), sizes.processes);
  server.end();
  const { accounts, rowsEach, latencyMs, concurrency } = sizes;
  const alone = found.find(({ processes }) => processes === 1)?.run.seconds;
  const times = ({ run }: Found) => (alone ?? 0) / run.seconds;
  const rows = found.map((one) => [
    whole(one.processes),
    one.run.seconds.toFixed(1),
    (accounts / one.run.seconds).toFixed(1),
    whole((accounts * rowsEach) / one.run.seconds),
    whole(one.run.peakMiB),
    one.workerMiB === undefined ? '' : whole(one.workerMiB),
    alone === undefined ? '' : `${times(one).toFixed(2)} ×`,
  ]);
  const four = found.find(({ processes }) => processes === 4);
  const workersMiB = found.flatMap(({ workerMiB }) => workerMiB ?? []);
  const verdict = (reached: boolean | undefined) =>
    reached === undefined ? 'not measured' : reached ? 'reached' : 'not yet';
  const isFast = alone === undefined || four === undefined ? undefined : times(four) >= TIMES_MIN;
  const isQuiet = idle <= IDLE_PER_SECOND_MAX;
  const isSmall = workersMiB.length === 0 ? undefined : Math.max(...workersMiB) <= WORKER_MIB_MAX;
  const atATime =
    concurrency === undefined ? `${settingsSchema.parse({}).extract.concurrency} (the default)` : whole(concurrency);
  const heads = [
    'processes',
    'seconds',
    'accounts/s',
    'rows/s',
    'MiB of the run',
    'MiB of the largest worker',
    'ratio',
  ];
  return {
    figures: `${renderTable(heads, rows)}

Targets: four at least ${TIMES_MIN} × (${verdict(isFast)}), a worker at most ${WORKER_MIB_MAX} MiB (${verdict(isSmall)}), without tasks at most ${IDLE_PER_SECOND_MAX} transaction a second (${idle.toFixed(2)}: ${verdict(isQuiet)}). ${whole(accounts)} accounts of ${whole(rowsEach)} rows, ${latencyMs} ms before each answer, ${atATime} at a time in each process.`,
    targets: [],
    apart: { chain },
  };
}

const IDLE_S = 60;
/** Its first statements are over then, and the server has counted them. */
const STARTED_S = 10;

/** Returns the transactions a second of a worker that has no tasks. */
async function benchIdle(folder: string, admin: string): Promise<number> {
  await onDatabase(admin, 'CREATE DATABASE idle');
  const url = admin.replace(/postgres$/, 'idle');
  const transactions = async () => {
    const sql = "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = 'idle'";
    return Number((await onDatabase(admin, sql))[0]?.[0]);
  };
  const done = await withStarted(machine(folder), ['worker'], liveOn(url, 'http://127.0.0.1:9'), async () => {
    await setTimeout(STARTED_S * 1000);
    const before = await transactions();
    await setTimeout(IDLE_S * 1000);
    return (await transactions()) - before;
  });
  await onDatabase(admin, 'DROP DATABASE idle WITH (FORCE)');
  return done / IDLE_S;
}

const EVENTS = 4_000;

/** Measures how fast several processes together append to one audit trail, in which only one writes at a time. */
async function benchChain(admin: string, counts: readonly number[]): Promise<string> {
  const rows: string[][] = [];
  for (const processes of counts) {
    await onDatabase(admin, 'CREATE DATABASE chain');
    const database = admin.replace(/postgres$/, 'chain');
    await (await openStore(database)).close();
    const job: AppendJob = { database, events: EVENTS / processes };
    const each = Array.from({ length: processes }, () => runChild<{ readonly seconds: number }>('scale/append', job));
    const seconds = Math.max(...(await Promise.all(each)).map((one) => one.seconds));
    await proveChain(database);
    await onDatabase(admin, 'DROP DATABASE chain WITH (FORCE)');
    rows.push([whole(processes), whole(EVENTS / seconds), ((seconds / EVENTS) * 1000).toFixed(2)]);
  }
  return renderTable(['processes', 'events/s', 'ms an event'], rows);
}

async function proveChain(database: string): Promise<void> {
  const store = await openStore(database);
  const { problems, head } = await proveWhole(store);
  await store.close();
  if (problems.length > 0 || Number(head?.id) !== EVENTS) throw new Error(`The audit trail is broken: ${problems[0]}`);
}

/** One run, after which the table has what was sent. */
async function readBy(
  processes: number,
  concurrency: number | undefined,
  folder: string,
  service: string,
  url: string,
): Promise<Found> {
  const env = liveOn(url, service);
  const machines = Array.from({ length: processes }, (_, index) =>
    machine(join(folder, `machine-${index}`), concurrency),
  );
  const withWorkers = async (rest: readonly string[]): Promise<Measurement> => {
    const [next, ...others] = rest;
    if (next === undefined) return runProgram(machines[0] ?? '', ['extract'], env);
    return withStarted(next, ['worker'], env, () => withWorkers(others));
  };
  const workers = machines.slice(1);
  const run = await withWorkers(workers);
  const { totals } = (await (await fetch(service + SENT_PATH)).json()) as Sent;
  const [row] = (await onDatabase(url, TOTALS)) as [string, string, string, string][];
  const [rows = '', impressions = '', clicks = '', costMicros = ''] = row ?? [];
  const found: Totals = { rows, impressions, clicks, costMicros };
  compareTotals('keyword_stats', found, totals);
  return { processes, run, workerMiB: workers.length > 0 ? Math.max(...workers.map(peakMiBIn)) : undefined };
}

function liveOn(url: string, service: string) {
  return {
    PACEKEEPER_TARGET: 'live',
    PACEKEEPER_STORE_URL: url,
    ADS_URL: service,
    ADS_ACCESS_TOKEN: 'bench',
    ADS_DEVELOPER_TOKEN: 'bench',
  };
}

function machine(folder: string, concurrency?: number): string {
  for (const name of ['queries', 'rules']) mkdirSync(join(folder, name), { recursive: true });
  copyFileSync(QUERY_FILE, join(folder, 'queries', basename(QUERY_FILE)));
  const settings = `extract: { concurrency: ${concurrency} }\n`;
  if (concurrency !== undefined) writeFileSync(join(folder, 'pacekeeper.yaml'), settings);
  return folder;
}
