import type { ColumnValue, Member, MemberDemand, MemberStretch } from '../../domain/member.ts';
import type { Rational } from '../../domain/rational.ts';
import type { MetricUse } from '../check/checked-expression.ts';
import { type DayValues, measureOf } from './day-values.ts';

/** Where a value of a metric is found among the sums of a subject. */
export interface MetricPlace {
  readonly measure: MetricUse['measure'];
  /** The metric's place in the demand. */
  readonly metric: number;
  /** A value in the unit that it is compared in is a sum divided by this. */
  readonly divisor: bigint;
  /** Stretches of the demand that make up its window: neighbours, or single days. */
  readonly stretches: readonly number[];
  /** A sum over neighbours; otherwise each stretch is a day by itself. */
  readonly isRange: boolean;
}

/** Sums up to each stretch, so that a sum over any row of them is one subtraction. */
interface Running {
  readonly totals: readonly bigint[];
  /** How many stretches have rows, and how many of these have no value. */
  readonly held: readonly number[];
  readonly unknown: readonly number[];
}

/** The numbers of one subject: a member's own, or those of several members together. */
export class Figures {
  readonly members: readonly Member[];
  /** The amount of its budgets in currency units; undefined when that is not known. */
  readonly budget: Rational | undefined;
  readonly #stretches: readonly (MemberStretch | undefined)[];
  readonly #running: Running[] = [];
  readonly #values: (Rational | undefined)[] = [];

  constructor(demand: MemberDemand, members: readonly Member[], budget: Rational | undefined) {
    this.members = members;
    this.budget = budget;
    const [only] = members;
    this.#stretches =
      only !== undefined && members.length === 1
        ? only.stretches
        : demand.stretches.map((_, stretch) => together(members.flatMap((member) => member.stretches[stretch] ?? [])));
  }

  /** The metric over its window; undefined when there is none. `slot` numbers the place, so that it is computed once. */
  metric(slot: number, place: MetricPlace): Rational | undefined {
    const known = this.#values[slot];
    if (known !== undefined || slot in this.#values) return known;
    const value = this.#compute(place);
    this.#values[slot] = value;
    return value;
  }

  /** Whether there is a row in any of the stretches. */
  hasRows(stretches: readonly number[]): boolean {
    return stretches.some((stretch) => this.#stretches[stretch] !== undefined);
  }

  /** How many of the stretches have rows. */
  countStretches(stretches: readonly number[]): number {
    return stretches.filter((stretch) => this.#stretches[stretch] !== undefined).length;
  }

  /** An attribute as the first of the stretches that has rows has it; null when the members do not agree on it. */
  attribute(attribute: number, newestFirst: readonly number[]): ColumnValue {
    let found: ColumnValue | undefined;
    for (const { stretches } of this.members) {
      const newest = newestFirst.find((stretch) => stretches[stretch] !== undefined);
      if (newest === undefined) continue;
      const value = stretches[newest]?.attributes[attribute] ?? null;
      if (found !== undefined && found !== value) return null;
      found = value;
    }
    return found ?? null;
  }

  #compute({ measure, metric, divisor, stretches, isRange }: MetricPlace): Rational | undefined {
    const first = stretches[0];
    const last = stretches.at(-1);
    if (first === undefined || last === undefined) return undefined;
    if (isRange) {
      const { totals, held, unknown } = this.#runningOf(metric);
      const rows = (held[last + 1] ?? 0) - (held[first] ?? 0);
      if (rows === 0 || unknown[last + 1] !== unknown[first]) return undefined;
      return { n: (totals[last + 1] ?? 0n) - (totals[first] ?? 0n), d: divisor };
    }
    const days: DayValues = stretches.flatMap((stretch) => this.#stretches[stretch]?.sums[metric] ?? []);
    // A day that has rows and no value leaves the others without a meaning, too.
    if (days.length < this.countStretches(stretches)) return undefined;
    return measureOf(measure === 'sum' ? 'mean' : measure, days, divisor);
  }

  #runningOf(metric: number): Running {
    const known = this.#running[metric];
    if (known !== undefined) return known;
    const totals = [0n];
    const held = [0];
    const unknown = [0];
    this.#stretches.forEach((stretch, index) => {
      const sum = stretch?.sums[metric] ?? 0n;
      totals.push((totals[index] ?? 0n) + sum);
      held.push((held[index] ?? 0) + (stretch === undefined ? 0 : 1));
      unknown.push((unknown[index] ?? 0) + (stretch?.sums[metric] === null ? 1 : 0));
    });
    const running = { totals, held, unknown };
    this.#running[metric] = running;
    return running;
  }
}

/** The rows of several members in the same days. */
function together(parts: readonly MemberStretch[]): MemberStretch | undefined {
  const [first, ...rest] = parts;
  if (first === undefined) return undefined;
  const sums = [...first.sums];
  for (const part of rest) {
    part.sums.forEach((sum, metric) => {
      const before = sums[metric] ?? null;
      sums[metric] = before === null || sum === null ? null : before + sum;
    });
  }
  return { sums, attributes: first.attributes };
}
