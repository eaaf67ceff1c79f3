import type { DataType } from './catalogue.ts';

export const UNITS = {
  micros: "micros of the account's currency",
  currency: "account's currency",
  count: 'count',
  ratio: 'ratio',
  ratioMicros: 'ratio in micros (1,000,000 = 100%)',
  date: "date (account's calendar)",
  localTime: "time (account's time zone)",
  instant: 'time (UTC)',
  id: 'id (int64)',
  flag: '0 or 1',
} as const;

export function unitOf(field: string, type: DataType): string | undefined {
  switch (type) {
    case 'DATE':
      return UNITS.date;
    case 'DATE_TIME':
      return UNITS.localTime;
    case 'BOOLEAN':
      return UNITS.flag;
    case 'INT64':
    case 'DOUBLE':
      return numberUnit(field, type);
    default:
      return undefined;
  }
}

const NUMBERS: readonly (readonly [name: RegExp, unit: string])[] = [
  [/_p_value$|_per_cost(_|$)|hotel_commission_rate/, UNITS.ratio],
  [/_micros(_|$)/, UNITS.micros],
  // Averages are micros with a fraction, although their names do not end with `_micros`.
  [/^metrics\.(trueview_)?average_(cost|cp[a-z])$/, UNITS.micros],
  [/^metrics\.(active_view_cpm|benchmark_average_max_cpc|(control_)?cost_per_\w+)$/, UNITS.micros],
  [/(_id|\.id)$/, UNITS.id],
  [/_millis$/, 'milliseconds'],
  [/_seconds$|average_time_on_site/, 'seconds'],
  [/ctr$|_rates?$|share$|percentage$|percent_|measurability|viewability|margin$|roas$|relative_|_rate_/, UNITS.ratio],
  [/_value$|value_per_|_value_|_cost$/, UNITS.currency],
];

function numberUnit(field: string, type: 'INT64' | 'DOUBLE'): string | undefined {
  const known = NUMBERS.find(([name]) => name.test(field));
  if (known) {
    // A rate in micros must be divided by a million to get the ratio.
    return field === 'metrics.hotel_commission_rate_micros' ? UNITS.ratioMicros : known[1];
  }
  if (!field.startsWith('metrics.')) return undefined;
  return type === 'INT64' || /conversions|clicks|impressions|orders|units_sold/.test(field) ? UNITS.count : undefined;
}

export function isMoney(unit: string | undefined): boolean {
  return unit === UNITS.micros || unit === UNITS.currency;
}
