import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import Database from 'better-sqlite3';
import { type AccountsJob, SENT_PATH, type Sent } from './accounts-job.ts';
import { benchQuery, QUERY_FILE } from './bench-query.ts';
import { interleave, medianOf, type Ratio, ratioOf } from './interleave.ts';
import type { Measurement } from './measurement.ts';
import { withServer } from './run-child.ts';
import { runProgram } from './run-program.ts';
import { checkTotals } from './totals.ts';
import { withFolder } from './with-folder.ts';

export interface AccountsSizes extends AccountsJob {
  readonly runs: number;
}

export interface AccountsResults extends AccountsSizes {
  readonly oneByOne: Measurement;
  readonly together: Measurement;
  readonly timesFaster: Ratio;
  readonly requests: number;
}

/** What the program is asked to do; the rules' folder is empty, so a report is reading and publishing. */
const COMMAND = ['extract'];
const ONE_BY_ONE = 'extract: { concurrency: 1 }\n';

/** Measures the program over many accounts against the same with one at a time. */
export async function benchAccounts(folder: string, sizes: AccountsSizes): Promise<AccountsResults> {
  const requests: number[] = [];
  const readAll = async (settings: string): Promise<Measurement> => {
    const { measurement, sent } = await withServer('serve-accounts', sizes, (url) =>
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
  return {
    ...sizes,
    oneByOne: medianOf(rounds, ({ baseline }) => baseline),
    together: medianOf(rounds, ({ ours }) => ours),
    timesFaster: ratioOf(rounds, ({ baseline, ours }) => baseline.seconds / ours.seconds),
    requests: Math.max(...requests),
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
