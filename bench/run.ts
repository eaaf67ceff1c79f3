import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { benchCheck } from './bench-check.ts';
import { benchExtraction } from './bench-extraction.ts';
import { machineLine } from './machine-line.ts';
import { writePart } from './page.ts';
import { renderCheckPart, renderGrowths, renderProcesses } from './write-check-results.ts';
import { renderExtractionPart, renderPipelines, renderTargets } from './write-extraction-results.ts';

/**
 * `npm run bench -- [extraction] [check] [--runs 5] [--rows 1000000] [--memory-rows 5000000] [--check-runs 21]
 * [--files 1000]`: measures, prints, and writes the measured parts of docs/benchmarks.md; without a name, both. Ends with
 * status 1 when any process failed or stored other rows than the response held.
 */
const PARTS = ['extraction', 'check'];
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '5' },
    rows: { type: 'string', default: '1000000' },
    'memory-rows': { type: 'string', default: '5000000' },
    'check-runs': { type: 'string', default: '21' },
    files: { type: 'string', default: '1000' },
  },
});
const unknown = positionals.find((name) => !PARTS.includes(name));
if (unknown !== undefined) throw new RangeError(`Reading a part: found ${unknown}, expected ${PARTS.join(' or ')}.`);
const wanted = positionals.length > 0 ? positionals : PARTS;
const extraction = {
  runs: readCount('--runs', values.runs),
  rows: readCount('--rows', values.rows),
  memoryRows: readCount('--memory-rows', values['memory-rows']),
};
const check = { runs: readCount('--check-runs', values['check-runs']), files: readCount('--files', values.files) };
const options = process.argv.slice(2);
const command = ['npm run bench', ...(options.length > 0 ? ['--', ...options] : [])].join(' ');

const folder = mkdtempSync(join(tmpdir(), 'pacekeeper-bench-run-'));
const removeFolder = () => rmSync(folder, { recursive: true, force: true });
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    removeFolder();
    process.exit(130);
  });
}
try {
  if (wanted.includes('extraction')) {
    const summary = await benchExtraction(folder, extraction);
    process.stdout.write(`${renderPipelines(summary)}\n\n${renderTargets(summary)}\n\n`);
    writePart('extraction', renderExtractionPart(summary, command));
  }
  if (wanted.includes('check')) {
    const results = await benchCheck(folder, check);
    process.stdout.write(`${renderProcesses(results)}\n\n${renderGrowths(results)}\n\n`);
    writePart('check', renderCheckPart(results, command));
  }
  process.stdout.write(`${machineLine()}\n`);
} finally {
  removeFolder();
}

function readCount(option: string, text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new RangeError(`Reading ${option}: found ${text}, expected a whole number.`);
  return Number(text);
}
