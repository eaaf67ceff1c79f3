import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import Database from 'better-sqlite3';
import { PEAK_MIB_MAX } from '../extraction/extraction.ts';
import { describeRuns, type PartReport, renderPipelines, renderTable, whole, withSpread } from '../figures.ts';
import { withFolder } from '../folders.ts';
import { interleave, type Measurement, medianOf, ratioOf } from '../measurement.ts';
import { runProgram, withServer } from '../processes.ts';
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
const REPORT_RATIO_MAX = 1.2;

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
  const reports = await interleave(
    'a whole report',
    sizes.runs,
    () => withShipped(folder, sizes, 'extract'),
    () => withShipped(folder, sizes, 'report'),
  );
  const extract = medianOf(reports, ({ baseline }) => baseline);
  const report = medianOf(reports, ({ ours }) => ours);
  const timesExtract = ratioOf(reports, ({ baseline, ours }) => ours.seconds / baseline.seconds);
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
    apart: {
      report: `${renderTable(
        ['', 'seconds', 'peak MiB', 'ratio'],
        [
          ['E: `pacekeeper extract`', extract.seconds.toFixed(1), whole(extract.peakMiB), '1'],
          [
            '`pacekeeper report`',
            report.seconds.toFixed(1),
            whole(report.peakMiB),
            withSpread(`${timesExtract.median.toFixed(2)} × E`, timesExtract),
          ],
        ],
      )}

Targets: at most ${REPORT_RATIO_MAX} × E (${timesExtract.median <= REPORT_RATIO_MAX ? 'reached' : 'not yet'}) and ${PEAK_MIB_MAX} MiB (${report.peakMiB <= PEAK_MIB_MAX ? 'reached' : 'not yet'}). ${describeRuns(runs)} ${whole(accounts)} accounts, ${latencyMs} ms before each answer.`,
    },
    targets: [
      {
        number: 6,
        found: `${times} × and ${whole(together.peakMiB)} MiB`,
        reached: timesFaster.median >= TIMES_FASTER_MIN && together.peakMiB <= PEAK_MIB_MAX,
      },
    ],
  };
}

/** The second run in a folder with the shipped queries, models and rules; each account has nine keywords and 90 days. */
async function withShipped(
  folder: string,
  { accounts, latencyMs }: AccountsSizes,
  command: 'extract' | 'report',
): Promise<Measurement> {
  return withFolder(folder, async (own) => {
    for (const name of ['queries', 'rules', 'models']) {
      for (const file of readdirSync(name, { withFileTypes: true })) {
        if (!file.isFile()) continue;
        mkdirSync(join(own, name), { recursive: true });
        copyFileSync(join(name, file.name), join(own, name, file.name));
      }
    }
    const ahead = join(own, 'ahead');
    writeFileSync(ahead, '0');
    return withServer('soak/soak-service', { accounts, latencyMs, ahead }, async (url) => {
      await runProgram(own, ['report'], live(url));
      return runProgram(own, [command], live(url));
    });
  });
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
  const measurement = await runProgram(folder, COMMAND, live(url));
  const sent = (await (await fetch(url + SENT_PATH)).json()) as Sent;
  if (sent.accounts !== accounts) {
    throw new Error(`Reading many accounts: found ${sent.accounts} that were asked for, expected ${accounts}.`);
  }
  const state = new Database(join(folder, 'data', 'state.sqlite'), { readonly: true });
  checkTotals(state, benchQuery().name, sent.totals);
  state.close();
  return { measurement, sent };
}

const live = (url: string) => ({
  PACEKEEPER_TARGET: 'live',
  ADS_URL: url,
  ADS_ACCESS_TOKEN: 'bench',
  ADS_DEVELOPER_TOKEN: 'bench',
});
