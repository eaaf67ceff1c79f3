import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { benchAccounts } from './bench-accounts.ts';
import { benchAnomalies } from './bench-anomalies.ts';
import { benchBacktest } from './bench-backtest.ts';
import { benchCheck } from './bench-check.ts';
import { benchExtraction } from './bench-extraction.ts';
import { benchGrowth } from './bench-growth.ts';
import { benchPage } from './bench-page.ts';
import { benchPeers } from './bench-peers.ts';
import { benchPublish } from './bench-publish.ts';
import { benchRules } from './bench-rules.ts';
import { benchServe } from './bench-serve.ts';
import { benchSimulate } from './bench-simulate.ts';
import { benchStart } from './bench-start.ts';
import { type FilledTable, fillTable } from './fill-table.ts';
import { machineLine } from './machine-line.ts';
import { writePart } from './page.ts';
import type { PartReport } from './part-report.ts';
import { type Options, type PartName, readOptions } from './read-options.ts';
import { reportAccounts } from './write-accounts-results.ts';
import { reportAnomalies } from './write-anomalies-results.ts';
import { reportBacktest } from './write-backtest-results.ts';
import { reportCheck } from './write-check-results.ts';
import { reportExtraction } from './write-extraction-results.ts';
import { reportGrowth } from './write-growth-results.ts';
import { reportPage } from './write-page-results.ts';
import { reportPeers } from './write-peers-results.ts';
import { reportPublish } from './write-publish-results.ts';
import { reportRules } from './write-rules-results.ts';
import { reportServe } from './write-serve-results.ts';
import { reportSimulate } from './write-simulate-results.ts';
import { reportStart } from './write-start-results.ts';

/** Parts whose figures stand on a page of their own. */
const PAGES: Partial<Record<PartName, string>> = { anomalies: 'docs/anomalies.md' };

/**
 * `npm run bench -- [extraction] [growth] [accounts] [publish] [rules] [peers] [check] [serve] [start] [page]
 * [backtest] [anomalies] [simulate] [options]`: measures, prints, and writes the
 * measured parts of docs/benchmarks.md; read-options.ts has the options. Ends with status 1 when any process failed or
 * stored other rows than the response held.
 */
try {
  await run(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}

async function run(args: readonly string[]): Promise<void> {
  const options = readOptions(args);
  // Where somebody keeps the year is nobody's business.
  const shown = args.map((arg, place) => (args[place - 1] === '--data' ? basename(arg) : arg));
  const command = ['npm run bench', ...(shown.length > 0 ? ['--', ...shown] : [])].join(' ');
  const folder = mkdtempSync(join(tmpdir(), 'pacekeeper-bench-run-'));
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      removeFolder();
      process.exit(130);
    });
  }
  try {
    const measure = partsIn(folder, options);
    for (const part of options.parts) {
      const report = await measure[part]();
      const targets = report.targets.map(
        ({ number, found, reached }) => `target ${number}: ${found}, ${reached ? 'reached' : 'not yet'}\n`,
      );
      process.stdout.write(`${report.figures}\n\n${targets.join('')}\n`);
      if (options.file !== undefined) writePart(PAGES[part] ?? options.file, part, report, command);
    }
    process.stdout.write(`${machineLine()}\n`);
    if (options.file === undefined)
      process.stdout.write('Fewer rows than the targets speak of: no page was written.\n');
  } finally {
    removeFolder();
  }
}

function partsIn(
  folder: string,
  { extraction, growth, accounts, rules, check, serve, start, page, backtest, simulate, tableRows, data }: Options,
): Readonly<Record<PartName, () => Promise<PartReport>>> {
  let filling: Promise<FilledTable> | undefined;
  // Filled once for all parts that need it.
  const filled = () => {
    filling ??= fillTable(folder, growth.rows, tableRows);
    return filling;
  };
  return {
    extraction: async () => reportExtraction(await benchExtraction(folder, extraction)),
    growth: async () => reportGrowth(await benchGrowth(folder, await filled(), growth)),
    accounts: async () => reportAccounts(await benchAccounts(folder, accounts)),
    publish: async () => reportPublish(await benchPublish(folder, await filled(), growth.runs)),
    rules: async () => reportRules(await benchRules(folder, rules)),
    peers: async () => reportPeers(await benchPeers(folder, extraction)),
    check: async () => reportCheck(await benchCheck(folder, check)),
    serve: async () => reportServe(await benchServe(folder, serve)),
    start: async () => reportStart(await benchStart(start)),
    page: async () => reportPage(await benchPage(folder, page)),
    backtest: async () => reportBacktest(await benchBacktest(folder, backtest)),
    anomalies: async () => reportAnomalies(await benchAnomalies(data)),
    simulate: async () => reportSimulate(await benchSimulate(simulate)),
  };
}
