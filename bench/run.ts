import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { benchAccounts } from './bench-accounts.ts';
import { benchCheck } from './bench-check.ts';
import { benchExtraction } from './bench-extraction.ts';
import { benchGrowth } from './bench-growth.ts';
import { benchPeers } from './bench-peers.ts';
import { benchPublish } from './bench-publish.ts';
import { type FilledTable, fillTable } from './fill-table.ts';
import { machineLine } from './machine-line.ts';
import { writePart } from './page.ts';
import type { PartReport } from './part-report.ts';
import { type PartName, readOptions } from './read-options.ts';
import { reportAccounts } from './write-accounts-results.ts';
import { reportCheck } from './write-check-results.ts';
import { reportExtraction } from './write-extraction-results.ts';
import { reportGrowth } from './write-growth-results.ts';
import { reportPeers } from './write-peers-results.ts';
import { reportPublish } from './write-publish-results.ts';

/**
 * `npm run bench -- [extraction] [growth] [accounts] [publish] [peers] [check] [options]`: measures, prints, and writes the
 * measured parts of docs/benchmarks.md; read-options.ts has the options. Ends with status 1 when any process failed or
 * stored other rows than the response held.
 */
const args = process.argv.slice(2);
const options = readOptions(args);
const command = ['npm run bench', ...(args.length > 0 ? ['--', ...args] : [])].join(' ');

const folder = mkdtempSync(join(tmpdir(), 'pacekeeper-bench-run-'));
const removeFolder = () => rmSync(folder, { recursive: true, force: true });
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    removeFolder();
    process.exit(130);
  });
}

let filling: Promise<FilledTable> | undefined;
/** Filled once for all parts that need it. */
function filled(): Promise<FilledTable> {
  filling ??= fillTable(folder, options.growth.rows, options.tableRows);
  return filling;
}

const PARTS: Readonly<Record<PartName, () => Promise<PartReport>>> = {
  extraction: async () => reportExtraction(await benchExtraction(folder, options.extraction)),
  growth: async () => reportGrowth(await benchGrowth(folder, await filled(), options.growth)),
  accounts: async () => reportAccounts(await benchAccounts(folder, options.accounts)),
  publish: async () => reportPublish(await benchPublish(folder, await filled(), options.growth.runs)),
  peers: async () => reportPeers(await benchPeers(folder, options.extraction)),
  check: async () => reportCheck(await benchCheck(folder, options.check)),
};

try {
  for (const part of options.parts) {
    const report = await PARTS[part]();
    const targets = report.targets.map(
      ({ number, found, reached }) => `target ${number}: ${found}, ${reached ? 'reached' : 'not yet'}\n`,
    );
    process.stdout.write(`${report.figures}\n\n${targets.join('')}\n`);
    if (options.page !== undefined) writePart(options.page, part, report, command);
  }
  process.stdout.write(`${machineLine()}\n`);
} finally {
  removeFolder();
}
