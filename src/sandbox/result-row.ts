import type { CivilDate } from '../domain/civil-date.ts';
import { InvariantError } from '../domain/errors.ts';

/** The metrics the market has, in the order in which a {@link ResultRow} holds them. */
export const METRICS: readonly string[] = ['metrics.impressions', 'metrics.clicks', 'metrics.cost_micros'];

/** One row of an answer before it is written as JSON. */
export interface ResultRow {
  /** The place of the row's entity among the query's entities. */
  readonly entity: number;
  /** Defined when the query selects the date. */
  readonly date: CivilDate | undefined;
  readonly sums: readonly [impressions: number, clicks: number, costMicros: number];
}

/** The metric's place in {@link METRICS}. */
export function metricIndex(field: string): number {
  const index = METRICS.indexOf(field);
  if (index < 0) throw new InvariantError(`The sandbox has no values for the metric ${field}.`);
  return index;
}
