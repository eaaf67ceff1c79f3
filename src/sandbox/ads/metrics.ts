import { InvariantError } from '../../domain/errors.ts';
import type { UnitDay } from './split-row.ts';

/** Metric sums as whole numbers: micros, hundredths or counts. */
export type Sums = Float64Array;

const IMPRESSIONS = 0;
const CLICKS = 1;
const COST = 2;
const WANTED = 3;
const ELIGIBLE = 4;
const CONVERSIONS = 5;
const VALUE = 6;
const ALL_CONVERSIONS = 7;
const ALL_VALUE = 8;
export const SUMS = 9;

/** `rankLoss`: share of eligible impressions lost to better ads. Undefined for display campaigns. */
export function addDay(sums: Sums, day: UnitDay, rankLoss: number | undefined): void {
  const add = (place: number, value: number) => {
    sums[place] = (sums[place] ?? 0) + value;
  };
  add(IMPRESSIONS, day.impressions);
  add(CLICKS, day.clicks);
  add(COST, day.costMicros);
  if (rankLoss !== undefined) {
    add(WANTED, day.wanted);
    add(ELIGIBLE, Math.round(day.wanted / (1 - rankLoss)));
  }
  for (const { hundredths, valueHundredths, primary } of day.conversions) {
    if (primary) {
      add(CONVERSIONS, hundredths);
      add(VALUE, valueHundredths);
    }
    add(ALL_CONVERSIONS, hundredths);
    add(ALL_VALUE, valueHundredths);
  }
}

export type MetricType = 'INT64' | 'DOUBLE';

interface Metric {
  readonly type: MetricType;
  read(sums: Sums): number | undefined;
}

const whole = (place: number): Metric => ({ type: 'INT64', read: (sums) => sums[place] ?? 0 });
const hundredths = (place: number): Metric => ({ type: 'DOUBLE', read: (sums) => (sums[place] ?? 0) / 100 });
const quotient = (dividend: number, divisor: number, times = 1): Metric => ({
  type: 'DOUBLE',
  read: (sums) => (sums[divisor] ? ((sums[dividend] ?? 0) / sums[divisor]) * times : undefined),
});
const share = (read: (sums: Sums) => number): Metric => ({
  type: 'DOUBLE',
  read: (sums) => (sums[ELIGIBLE] ? read(sums) : undefined),
});
const at = (sums: Sums, place: number): number => (sums[place] ?? 0) / (sums[ELIGIBLE] ?? 1);
/** The public service reports lost shares above 0.9 as 0.9001. */
const lost = (value: number): number => (value > 0.9 ? 0.9001 : value);

export const METRICS: ReadonlyMap<string, Metric> = new Map([
  ['metrics.impressions', whole(IMPRESSIONS)],
  ['metrics.clicks', whole(CLICKS)],
  ['metrics.cost_micros', whole(COST)],
  ['metrics.ctr', quotient(CLICKS, IMPRESSIONS)],
  ['metrics.average_cpc', quotient(COST, CLICKS)],
  ['metrics.conversions', hundredths(CONVERSIONS)],
  ['metrics.conversions_value', hundredths(VALUE)],
  ['metrics.all_conversions', hundredths(ALL_CONVERSIONS)],
  ['metrics.all_conversions_value', hundredths(ALL_VALUE)],
  ['metrics.cost_per_conversion', quotient(COST, CONVERSIONS, 100)],
  ['metrics.search_impression_share', share((sums) => Math.max(0.0999, at(sums, IMPRESSIONS)))],
  ['metrics.search_budget_lost_impression_share', share((sums) => lost(at(sums, WANTED) - at(sums, IMPRESSIONS)))],
  ['metrics.search_rank_lost_impression_share', share((sums) => lost(1 - at(sums, WANTED)))],
]);

export function metricOf(field: string): Metric {
  const metric = METRICS.get(field);
  if (metric === undefined) throw new InvariantError(`The sandbox has no values for the metric ${field}.`);
  return metric;
}

/** Simulating conversions is slow, so queries without conversion fields skip the simulation. */
export const needsConversions = (field: string): boolean => field.includes('conversion');
