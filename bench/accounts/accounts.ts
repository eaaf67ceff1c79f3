import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import Database from 'better-sqlite3';
import { PEAK_MIB_MAX } from '../extraction/extraction.ts';
import { describeRuns, type PartReport, renderPipelines, whole } from '../figures.ts';
import { withFolder } from '../folders.ts';
import { interleave, type Measurement, medianOf, ratioOf } from '../measurement.ts';
import { childPath, PROGRAM, withServer } from '../processes.ts';
import { benchQuery, QUERY_FILE } from '../query.ts';
import { checkTotals } from '../totals.ts';
import { type AccountsJob, SENT_PATH, type Sent } from './many-accounts.ts';

export interface AccountsSizes extends AccountsJob {
  readonly runs: number;
}

/** What the program is asked to do; the rules' folder is empty, so a report is reading and publishing. */
const COMMAND = ['extract'];
const ONE_BY_ONE = 'extract: { concurrency: 1 }\n';
const TIMES_FASTER_MIN = 8;

/** Measures the program over many accounts against the same with one at a time: target 6. */
export async function benchAccounts(folder: string, sizes: AccountsSizes): Promise<PartReport> {
  const requests: number[] = [];
  const readAll = async (settings: string): Promise<Measurement> => {
    const { measurement, sent } = await withServer('accounts/serve-accounts', sizes, (url) =>
      withFolder(folder, (own) => readAccounts(own, url, settings, sizes.accounts)),
    );
    requests.push(sent.requests);
    return measurement;
  };
  const rounds = await interleave(
    'accounts',
    sizes.runs,
    () => readAll(ONE_BY_ONE),
    () => readAll(''),
  );
  const oneByOne = medianOf(rounds, ({ baseline }) => baseline);
  const together = medianOf(rounds, ({ ours }) => ours);
  const timesFaster = ratioOf(rounds, ({ baseline, ours }) => baseline.seconds / ours.seconds);
  const { runs, accounts, rowsEach, latencyMs } = sizes;
  const rows = accounts * rowsEach;
  const times = timesFaster.median.toFixed(1);
  const table = renderPipelines([
    { name: '`extract: { concurrency: 1 }`', rows, measurement: oneByOne, ratio: '1' },
    {
      name: "pacekeeper's defaults",
      rows,
      measurement: together,
      ratio: `${times} × faster`,
      rounds: timesFaster,
    },
  ]);
  return {
    figures: `${table}

${describeRuns(runs)} ${whole(accounts)} accounts of ${whole(rowsEach)} rows, ${latencyMs} ms before each answer, at most ${whole(Math.max(...requests))} requests a run.`,
    targets: [
      {
        number: 6,
        found: `${times} × and ${whole(together.peakMiB)} MiB`,
        reached: timesFaster.median >= TIMES_FASTER_MIN && together.peakMiB <= PEAK_MIB_MAX,
      },
    ],
  };
}

/** One run in a new folder; afterwards the table holds what was sent. */
async function readAccounts(
  folder: string,
  url: string,
  settings: string,
  accounts: number,
): Promise<{ readonly measurement: Measurement; readonly sent: Sent }> {
  for (const name of ['queries', 'rules']) mkdirSync(join(folder, name));
  copyFileSync(QUERY_FILE, join(folder, 'queries', basename(QUERY_FILE)));
  writeFileSync(join(folder, 'pacekeeper.yaml'), settings);
  const live = { PACEKEEPER_TARGET: 'live', ADS_URL: url, ADS_ACCESS_TOKEN: 'bench', ADS_DEVELOPER_TOKEN: 'bench' };
  const measurement = await runProgram(folder, COMMAND, live);
  const sent = (await (await fetch(url + SENT_PATH)).json()) as Sent;
  if (sent.accounts !== accounts) {
    throw new Error(`Reading many accounts: found ${sent.accounts} that were asked for, expected ${accounts}.`);
  }
  const state = new Database(join(folder, 'data', 'state.sqlite'), { readonly: true });
  checkTotals(state, benchQuery().name, sent.totals);
  state.close();
  return { measurement, sent };
}

/**
 * Runs the program in the folder, with this environment and no other, to its end. Seconds are those of the whole cold
 * process. Throws with the end of what it wrote when it does not end with 0.
 */
async function runProgram(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Measurement> {
  const memory = join(folder, 'memory');
  const startedMs = performance.now();
  const child = spawn(
    process.execPath,
    ['--import', pathToFileURL(childPath('accounts/note-memory')).href, PROGRAM, ...args],
    {
      cwd: folder,
      env: { PATH: process.env.PATH ?? '', BENCH_MEMORY: memory, ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  const ended = once(child, 'close');
  let said = '';
  for await (const text of child.stderr.setEncoding('utf8')) said = (said + text).slice(-2_000);
  const [code, signal] = await ended;
  const seconds = (performance.now() - startedMs) / 1_000;
  if (code !== 0)
    throw new Error(`pacekeeper ${args[0]}: found ${signal ?? `exit status ${code}`}, expected 0.\n${said}`);
  return { seconds, peakMiB: Number(readFileSync(memory, 'utf8')) / 1024 };
}
