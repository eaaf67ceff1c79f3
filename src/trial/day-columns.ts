import type { Rational } from '../domain/rational.ts';

/** One metric of a day: a value for each of the day's rows. */
interface MetricColumn {
  /** Whole numbers of 64 bits for as long as all are; any after one that is not. */
  values: BigInt64Array | bigint[];
  /** The rows that have no value; undefined when all have one. */
  missing: Set<number> | undefined;
  /** The value farthest from zero, without its sign: sums of columns are kept in 64 bits only where they fit for sure. */
  largest: bigint;
}

/** The sums of some days by member, in the place of the member's number. */
export interface StretchSums {
  /** The number of the attributes that a member's newest row has; -1 for a member without a row. */
  readonly attributes: Int32Array;
  readonly metrics: readonly {
    readonly totals: BigInt64Array | bigint[];
    /** Members of which some row has no value. */
    readonly missing: ReadonlySet<number>;
  }[];
}

const INT64_MAX = 2n ** 63n - 1n;
const ROWS_AT_FIRST = 16;

/**
 * What members had on one day, column by column: a value takes eight bytes, and a row no object of its own, so that months
 * of an account with many keywords fit into memory.
 */
export class DayColumns {
  #size = 0;
  #members = new Int32Array(ROWS_AT_FIRST);
  #attributes = new Int32Array(ROWS_AT_FIRST);
  readonly #metrics: MetricColumn[];

  constructor(metrics: number) {
    this.#metrics = Array.from({ length: metrics }, () => ({
      ...{ values: new BigInt64Array(ROWS_AT_FIRST), missing: undefined, largest: 0n },
    }));
  }

  /** Takes the row of a member, known by its number; so are its attributes. */
  add(member: number, attributes: number, sums: readonly (bigint | null)[]): void {
    const row = this.#size;
    if (row === this.#members.length) this.#grow();
    this.#size += 1;
    this.#members[row] = member;
    this.#attributes[row] = attributes;
    for (const [index, column] of this.#metrics.entries()) setValue(column, row, sums[index] ?? null);
  }

  /** The same rows with other values: each times its metric's factor, a fraction rounded towards zero; as it is without one. */
  times(factors: readonly (Rational | undefined)[]): DayColumns {
    const scaled = new DayColumns(0);
    scaled.#size = this.#size;
    scaled.#members = this.#members;
    scaled.#attributes = this.#attributes;
    for (const [index, column] of this.#metrics.entries()) {
      const factor = factors[index];
      scaled.#metrics.push(factor === undefined ? column : timesFactor(column, this.#size, factor));
    }
    return scaled;
  }

  #grow(): void {
    const rows = this.#members.length * 2;
    this.#members = longer(this.#members, new Int32Array(rows));
    this.#attributes = longer(this.#attributes, new Int32Array(rows));
    for (const column of this.#metrics) {
      if (column.values instanceof BigInt64Array) column.values = longer(column.values, new BigInt64Array(rows));
    }
  }

  /** @param newestFirst The days of the stretch that have rows. */
  static sum(newestFirst: readonly DayColumns[], metrics: readonly number[], members: number): StretchSums {
    const attributes = new Int32Array(members).fill(-1);
    for (const day of newestFirst) {
      for (let row = 0; row < day.#size; row += 1) {
        const member = day.#members[row] ?? 0;
        if (attributes[member] === -1) attributes[member] = day.#attributes[row] ?? 0;
      }
    }
    return { attributes, metrics: metrics.map((metric) => DayColumns.#sumOf(newestFirst, metric, members)) };
  }

  static #sumOf(days: readonly DayColumns[], metric: number, members: number): StretchSums['metrics'][number] {
    const missing = new Set<number>();
    let largest = 0n;
    for (const day of days) {
      const column = day.#metrics[metric];
      largest += column?.largest ?? 0n;
      for (const row of column?.missing ?? []) missing.add(day.#members[row] ?? 0);
    }
    const totals = largest > INT64_MAX ? new Array<bigint>(members).fill(0n) : new BigInt64Array(members);
    for (const day of days) {
      const values = day.#metrics[metric]?.values ?? [];
      for (let row = 0; row < day.#size; row += 1) {
        const member = day.#members[row] ?? 0;
        totals[member] = (totals[member] ?? 0n) + (values[row] ?? 0n);
      }
    }
    return { totals, missing };
  }
}

function setValue(column: MetricColumn, row: number, sum: bigint | null): void {
  if (sum === null) {
    column.missing ??= new Set();
    column.missing.add(row);
  }
  const value = sum ?? 0n;
  const size = value < 0n ? -value : value;
  if (size > column.largest) column.largest = size;
  // Nothing is lost: what does not fit into 64 bits is kept as it is, together with all that come after it.
  if (size > INT64_MAX && column.values instanceof BigInt64Array) column.values = Array.from(column.values);
  column.values[row] = value;
}

function timesFactor(column: MetricColumn, size: number, { n, d }: Rational): MetricColumn {
  const scaled: MetricColumn = { values: new BigInt64Array(size), missing: undefined, largest: 0n };
  for (let row = 0; row < size; row += 1) {
    const value = column.missing?.has(row) ? null : (column.values[row] ?? 0n);
    setValue(scaled, row, value === null ? null : (value * n) / d);
  }
  return scaled;
}

function longer<Values extends Int32Array | BigInt64Array>(values: Values, into: Values): Values {
  if (values instanceof Int32Array && into instanceof Int32Array) into.set(values);
  if (values instanceof BigInt64Array && into instanceof BigInt64Array) into.set(values);
  return into;
}
