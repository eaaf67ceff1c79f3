import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import pMap from 'p-map';
import { keepInput } from './corpus.ts';
import { type FuzzOptions, readOptions, USAGE } from './read-options.ts';
import { TARGETS } from './targets.ts';
import { minimiseFatal, type Watched, type WatchedFailure, watchWorker } from './watch-worker.ts';
import { WRONG_TARGETS } from './wrong-targets.ts';

const PROGRAM = new URL('worker.js', import.meta.url);
const IN_MEMORY = '/dev/shm';
/** As many targets are fuzzed at once. */
const AT_ONCE = Math.min(2, availableParallelism());
const PROOF_MS = 20_000;
const REACHED_BYTES_MAX = 1_024;
/** A target that hangs or dies is begun again without that input, so often. */
const RESTARTS_MAX = 5;

/**
 * `npm run fuzz`: tries hostile inputs on every target for its share of the time. Ends with status 1 when anything was found;
 * the input, as short as it could be made, is in the corpus then.
 */
// In memory where the system has such a folder: a database that waits for the disk after every input is fed with a tenth of them.
const folder = mkdtempSync(join(existsSync(IN_MEMORY) ? IN_MEMORY : tmpdir(), 'pacekeeper-fuzz-'));
// Threads keep their files there, and one that is ended can take nothing away.
process.env.TMPDIR = folder;
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const read = readOptions(
  process.argv.slice(2),
  TARGETS.map(({ name }) => name),
);
if (read.kind === 'help') process.stdout.write(`${USAGE}\n`);
else if (read.kind === 'wrong') {
  process.stderr.write(`error: ${read.message}\n${USAGE}\n`);
  process.exitCode = 2;
} else process.exitCode = (await (read.options.prove ? prove : fuzzAll)(read.options)) ? 0 : 1;

async function fuzzAll(options: FuzzOptions): Promise<boolean> {
  const shareMs = (options.minutes * 60_000 * AT_ONCE) / options.targets.length;
  write(['target', 'inputs', 'a second', 'places reached', 'kept', 'found'], 'Fuzzing, seed ', options.seed);
  let findings = 0;
  const fuzzOne = async (target: string): Promise<void> => {
    const { found, inputs, seconds, places, kept } = await fuzzTarget(target, shareMs, options);
    findings += found.length;
    write([target, inputs, Math.round(inputs / Math.max(seconds, 0.001)), places, kept.length, found.length]);
    for (const { message, input } of found) {
      const file = keepInput(target, 'found', input);
      process.stdout.write(
        `  found: ${JSON.stringify(message)}\n    ${JSON.stringify(shown(input))}\n    kept as ${file}\n`,
      );
    }
    const small = kept.filter(({ length }) => length <= REACHED_BYTES_MAX);
    for (const input of small.slice(-options.keep || small.length)) keepInput(target, 'reached', input);
  };
  await pMap(options.targets, fuzzOne, { concurrency: AT_ONCE });
  return findings === 0;
}

interface Outcome extends Omit<Watched, 'fatal'> {
  readonly found: readonly WatchedFailure[];
  readonly seconds: number;
}

async function fuzzTarget(target: string, shareMs: number, { seed, inputsMax }: FuzzOptions): Promise<Outcome> {
  const beganMs = Date.now();
  const found: WatchedFailure[] = [];
  const skip: Buffer[] = [];
  let inputs = 0;
  let places = 0;
  const kept: Buffer[] = [];
  for (let turn = 0; turn <= RESTARTS_MAX; turn += 1) {
    const task = { kind: 'fuzz', forMs: shareMs / (turn + 1), inputsMax } as const;
    const watched = await watchWorker(PROGRAM, { target, seed: seed + turn, skip, task }, (failure) => {
      found.push(failure);
    });
    inputs += watched.inputs;
    places = Math.max(places, watched.places);
    kept.push(...watched.kept);
    if (watched.fatal === undefined) break;
    skip.push(watched.fatal.input);
    const least = await minimiseFatal(PROGRAM, target, watched.fatal);
    if (least) found.push({ ...watched.fatal, input: least });
  }
  return { inputs, places, kept, found, seconds: (Date.now() - beganMs) / 1000 };
}

/** Each wrong program has to be found out, or the fuzzer is the one that is wrong. */
async function prove({ seed }: FuzzOptions): Promise<boolean> {
  let missed = 0;
  for (const { name: target } of WRONG_TARGETS) {
    const found: WatchedFailure[] = [];
    const task = { kind: 'fuzz', forMs: PROOF_MS, inputsMax: 20_000 } as const;
    const { fatal } = await watchWorker(PROGRAM, { target, seed, skip: [], task }, (failure) => found.push(failure));
    const least = fatal && (await minimiseFatal(PROGRAM, target, fatal));
    if (least) found.push({ ...fatal, input: least });
    const [first] = found;
    if (!first) missed += 1;
    process.stdout.write(`${target}: ${first ? `found with ${JSON.stringify(shown(first.input))}` : 'MISSED'}\n`);
  }
  return missed === 0;
}

function shown(input: Buffer): string {
  return input.subarray(0, 200).toString('utf8');
}

function write(cells: readonly (string | number)[], title = '', seed: number | string = ''): void {
  if (title !== '') process.stdout.write(`${title}${seed}\n`);
  const line = cells.map((cell, place) => (place === 0 ? String(cell).padEnd(18) : String(cell).padStart(15))).join('');
  process.stdout.write(`${line}\n`);
}
