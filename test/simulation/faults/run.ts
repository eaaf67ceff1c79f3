import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { makeTemplate, startPostgres } from '../../support/postgres-server.ts';
import { Coverage } from './coverage.ts';
import { type Lived, liveSeed } from './live-seed.ts';
import { prepareProduct } from './product.ts';
import { readOptions, type SimulationOptions, USAGE } from './read-options.ts';

/** What a process for some of the seeds tells of each. */
type Told = Pick<Lived, 'seed' | 'hash' | 'violations' | 'kills' | 'losses' | 'ends' | 'events' | 'virtualMs'> & {
  readonly faults: readonly (readonly [string, number])[];
  readonly traced: readonly string[];
};

/** So many seeds meet every place and every fault, or the stories lead nowhere any more. */
const ALL_MET_SEEDS = 1000;

const read = readOptions(process.argv.slice(2));
if (read.kind === 'help') process.stdout.write(`${USAGE}\n`);
else if (read.kind === 'wrong') {
  process.stderr.write(`error: ${read.message}\n${USAGE}\n`);
  process.exitCode = 2;
} else if (read.options.share !== undefined) {
  await liveShare(read.options, read.options.share, (told) => process.send?.(told));
} else process.exitCode = await liveAll(read.options);

/** Lives through every n-th seed, one after the other. */
async function liveShare(
  { engine, from, seeds }: SimulationOptions,
  [part, parts]: readonly [number, number],
  tell: (told: Told) => unknown,
) {
  const server = engine === 'postgres' ? await startPostgres() : undefined;
  const product = await prepareProduct(server && (await makeTemplate(server)));
  try {
    for (let seed = from + part; seed < from + seeds; seed += parts) {
      const { faults, ...lived } = await liveSeed(product, seed);
      tell({ ...lived, faults: [...faults] });
    }
  } finally {
    product.remove();
    server?.end();
  }
}

/** As many processes as there are processors; answers with the exit code. */
async function liveAll(chosen: SimulationOptions): Promise<number> {
  const coverage = new Coverage();
  const failed: Told[] = [];
  const startedMs = performance.now();
  const take = (told: Told) => {
    coverage.add({ ...told, faults: new Map(told.faults) });
    if (told.violations.length > 0) failed.push(told);
    if (chosen.only) process.stdout.write(`${told.traced.join('\n')}\n`);
    if (told.violations.length > 0 || chosen.only) process.stdout.write(`${wordsOf(told, chosen.engine)}\n`);
  };
  const parts = Math.min(availableParallelism(), chosen.seeds);
  if (parts === 1) await liveShare(chosen, [0, 1], take);
  else await Promise.all(Array.from({ length: parts }, (_, part) => liveBeside(chosen, `${part}/${parts}`, take)));
  const seconds = (performance.now() - startedMs) / 1000;
  process.stdout.write(`${coverage.lines().join('\n')}\n${seconds.toFixed(0)} s, ${failed.length} seeds failed\n`);
  const isWhole = coverage.seeds === chosen.seeds;
  if (!isWhole) process.stderr.write(`error: only ${coverage.seeds} of ${chosen.seeds} seeds were lived through.\n`);
  const missing = chosen.seeds >= ALL_MET_SEEDS ? coverage.missing() : [];
  if (missing.length > 0) {
    process.stderr.write(
      `error: ${chosen.seeds} seeds never met ${missing.join(', ')}: change the stories until they do.\n`,
    );
  }
  return failed.length === 0 && isWhole && missing.length === 0 ? 0 : 1;
}

function liveBeside(
  { engine, from, seeds }: SimulationOptions,
  share: string,
  take: (told: Told) => void,
): Promise<void> {
  const args = ['--engine', engine, '--from', `${from}`, '--seeds', `${seeds}`, `--share=${share}`];
  return new Promise((over, failed) => {
    const child = fork(process.argv[1] ?? '', args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    child.on('message', (told) => take(told as Told));
    child.once('error', failed);
    child.once('exit', () => over());
  });
}

function wordsOf({ seed, hash, violations }: Told, engine: SimulationOptions['engine']): string {
  if (violations.length === 0) return `seed ${seed}: ${hash}`;
  return [
    `seed ${seed} (${hash}) failed: npm run simulate:faults -- --engine ${engine} --seed ${seed}`,
    ...violations.map((one) => `  ${one}`),
  ].join('\n');
}
