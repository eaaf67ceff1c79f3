import { createHash } from 'node:crypto';
import { closeSync, existsSync, openSync, readFileSync, renameSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { readJob } from '../measurement.ts';
import { benchQuery, noonMs } from '../query.ts';
import type { Totals } from '../totals.ts';
import type { GeneratedResponse, ResponseJob } from './response.ts';
import { type SandboxAnswer, sandboxAnswer } from './sandbox-answer.ts';

/**
 * `generate-child.js JOB`: writes the sandbox's answer to queries/keyword_stats.sql into a file of the folder, unless an
 * earlier run left it there, and prints a {@link GeneratedResponse}. A process of its own: what it allocates is
 * nobody's measurement.
 */
const { rows, window, folder } = readJob<ResponseJob>();
const name = `pacekeeper-bench-${rows}-rows-${window.days}-days-before-${window.today}-${fingerprint()}.json`;
const file = join(folder, name);
if (!existsSync(`${file}.totals`)) generate();
const totals = JSON.parse(readFileSync(`${file}.totals`, 'utf8')) as Totals;
const response: GeneratedResponse = { file, window, totals, bytes: statSync(file).size };
process.stdout.write(JSON.stringify(response));

function generate(): void {
  const { batches, totals } = answer(rows);
  const unfinished = `${file}.${process.pid}`;
  const out = openSync(unfinished, 'w');
  let before = '[';
  for (const batch of batches) {
    writeSync(out, before + batch);
    before = ',\n';
  }
  writeSync(out, ']');
  closeSync(out);
  renameSync(unfinished, file);
  // Written last: a response without its totals is one that was never finished.
  writeFileSync(`${file}.totals`, JSON.stringify(totals()));
}

/** Changes when the sandbox writes rows in another way, so that no stale file is ever measured. */
function fingerprint(): string {
  const hash = createHash('sha256');
  for (const batch of answer(1_000).batches) hash.update(batch);
  return hash.digest('hex').slice(0, 12);
}

function answer(wanted: number): SandboxAnswer {
  return sandboxAnswer({ rows: wanted, days: window.days }, benchQuery().text, noonMs(window.today));
}
