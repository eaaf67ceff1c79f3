import type { Coverage } from './coverage.ts';
import { minimise } from './inputs/minimise.ts';
import { mutate } from './inputs/mutate.ts';
import { Random } from './inputs/random.ts';
import { Finding, type Target } from './target.ts';
import { threadMs } from './thread-time.ts';

/** A way in which a target failed. */
export interface Failure {
  /** The same for inputs that most likely fail for one reason. */
  readonly key: string;
  readonly message: string;
  /** As short as it could be made. */
  readonly input: Buffer;
}

export interface Fuzzed {
  readonly inputs: number;
  /** Inputs that reached something new, and were mutated on. */
  readonly kept: readonly Buffer[];
  readonly failures: readonly Failure[];
}

export interface Watch {
  /** Told of every input before it is tried. */
  before(input: Buffer): void;
  /** Asked before every input whether to go on. */
  goesOn(inputs: number): boolean;
  found(failure: Failure): void;
}

const FAILURES_MAX = 20;
const KEPT_MAX = 20_000;
/** An input that is no larger takes a small part of that time, whatever stands in it. */
const SLOW_BYTES = 64 * 1024;
const SLOW_MS = 2_000;
/** Each takes {@link SLOW_MS} and more. */
const SLOW_TRIES = 12;

/**
 * Tries inputs until `watch` has enough: first those of the corpus as they are, then what the target writes by its grammar
 * and what mutations make of all of them. What reaches something new is kept and mutated on. The same seed, corpus and
 * program give the same inputs.
 */
export async function fuzz(
  target: Target,
  options: { readonly seed: number; readonly corpus: readonly Buffer[]; readonly coverage?: Coverage | undefined },
  watch: Watch,
): Promise<Fuzzed> {
  const { seed, corpus, coverage } = options;
  const random = new Random(seed);
  const pool = [...corpus];
  const kept: Buffer[] = [];
  const failures = new Map<string, Failure>();
  let inputs = 0;

  const next = (): Buffer => {
    const given = corpus[inputs];
    if (given) return given;
    if (target.generate && (pool.length === 0 || random.oneIn(3))) {
      const written = Buffer.from(target.generate(random));
      return random.oneIn(2) ? written : mutate(written, random, around);
    }
    // Half of the time one of the newest: it leads to where nothing has been yet.
    const from = random.oneIn(2) ? Math.max(0, pool.length - 50) : 0;
    return mutate(pool[from + random.below(pool.length - from)] ?? Buffer.alloc(0), random, around);
  };
  const around = { tokens: target.tokens, other: () => (pool.length === 0 ? Buffer.alloc(0) : random.pick(pool)) };

  while (failures.size < FAILURES_MAX && watch.goesOn(inputs)) {
    const input = next();
    inputs += 1;
    watch.before(input);
    coverage?.begin();
    const failure = await failureOrSlow(target, input);
    if (coverage && coverage.news() > 0 && inputs > corpus.length && kept.length < KEPT_MAX) {
      pool.push(input);
      kept.push(input);
    }
    if (failure === undefined || failures.has(failure.key)) continue;
    const fails = async (candidate: Buffer): Promise<boolean> => {
      watch.before(candidate);
      return (await failureOrSlow(target, candidate))?.key === failure.key;
    };
    const least = await minimise(input, fails, failure.key === SLOW ? SLOW_TRIES : undefined);
    const found = { ...failure, input: least };
    failures.set(failure.key, found);
    watch.found(found);
  }
  return { inputs, kept, failures: [...failures.values()] };
}

const SLOW = 'Slow';

/** A failure, or an input that ends well and takes too long, by the time that the thread itself had. */
async function failureOrSlow(target: Target, input: Buffer): Promise<Failure | undefined> {
  const beganMs = threadMs();
  const failure = await failureOf(target, input);
  const tookMs = threadMs() - beganMs;
  if (failure || tookMs <= SLOW_MS || input.length > SLOW_BYTES) return failure;
  const message = `${SLOW}: ${(tookMs / 1000).toFixed(1)} s of a processor for ${input.length} bytes`;
  return { key: SLOW, message, input };
}

/** Why the target fails for this input; undefined where it does not. */
export async function failureOf(target: Target, input: Buffer): Promise<Failure | undefined> {
  try {
    await target.judge(input);
    refusePollution();
    return undefined;
  } catch (error) {
    const { name, message, stack = '' } = error instanceof Error ? error : new Error(String(error));
    const places = stack.split('\n').filter((line) => /^\s+at /.test(line) && !line.includes('node:'));
    // What is said of a finding, without what it quotes; for any other error where it came from.
    const what =
      name === 'Finding' ? message.split(':')[0] : `${message.replace(/\d+/g, '0').slice(0, 60)}${places[0]}`;
    return { key: `${name} ${what}`, message: `${name}: ${message}\n${places.slice(0, 4).join('\n')}`, input };
  }
}

const PROTOTYPES = [Object, Array, Function, String, Number, Boolean, Map, Set, Date, RegExp, Error, Promise].map(
  ({ prototype }) => ({ prototype: prototype as object, keys: Reflect.ownKeys(prototype).length }),
);

/** Nobody's input may leave anything on what all objects share. */
function refusePollution(): void {
  for (const { prototype, keys } of PROTOTYPES) {
    const now = Reflect.ownKeys(prototype);
    if (now.length === keys) continue;
    const names = now.slice(keys);
    for (const name of names) Reflect.deleteProperty(prototype, name);
    throw new Finding(`A prototype has more than before: ${names.map(String).join(', ')}`);
  }
}
