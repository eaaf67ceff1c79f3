import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { GeneratedResponse, Measurement } from './measurement.ts';
import { runChild } from './run-child.ts';
import { extractOnce, runRounds } from './run-rounds.ts';
import { sumUpRounds } from './sum-up-rounds.ts';
import { machineLine, renderPage, renderPipelines, renderTargets } from './write-results.ts';

/**
 * `npm run bench -- [--runs 5] [--rows 1000000] [--memory-rows 5000000]`: measures, prints, and writes docs/benchmarks.md.
 * Ends with status 1 when any process failed or stored other rows than the response held. The response of `--rows`
 * stays in the temporary folder for the next time; everything else made here is removed.
 */
const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '5' },
    rows: { type: 'string', default: '1000000' },
    'memory-rows': { type: 'string', default: '5000000' },
  },
});
const runs = readCount('--runs', values.runs);
const rows = readCount('--rows', values.rows);
const memoryRows = readCount('--memory-rows', values['memory-rows']);

const folder = mkdtempSync(join(tmpdir(), 'pacekeeper-bench-run-'));
const removeFolder = () => rmSync(folder, { recursive: true, force: true });
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    removeFolder();
    process.exit(130);
  });
}
try {
  const response = await generate(rows);
  const rounds = await runRounds(folder, response, runs);
  const memory = await measureMemory(response);
  const summary = sumUpRounds(rounds, { rows, bytes: response.bytes, memoryRows, memory });
  process.stdout.write(`${renderPipelines(summary)}\n\n${renderTargets(summary)}\n\n${machineLine()}\n`);
  const options = process.argv.slice(2);
  const command = ['npm run bench', ...(options.length > 0 ? ['--', ...options] : [])].join(' ');
  writeFileSync('docs/benchmarks.md', renderPage(summary, command));
} finally {
  removeFolder();
}

async function generate(count: number): Promise<GeneratedResponse> {
  process.stderr.write(`response of ${count} rows\n`);
  return runChild<GeneratedResponse>('generate-response', String(count));
}

/** The large response takes gigabytes, so it does not stay. */
async function measureMemory(usual: GeneratedResponse): Promise<Measurement> {
  const large = memoryRows === rows ? usual : await generate(memoryRows);
  try {
    return await extractOnce(folder, large);
  } finally {
    if (large !== usual) for (const file of [large.file, `${large.file}.totals`]) rmSync(file);
  }
}

function readCount(option: string, text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new RangeError(`Reading ${option}: found ${text}, expected a whole number.`);
  return Number(text);
}
