import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { benchAccounts } from './accounts/accounts.ts';
import { benchAnomalies } from './anomalies/anomalies.ts';
import { benchBacktest } from './backtest/backtest.ts';
import { machineLine, PAGE, preparePage, writeBrief, writePart } from './benchmarks-page.ts';
import { benchCheck } from './check/check.ts';
import { benchClients } from './clients/clients.ts';
import { benchExtraction } from './extraction/extraction.ts';
import type { PartReport } from './figures.ts';
import { benchGrowth, type FilledTable, fillTable } from './growth.ts';
import { benchPage } from './page/page.ts';
import { benchPages } from './pages/pages.ts';
import { benchPeers } from './peers/peers.ts';
import { benchPostgres } from './postgres/postgres.ts';
import { benchPublish } from './publish/publish.ts';
import { type Options, type PartName, readOptions } from './read-options.ts';
import { benchRules } from './rules/rules.ts';
import { benchScale } from './scale/scale.ts';
import { benchServe } from './serve/serve.ts';
import { benchSimulate } from './simulate/simulate.ts';
import { benchStart } from './start.ts';
import { benchYear } from './year.ts';

/** Parts whose figures stand on a page of their own. */
const PAGES: Partial<Record<PartName, string>> = { anomalies: 'docs/anomalies.md' };

/**
 * `npm run bench -- [extraction] [growth] [accounts] [publish] [rules] [postgres] [scale] [peers] [check] [serve] [start] [page]
 * [pages] [backtest] [anomalies] [simulate] [clients] [year] [options]`: measures, prints, and writes the
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
  if (options.file !== undefined) preparePage(options.file);
  // Where somebody keeps files is nobody's business.
  const shown = args.map((arg, place) => (['--data', '--gaarf'].includes(args[place - 1] ?? '') ? basename(arg) : arg));
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
      const apart = Object.entries(report.apart ?? {});
      const shownFigures = [report.figures, ...apart.map(([, figures]) => figures)];
      process.stdout.write(`${shownFigures.join('\n\n')}\n\n${targets.join('')}\n`);
      if (options.file === undefined) continue;
      const page = PAGES[part] ?? options.file;
      writePart(page, part, report, command);
      if (report.brief !== undefined && options.file === PAGE) writeBrief(part, report.brief);
      for (const [name, figures] of apart) writePart(page, name, { figures, targets: [] }, command);
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
  {
    extraction,
    growth,
    accounts,
    rules,
    postgres,
    scale,
    check,
    serve,
    start,
    page,
    backtest,
    simulate,
    clients,
    tableRows,
    data,
    peers,
  }: Options,
): Readonly<Record<PartName, () => Promise<PartReport>>> {
  let filling: Promise<FilledTable> | undefined;
  // Filled once for all parts that need it.
  const filled = () => {
    filling ??= fillTable(folder, growth.rows, tableRows);
    return filling;
  };
  return {
    extraction: async () => benchExtraction(folder, extraction),
    growth: async () => benchGrowth(folder, await filled(), growth),
    accounts: async () => benchAccounts(folder, accounts),
    publish: async () => benchPublish(folder, await filled(), growth.runs),
    rules: async () => benchRules(folder, rules),
    postgres: async () => benchPostgres(folder, postgres),
    scale: async () => benchScale(folder, scale),
    peers: async () => benchPeers(folder, peers),
    check: async () => benchCheck(folder, check),
    serve: async () => benchServe(folder, serve),
    start: async () => benchStart(start),
    page: async () => benchPage(folder, page),
    pages: async () => benchPages(folder, page),
    backtest: async () => benchBacktest(folder, backtest),
    anomalies: async () => benchAnomalies(data),
    simulate: async () => benchSimulate(simulate),
    clients: async () => benchClients(folder, clients),
    year: async () => benchYear(folder, data && resolve(data), growth.runs),
  };
}
