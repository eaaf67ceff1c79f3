import { type CivilDate, daysOf } from '../domain/civil-date.ts';
import { InvariantError } from '../domain/errors.ts';
import type { ColumnValue, Member, MemberDemand, MemberStretch, SummedColumn } from '../domain/member.ts';
import type { Rational } from '../domain/rational.ts';
import { DayColumns, type StretchSums } from './day-columns.ts';

/** What is kept of each member's day, in the order in which {@link DaySums.add} takes it. */
export interface DayShape {
  readonly metrics: readonly SummedColumn[];
  readonly attributes: readonly string[];
}

/** How a day looked when less, or more, was known of it. */
export interface DayAsKnown {
  /** False: it had no rows then. */
  readonly hadRows: boolean;
  /** By the shape's metrics: what was known then as a share of what was added; undefined for the same. */
  readonly factors: readonly (Rational | undefined)[];
}

/**
 * The members of one grain with what each had on each day, in memory, so that a rule can be tried on many days without asking
 * a table for each. What it gives is what the table would give.
 */
export class DaySums {
  readonly #first: CivilDate;
  readonly #shape: DayShape;
  /** Each member has a number, by its ids. */
  readonly #numbers = new Map<string, number>();
  readonly #ids: (readonly bigint[])[] = [];
  /** Attributes are kept once for as long as a member's do not change. */
  readonly #attributes: (readonly ColumnValue[])[] = [];
  readonly #newestAttributes: number[] = [];
  /** The numbers in the order of the ids; undefined since another member came. */
  #inOrder: readonly number[] | undefined;
  readonly #days = new Map<CivilDate, DayColumns>();
  /** Days that are to be seen otherwise; undefined for one without rows. */
  readonly #seen = new Map<CivilDate, DayColumns | undefined>();

  /** @param first The oldest day that is ever added or asked for. */
  constructor(first: CivilDate, shape: DayShape) {
    this.#first = first;
    this.#shape = shape;
  }

  /** Takes a member's sums of a day; one day is added once. */
  add(
    ids: readonly bigint[],
    day: CivilDate,
    sums: readonly (bigint | null)[],
    attributes: readonly ColumnValue[],
  ): void {
    if (day < this.#first) throw new InvariantError(`${day} is added to days that begin on ${this.#first}.`);
    let columns = this.#days.get(day);
    if (columns === undefined) {
      columns = new DayColumns(this.#shape.metrics.length);
      this.#days.set(day, columns);
    }
    const member = this.#numberOf(ids);
    columns.add(member, this.#attributesOf(member, attributes), sums);
  }

  /** Forgets the days before, so that memory holds no more than what is asked for. */
  dropBefore(day: CivilDate): void {
    for (const known of this.#days.keys()) {
      if (known >= day) continue;
      this.#days.delete(known);
      this.#seen.delete(known);
    }
  }

  /** From now on the day, whose rows were all added, is given as it was known then; undefined: as it was added. */
  seeAs(day: CivilDate, known: DayAsKnown | undefined): void {
    const columns = this.#days.get(day);
    if (known === undefined || columns === undefined) this.#seen.delete(day);
    else this.#seen.set(day, known.hadRows ? columns.times(known.factors) : undefined);
  }

  /** Those that have a row in the demand's days, by their ids. A column that is not kept has no value. */
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

  /** What a demand takes of attributes by their number, each put together once. */
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
