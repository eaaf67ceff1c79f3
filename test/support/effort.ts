import { spawnSync } from 'node:child_process';

/**
 * How often a test repeats what is random or has many places: `npm test` takes a sample, `npm run test:thorough` (in CI)
 * more places of what it runs, `npm run test:long` all places and hours of histories. The larger ones include the smaller ones.
 */
const { MODE, EFFORT } = process.env;
/** `EFFORT=long` is for the tests that run in a mode of their own. */
export const isLong = MODE === 'long' || EFFORT === 'long';
export const isThorough = isLong || MODE === 'thorough';

/** Turns what is taken of tables and series: the same for one commit, another for the next. `SAMPLE=7` chooses. */
export const TURN = Number(process.env.SAMPLE ?? commitNumber());

function commitNumber(): number {
  const { stdout } = spawnSync('git', ['rev-parse', '--short=6', 'HEAD'], { encoding: 'utf8' });
  return Number.parseInt(stdout, 16) || 0;
}

export function byEffort<Amount>(amounts: {
  readonly quick: Amount;
  readonly thorough: Amount;
  readonly long?: Amount;
}): Amount {
  if (isLong && amounts.long !== undefined) return amounts.long;
  return isThorough ? amounts.thorough : amounts.quick;
}

/**
 * For tables whose rows start runs, processes or services: `npm test` takes every third row, `npm run test:thorough` the
 * others, so that both together, in CI, take all.
 */
export function sample<Row extends unknown[] | [unknown]>(rows: readonly Row[]): readonly Row[];
export function sample<Row>(rows: readonly Row[]): readonly Row[];
export function sample<Row>(rows: readonly Row[]): readonly Row[] {
  if (isLong || rows.length < 2) return rows;
  return rows.filter((_, index) => (index % 3 === (TURN % 3) % rows.length) !== isThorough);
}

/**
 * For long series of places to be killed at, and for what proves again and again that a check can fail: every nth and the
 * last, other ones with each commit. `npm run test:long` takes all.
 */
export function everyNth<Place>(nth: number, places: readonly Place[]): readonly Place[] {
  const isTaken = (index: number) => index % nth === TURN % nth || index === places.length - 1;
  return isLong ? places : places.filter((_, index) => isTaken(index));
}
