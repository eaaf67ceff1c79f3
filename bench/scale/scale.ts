import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { onDatabase, startPostgres, urlOf } from '../../test/support/postgres-server.ts';
import { type AccountsJob, SENT_PATH, type Sent } from '../accounts/many-accounts.ts';
import { type PartReport, renderTable, whole } from '../figures.ts';
import { withFolder } from '../folders.ts';
import type { Measurement } from '../measurement.ts';
import { runProgram, withServer, withStarted } from '../processes.ts';
import { QUERY_FILE } from '../query.ts';
import { compareTotals, type Totals } from '../totals.ts';

export type ScaleSizes = AccountsJob;

/** The process of the run, and workers. */
const PROCESSES = [1, 2, 4];
/** So that a process mostly waits for the service. */
const CONCURRENCY = 1;
const TIMES_MIN = 3.5;

const TOTALS = `SELECT count(*)::text, sum(impressions)::text, sum(clicks)::text, sum(cost_micros)::text
  FROM warehouse.keyword_stats`;

/** Measures an extraction of many accounts into PostgreSQL that one process reads, against several. */
export async function benchScale(folder: string, sizes: ScaleSizes): Promise<PartReport> {
  const server = await startPostgres('');
  process.once('exit', () => server.end());
  const found: { readonly processes: number; readonly measurement: Measurement }[] = [];
  for (const processes of PROCESSES) {
    const name = `scale_${processes}`;
    await onDatabase(urlOf(server, 'postgres'), `CREATE DATABASE ${name}`);
    const url = urlOf(server, name);
    const measurement = await withServer('accounts/serve-accounts', sizes, (service) =>
      withFolder(folder, (own) => readBy(processes, own, service, url)),
    );
    found.push({ processes, measurement });
    process.stderr.write(`scale, ${processes} processes: ${JSON.stringify(measurement)}\n`);
    await onDatabase(urlOf(server, 'postgres'), `DROP DATABASE ${name} WITH (FORCE)`);
  }
  server.end();
  const { accounts, rowsEach, latencyMs } = sizes;
  const alone = found[0]?.measurement.seconds ?? 0;
  const times = ({ seconds }: Measurement) => alone / seconds;
  const rows = found.map(({ processes, measurement }) => [
    whole(processes),
    measurement.seconds.toFixed(1),
    whole(accounts / measurement.seconds),
    whole((accounts * rowsEach) / measurement.seconds),
    whole(measurement.peakMiB),
    `${times(measurement).toFixed(2)} ×`,
  ]);
  const most = found.at(-1);
  const isReached = most !== undefined && times(most.measurement) >= TIMES_MIN;
  return {
    figures: `${renderTable(['processes', 'seconds', 'accounts/s', 'rows/s', 'peak MiB of the run', 'ratio'], rows)}

Target: four at least ${TIMES_MIN} × (${isReached ? 'reached' : 'not yet'}). ${whole(accounts)} accounts of ${whole(rowsEach)} rows, ${latencyMs} ms before each answer, one account at a time in each process.`,
    targets: [],
  };
}

/** One run, after which the table has what was sent. */
async function readBy(processes: number, folder: string, service: string, url: string): Promise<Measurement> {
  const env = {
    PACEKEEPER_TARGET: 'live',
    PACEKEEPER_STORE_URL: url,
    ADS_URL: service,
    ADS_ACCESS_TOKEN: 'bench',
    ADS_DEVELOPER_TOKEN: 'bench',
  };
  const machines = Array.from({ length: processes }, (_, index) => machine(join(folder, `machine-${index}`)));
  const withWorkers = async (rest: readonly string[]): Promise<Measurement> => {
    const [next, ...others] = rest;
    if (next === undefined) return runProgram(machines[0] ?? '', ['extract'], env);
    const args = ['worker', '--concurrency', String(CONCURRENCY)];
    return withStarted(next, args, env, () => withWorkers(others));
  };
  const measurement = await withWorkers(machines.slice(1));
  const { totals } = (await (await fetch(service + SENT_PATH)).json()) as Sent;
  const [row] = (await onDatabase(url, TOTALS)) as [string, string, string, string][];
  const [rows = '', impressions = '', clicks = '', costMicros = ''] = row ?? [];
  const found: Totals = { rows, impressions, clicks, costMicros };
  compareTotals('keyword_stats', found, totals);
  return measurement;
}

function machine(folder: string): string {
  for (const name of ['queries', 'rules']) mkdirSync(join(folder, name), { recursive: true });
  copyFileSync(QUERY_FILE, join(folder, 'queries', basename(QUERY_FILE)));
  writeFileSync(join(folder, 'pacekeeper.yaml'), `extract: { concurrency: ${CONCURRENCY} }\n`);
  return folder;
}
