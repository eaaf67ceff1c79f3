import { tmpdir } from 'node:os';
import { onDatabase, startPostgres, urlOf } from '../../test/support/postgres-server.ts';
import { generateResponse, withLoad } from '../extraction/response.ts';
import { describeRuns, type PartReport, renderPipelines, renderTable, whole, withSpread } from '../figures.ts';
import { withDatabase } from '../folders.ts';
import { compareMeasured, type Measurement, medianOf, type Ratio, ratioOf } from '../measurement.ts';
import { runChild } from '../processes.ts';
import { WINDOW } from '../query.ts';
import { DAYS, KEYWORDS, RULES, type RulesJob } from '../rules/rules-job.ts';

export interface PostgresSizes {
  readonly runs: number;
  readonly rows: number;
  readonly campaigns: number;
}

const TIMES_INSERT_MIN = 3;
const TIMES_SQLITE_MIN = 0.4;
const RULES_BY_SUMS_MAX = 1.5;

interface Round {
  readonly sqlite: Measurement;
  readonly ours: Measurement;
  readonly again: Measurement;
  readonly insert: Measurement;
  readonly copy: Measurement;
}

/** Measures loads into a server of its own against simple loaders there and against SQLite, and rules against sums. */
export async function benchPostgres(folder: string, { runs, rows, campaigns }: PostgresSizes): Promise<PartReport> {
  // With the settings of a new server, it flushes to the disk.
  const server = await startPostgres('');
  process.once('exit', () => server.end());
  let made = 0;
  const withUrl = async <Result>(work: (url: string) => Promise<Result>): Promise<Result> => {
    made += 1;
    const name = `bench_${made}`;
    await onDatabase(urlOf(server, 'postgres'), `CREATE DATABASE ${name}`);
    const result = await work(urlOf(server, name));
    await onDatabase(urlOf(server, 'postgres'), `DROP DATABASE ${name}`);
    // Nobody pays for the pages of an earlier run.
    await onDatabase(urlOf(server, 'postgres'), 'CHECKPOINT');
    return result;
  };
  const response = await generateResponse(tmpdir(), rows, WINDOW);
  const rounds: Round[] = [];
  await withLoad(response, async (load) => {
    for (let run = 0; run < runs; run += 1) {
      const sqlite = await withDatabase(folder, (database) => load('extraction/extract', database));
      const own = await withUrl(async (url) => ({
        ours: await load('extraction/extract', url),
        again: await load('extraction/extract', url),
      }));
      const insert = await withUrl((url) => load('postgres/insert', url));
      const copy = await withUrl((url) => load('postgres/copy', url));
      const round = { sqlite, ...own, insert, copy };
      rounds.push(round);
      process.stderr.write(`postgres, run ${run + 1} of ${runs}: ${JSON.stringify(round)}\n`);
    }
  });
  const rules = await withUrl(async (url) => {
    const job: RulesJob = { database: url, campaigns, days: DAYS };
    await runChild('postgres/fill', job);
    // The server does this by itself within a minute.
    await onDatabase(url, 'ANALYZE');
    const sum = () => runChild<Measurement>('postgres/sums', job);
    // Not counted: it brings the table into the machine's memory for both.
    await sum();
    return compareMeasured('rules', runs, sum, () => runChild<Measurement>('rules/rules', job));
  });
  server.end();
  const timesInsert = ratioOf(rounds, ({ insert, ours }) => insert.seconds / ours.seconds);
  const timesCopy = ratioOf(rounds, ({ copy, ours }) => copy.seconds / ours.seconds);
  const timesSqlite = ratioOf(rounds, ({ sqlite, ours }) => sqlite.seconds / ours.seconds);
  const againByFirst = ratioOf(rounds, ({ again, ours }) => again.seconds / ours.seconds);
  const line = (name: string, side: keyof Round, ratio: string) => ({
    name,
    rows,
    measurement: medianOf(rounds, (round) => round[side]),
    ratio,
  });
  const loads = renderPipelines([
    line("K: kysely's inserts", 'insert', '1'),
    line('C: plain COPY', 'copy', '1'),
    line('S: pacekeeper into SQLite', 'sqlite', '1'),
    line(
      'pacekeeper into PostgreSQL',
      'ours',
      [times(timesInsert, 'K'), times(timesCopy, 'C'), times(timesSqlite, 'S')].join(', '),
    ),
    line('the same slice again', 'again', times(againByFirst, "the first load's time")),
  ]);
  const sums = renderTable(
    [`${whole(campaigns * DAYS * KEYWORDS)} rows`, 'seconds', 'ratio'],
    [
      ['A: a plain SQL sum', rules.baseline.seconds.toFixed(2), '1'],
      [`pacekeeper, ${RULES} rules`, rules.ours.seconds.toFixed(2), times(rules.ratio, 'A')],
    ],
  );
  const verdict = (reached: boolean) => (reached ? 'reached' : 'not yet');
  const targets = [
    `at least ${TIMES_INSERT_MIN} × K (${verdict(timesInsert.median >= TIMES_INSERT_MIN)})`,
    `at least ${TIMES_SQLITE_MIN} × S (${verdict(timesSqlite.median >= TIMES_SQLITE_MIN)})`,
    `at most ${RULES_BY_SUMS_MAX} × A (${verdict(rules.ratio.median <= RULES_BY_SUMS_MAX)})`,
  ];
  return { figures: `${loads}\n\n${sums}\n\nTargets: ${targets.join(', ')}. ${describeRuns(runs)}`, targets: [] };
}

const times = (ratio: Ratio, of: string): string => withSpread(`${ratio.median.toFixed(2)} × ${of}`, ratio);
