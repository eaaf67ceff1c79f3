import { type CivilDate, daysOf } from '../../domain/civil-date.ts';
import { InvariantError } from '../../domain/errors.ts';
import type { ColumnValue, Member, MemberDemand, MemberStretch } from '../../domain/member.ts';
import type { Rational } from '../../domain/rational.ts';

interface MetricColumn {
  /** 64-bit integers, until one value does not fit. */
  values: BigInt64Array | bigint[];
  missing: Set<number> | undefined;
  /** The largest absolute value. Shows whether a sum could exceed 64 bits. */
  largest: bigint;
}

interface StretchSums {
  readonly attributes: Int32Array;
  readonly metrics: readonly {
    readonly totals: BigInt64Array | bigint[];
    readonly missing: ReadonlySet<number>;
  }[];
}

const INT64_MAX = 2n ** 63n - 1n;
const ROWS_AT_FIRST = 16;

/** Uses one array per column, so that months of many keywords fit into memory. */
class DayColumns {
  #size = 0;
  #members = new Int32Array(ROWS_AT_FIRST);
  #attributes = new Int32Array(ROWS_AT_FIRST);
  readonly #metrics: MetricColumn[];

  constructor(metrics: number) {
    this.#metrics = Array.from({ length: metrics }, () => ({
      values: new BigInt64Array(ROWS_AT_FIRST),
      missing: undefined,
      largest: 0n,
    }));
  }

  add(member: number, attributes: number, sums: readonly (bigint | null)[]): void {
    const row = this.#size;
    if (row === this.#members.length) this.#grow();
    this.#size += 1;
    this.#members[row] = member;
    this.#attributes[row] = attributes;
    for (const [index, column] of this.#metrics.entries()) setValue(column, row, sums[index] ?? null);
  }

  /** Multiplies each metric by its factor and rounds towards zero. */
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
  // Uses bigints from the first value beyond 64 bits, so that no digit is lost.
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

export type DayShape = Pick<MemberDemand, 'metrics' | 'attributes'>;

export interface DayAsKnown {
  readonly hadRows: boolean;
  /** The earlier total as a share of the current total, per metric. Undefined if unchanged. */
  readonly factors: readonly (Rational | undefined)[];
}

/** Keeps the sums in memory, so that a trial does not query the table for each day. */
export class DaySums {
  readonly #first: CivilDate;
  readonly #shape: DayShape;
  readonly #numbers = new Map<string, number>();
  readonly #ids: (readonly bigint[])[] = [];
  /** Days share one entry while the attributes do not change. */
  readonly #attributes: (readonly ColumnValue[])[] = [];
  readonly #newestAttributes: number[] = [];
  #inOrder: readonly number[] | undefined;
  readonly #days = new Map<CivilDate, DayColumns>();
  /** Undefined for a day that had no rows at the earlier time. */
  readonly #seen = new Map<CivilDate, DayColumns | undefined>();

  constructor(first: CivilDate, shape: DayShape) {
    this.#first = first;
    this.#shape = shape;
  }

  /** Call this method once per member and day. */
  add(
    ids: readonly bigint[],
    day: CivilDate,
    sums: readonly (bigint | null)[],
    attributes: readonly ColumnValue[],
  ): void {
    if (day < this.#first) throw new InvariantError(`Found ${day}, expected ${this.#first} or later.`);
    let columns = this.#days.get(day);
    if (columns === undefined) {
      columns = new DayColumns(this.#shape.metrics.length);
      this.#days.set(day, columns);
    }
    const member = this.#numberOf(ids);
    columns.add(member, this.#attributesOf(member, attributes), sums);
  }

  dropBefore(day: CivilDate): void {
    for (const known of this.#days.keys()) {
      if (known >= day) continue;
      this.#days.delete(known);
      this.#seen.delete(known);
    }
  }

  /** Replaces the day's numbers by earlier numbers. If `known` is undefined, restores the added numbers. */
  seeAs(day: CivilDate, known: DayAsKnown | undefined): void {
    const columns = this.#days.get(day);
    if (known === undefined || columns === undefined) this.#seen.delete(day);
    else this.#seen.set(day, known.hadRows ? columns.times(known.factors) : undefined);
  }

  /** Yields members with a row on one of the requested days, sorted by ids. */
  *members(demand: MemberDemand): Generator<Member> {
    const metrics = demand.metrics.map(({ column }) => this.#shape.metrics.findIndex((one) => one.column === column));
    const sums = demand.stretches.map((stretch) => DayColumns.sum(this.#columnsOf(stretch), metrics, this.#ids.length));
    const attributesOf = this.#chosenAttributes(demand);
    for (const member of this.#membersInOrder()) {
      if (sums.every(({ attributes }) => attributes[member] === -1)) continue;
      const stretches = sums.map((stretch) => stretchOf(stretch, member, metrics, attributesOf));
      yield { ids: this.#ids[member] ?? [], stretches };
    }
  }

  #columnsOf(stretch: MemberDemand['stretches'][number]): DayColumns[] {
    const days = daysOf(stretch).reverse();
    return days.flatMap((day) => (this.#seen.has(day) ? this.#seen.get(day) : this.#days.get(day)) ?? []);
  }

  #numberOf(ids: readonly bigint[]): number {
    const key = ids.join();
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#ids.length;
    this.#numbers.set(key, number);
    this.#ids.push(ids);
    this.#inOrder = undefined;
    return number;
  }

  #attributesOf(member: number, attributes: readonly ColumnValue[]): number {
    const newest = this.#newestAttributes[member];
    const known = newest === undefined ? undefined : this.#attributes[newest];
    if (newest !== undefined && known?.every((value, index) => value === attributes[index])) return newest;
    this.#newestAttributes[member] = this.#attributes.length;
    return this.#attributes.push(attributes) - 1;
  }

  #chosenAttributes(demand: MemberDemand): (number: number) => readonly ColumnValue[] {
    const places = demand.attributes.map((column) => this.#shape.attributes.indexOf(column));
    const isWhole = places.length === this.#shape.attributes.length && places.every((place, index) => place === index);
    const chosen: (readonly ColumnValue[])[] = [];
    return (number) => {
      const all = this.#attributes[number] ?? [];
      if (isWhole) return all;
      chosen[number] ??= places.map((place) => all[place] ?? null);
      return chosen[number];
    };
  }

  #membersInOrder(): readonly number[] {
    this.#inOrder ??= this.#ids.map((_, number) => number).sort((a, b) => byIds(this.#ids[a], this.#ids[b]));
    return this.#inOrder;
  }
}

function stretchOf(
  { attributes, metrics: sums }: StretchSums,
  member: number,
  metrics: readonly number[],
  attributesOf: (number: number) => readonly ColumnValue[],
): MemberStretch | undefined {
  const number = attributes[member] ?? -1;
  if (number === -1) return undefined;
  const values = sums.map(({ totals, missing }, index) =>
    metrics[index] === -1 || missing.has(member) ? null : (totals[member] ?? 0n),
  );
  return { sums: values, attributes: attributesOf(number) };
}

function byIds(a: readonly bigint[] = [], b: readonly bigint[] = []): number {
  for (const [index, id] of a.entries()) {
    const other = b[index] ?? 0n;
    if (id !== other) return id < other ? -1 : 1;
  }
  return 0;
}
