import type { Conversion } from '../market/results.ts';

/** The numbers of one keyword, or of one group without keywords, on one day. */
export interface UnitDay {
  readonly impressions: number;
  readonly clicks: number;
  readonly costMicros: number;
  readonly wanted: number;
  readonly conversions: readonly Conversion[];
}

/** The parts add up exactly to `day`. The weights must add up to 1. */
export function splitDay(day: UnitDay, weights: readonly number[], luck: number): UnitDay[] {
  if (weights.length === 1) return [day];
  const clicks = shares(day.clicks, weights, luck);
  const shown = shares(day.impressions - day.clicks, weights, (luck + 0.37) % 1);
  const more = shares(day.wanted - day.impressions, weights, (luck + 0.71) % 1);
  const costBy = day.clicks > 0 ? clicks : shown;
  const costWhole = day.clicks > 0 ? day.clicks : day.impressions - day.clicks;
  let first = 0;
  let counted = 0;
  let paid = 0;
  return weights.map((_, part) => {
    const ownClicks = clicks[part] ?? 0;
    const from = first;
    first += ownClicks;
    counted += costBy[part] ?? 0;
    const upTo = part === weights.length - 1 ? day.costMicros : costOf(day.costMicros, counted, costWhole);
    const costMicros = upTo - paid;
    paid = upTo;
    const impressions = ownClicks + (shown[part] ?? 0);
    return {
      impressions,
      clicks: ownClicks,
      costMicros,
      wanted: impressions + (more[part] ?? 0),
      conversions: day.conversions.flatMap((one) =>
        one.click >= from && one.click < first ? [{ ...one, click: one.click - from }] : [],
      ),
    };
  });
}

function costOf(costMicros: number, counted: number, whole: number): number {
  return whole === 0 ? 0 : Math.floor((costMicros / whole) * counted);
}

function shares(count: number, weights: readonly number[], luck: number): number[] {
  let weight = 0;
  let given = 0;
  return weights.map((own, part) => {
    weight += own;
    const upTo = part === weights.length - 1 ? count : Math.min(count, Math.floor(weight * count + luck));
    const share = upTo - given;
    given = upTo;
    return share;
  });
}
