import type { DataType } from '../../language/gaql/catalogue/catalogue.ts';
import type { Channel } from '../market/market.ts';

interface Segment {
  readonly type: DataType;
  readonly values: readonly string[];
  /** The weights add up to 1. */
  parts(channel: Channel): readonly SegmentPart[];
}

export interface SegmentPart {
  readonly value: string;
  readonly weight: number;
}

const DEVICES: readonly SegmentPart[] = [
  { value: 'MOBILE', weight: 0.55 },
  { value: 'DESKTOP', weight: 0.36 },
  { value: 'TABLET', weight: 0.09 },
];

const SEARCH_NETWORKS: readonly SegmentPart[] = [
  { value: 'SEARCH', weight: 0.88 },
  { value: 'SEARCH_PARTNERS', weight: 0.12 },
];
const NETWORKS: Readonly<Record<Channel, readonly SegmentPart[]>> = {
  SEARCH: SEARCH_NETWORKS,
  DISPLAY: [{ value: 'CONTENT', weight: 1 }],
  PERFORMANCE_MAX: [{ value: 'MIXED', weight: 1 }],
};

const HOUR_WEIGHTS = [6, 4, 3, 2, 2, 4, 9, 18, 30, 42, 50, 54, 52, 48, 46, 48, 52, 58, 66, 74, 78, 66, 42, 18];
const HOURS_TOTAL = HOUR_WEIGHTS.reduce((sum, weight) => sum + weight);
const HOURS: readonly SegmentPart[] = HOUR_WEIGHTS.map((weight, hour) => ({
  value: String(hour),
  weight: weight / HOURS_TOTAL,
}));

export const SEGMENTS: ReadonlyMap<string, Segment> = new Map<string, Segment>([
  ['segments.hour', { type: 'INT64', values: [], parts: () => HOURS }],
  ['segments.device', { type: 'ENUM', values: DEVICES.map(({ value }) => value), parts: () => DEVICES }],
  [
    'segments.ad_network_type',
    {
      type: 'ENUM',
      values: ['SEARCH', 'SEARCH_PARTNERS', 'CONTENT', 'MIXED'],
      parts: (channel) => NETWORKS[channel],
    },
  ],
]);

export interface Cell {
  readonly values: readonly string[];
  readonly weight: number;
}

export function cellsOf(fields: readonly string[], channel: Channel): readonly Cell[] {
  return fields.reduce<readonly Cell[]>(
    (cells, field) =>
      cells.flatMap(({ values, weight }) =>
        (SEGMENTS.get(field)?.parts(channel) ?? []).map((part) => ({
          values: [...values, part.value],
          weight: weight * part.weight,
        })),
      ),
    [{ values: [], weight: 1 }],
  );
}

/** Omits hours that have not begun. The remaining weights are scaled to a sum of 1. */
export function cellsUntil(cells: readonly Cell[], hourAt: number, elapsedShare: number): readonly Cell[] {
  const hours = Math.max(1, Math.ceil(24 * elapsedShare));
  const begun = hourAt < 0 ? cells : cells.filter(({ values }) => Number(values[hourAt]) < hours);
  const total = begun.reduce((sum, { weight }) => sum + weight, 0);
  return begun.map(({ values, weight }) => ({ values, weight: weight / total }));
}
