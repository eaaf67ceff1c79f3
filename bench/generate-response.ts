import { createHash } from 'node:crypto';
import { closeSync, existsSync, openSync, readFileSync, renameSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { issuedTokens, sandboxCredentials } from '../src/sandbox/credentials.ts';
import { openSandboxStore } from '../src/sandbox/sandbox-store.ts';
import { searchStream } from '../src/sandbox/search-stream.ts';
import type { AdsCall, Service } from '../src/sandbox/service.ts';
import { benchQuery, NOW_MS } from './bench-query.ts';
import { bigAccount } from './big-account.ts';
import type { GeneratedResponse } from './measurement.ts';
import type { Totals } from './totals.ts';

/**
 * `generate-response.js ROWS`: writes the sandbox's answer to queries/keyword_stats.sql into a file of the temporary
 * folder, unless an earlier run left it there, and prints a {@link GeneratedResponse}. A process of its own: what it
 * allocates is nobody's measurement.
 */
const rows = Number(process.argv[2]);
const file = join(tmpdir(), `pacekeeper-bench-${rows}-rows-${fingerprint()}.json`);
if (!existsSync(`${file}.totals`)) generate();
const totals = JSON.parse(readFileSync(`${file}.totals`, 'utf8')) as Totals;
const response: GeneratedResponse = { file, totals, bytes: statSync(file).size };
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

function answer(wanted: number): { readonly batches: Iterable<string>; readonly totals: () => Totals } {
  const { account, market, totals } = bigAccount(wanted);
  const clock = { now: () => NOW_MS };
  const service: Service = {
    ...{ clock, seed: 1, strict: false, market, store: openSandboxStore(':memory:') },
    ...{ credentials: sandboxCredentials(''), tokens: issuedTokens(clock) },
  };
  const call: AdsCall = { version: 'v25', account, requestId: 'bench', body: { query: benchQuery().text } };
  const { body } = searchStream(service, call);
  if (body.kind !== 'batches') throw new Error(`The sandbox refused the query: ${body.text}`);
  return { batches: body.batches, totals };
}
