/**
 * How often a test repeats what is random or has many places: `npm test` takes a sample, `npm run test:thorough` (in CI)
 * all places and more histories, `npm run test:long` takes hours. The larger ones include the smaller ones.
 */
const { MODE } = process.env;
export const isLong = MODE === 'long';
export const isThorough = isLong || MODE === 'thorough';

export function byEffort<Amount>(amounts: {
  readonly quick: Amount;
  readonly thorough: Amount;
  readonly long?: Amount;
}): Amount {
  if (isLong && amounts.long !== undefined) return amounts.long;
  return isThorough ? amounts.thorough : amounts.quick;
}

/** For tables of whole runs: every third row, `npm run test:thorough` takes all. */
export function sample<Row extends unknown[] | [unknown]>(rows: readonly Row[]): readonly Row[];
export function sample<Row>(rows: readonly Row[]): readonly Row[];
export function sample<Row>(rows: readonly Row[]): readonly Row[] {
  return isThorough ? rows : rows.filter((_, index) => index % 3 === 0);
}
