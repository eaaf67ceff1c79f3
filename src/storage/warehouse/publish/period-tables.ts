import { DIVISOR_LEAST } from '../../../domain/member.ts';
import { UNITS } from '../../../language/gaql/catalogue/units.ts';
import { CURRENCY, CUSTOMER } from '../../columns/budget-columns.ts';
import { bySql, type Column, count, day, flag, id, number, share, text } from '../../columns/column.ts';
import type { SqlNames } from '../../columns/published-view.ts';
import { CUSTOMER_COLUMN, columnOfField, DATE_COLUMN, hasDays, identifier, type StoredQuery } from '../query-table.ts';
import { countedImpressions, usableDouble } from '../totals.ts';
import { ACCOUNT_DAY } from './calendar-table.ts';
import { RESULT_METRICS, type ResultMetric } from './published-selects.ts';
import { type PublishedColumn, type PublishedTable, publishedColumns } from './published-table.ts';
import { DAY_GRAIN, type Extent, FIRST_DAY, type Grain, rowsWithin } from './spans.ts';

const WHOLE = ['impressions', 'clicks', 'cost_micros'] as const;
type Whole = (typeof WHOLE)[number];
const SHARE = 'search_impression_share';
const LOST = 'search_budget_lost_impression_share';
/** `eligible` and `lost` are numbers of impressions, from which shares are calculated. */
type Metric = Whole | ResultMetric | 'eligible' | 'lost';

interface Period {
  readonly grain: Grain;
  readonly column: string;
  readonly description: string;
}

const DAY: Period = { grain: DAY_GRAIN, column: 'date', description: "The day on the account's calendar." };
const LONGER: readonly Period[] = [
  { grain: 'week', column: 'week', description: 'Monday of the week.' },
  { grain: 'month', column: 'month', description: 'First day of the month.' },
];

/** Returns tables, not views, because BI tools see no column types in views. */
export function periodTables(query: StoredQuery, names: SqlNames, extent: Extent = 'all'): PublishedTable[] {
  const campaign = columnOfField(query, 'campaign.id');
  const nameOf = (metric: string, type: 'INT64' | 'DOUBLE') => {
    const column = columnOfField(query, `metrics.${metric}`);
    return column?.type === type ? column.name : undefined;
  };
  const whole = WHOLE.filter((metric) => nameOf(metric, 'INT64') !== undefined);
  if (campaign === undefined || whole.length === 0 || !hasDays(query)) return [];
  const columns = expressionsOf(nameOf);
  const metrics = [...columns.keys()];
  return [
    periodTable(
      query.name,
      DAY,
      sumsOf(piecesOf(query, campaign.name, columns, names, extent), metrics),
      metrics,
      names,
    ),
    ...LONGER.map((period) => {
      const sums = sumsOf(daysOf(query, period, metrics, names, extent), metrics);
      return periodTable(query.name, period, sums, metrics, names, countedDays(query, period, names, extent));
    }),
  ];
}

/** The account's days in each period, with or without rows of a campaign. */
function countedDays(query: StoredQuery, { grain }: Period, { published }: SqlNames, extent: Extent): string {
  const complete = 'count(*) FILTER (WHERE complete) AS days_complete';
  return `SELECT customer_id, ${FIRST_DAY[grain]} AS period, count(*) AS days, ${complete}
    FROM ${rowsWithin(extent, query, grain, `${published}.${ACCOUNT_DAY}`, 'piece')}
    WHERE query = '${query.name}' GROUP BY 1, 2`;
}

function expressionsOf(nameOf: (metric: string, type: 'INT64' | 'DOUBLE') => string | undefined): Map<Metric, string> {
  const found = new Map<Metric, string>();
  const add = (metric: Whole | ResultMetric, type: 'INT64' | 'DOUBLE') => {
    const column = nameOf(metric, type);
    if (column === undefined) return;
    found.set(metric, type === 'DOUBLE' ? usableDouble(identifier(column)) : identifier(column));
  };
  for (const metric of WHOLE) add(metric, 'INT64');
  for (const metric of RESULT_METRICS) add(metric, 'DOUBLE');
  const impressions = nameOf('impressions', 'INT64');
  const share = nameOf(SHARE, 'DOUBLE');
  const lost = nameOf(LOST, 'DOUBLE');
  if (impressions !== undefined && share !== undefined && lost !== undefined) {
    found.set('eligible', countedImpressions({ impressions, share, lost: undefined }));
    found.set('lost', countedImpressions({ impressions, share, lost }));
  }
  return found;
}

/** Groups by ad group if the table is sorted by ad group. SQLite then need not sort. */
function piecesOf(
  query: StoredQuery,
  campaign: string,
  columns: ReadonlyMap<Metric, string>,
  { published }: SqlNames,
  extent: Extent,
): string {
  const [first, second, third] = query.key;
  const adGroup = columnOfField(query, 'ad_group.id')?.name;
  const sorted = first === CUSTOMER_COLUMN && second === DATE_COLUMN && third !== undefined && third === adGroup;
  const group = [CUSTOMER_COLUMN, DATE_COLUMN, sorted ? third : campaign].map(identifier).join(', ');
  // An ad group belongs to one campaign.
  const head = [
    `${DATE_COLUMN} AS period`,
    `${sorted ? `max(${identifier(campaign)})` : identifier(campaign)} AS campaign_id`,
  ];
  const table = `${published}.${identifier(query.name)}`;
  return `${selectHalves(head, columns)} FROM ${rowsWithin(extent, query, DAY.grain, table, 'piece')}
    WHERE ${identifier(campaign)} <> 0 GROUP BY ${group}`;
}

function daysOf(
  query: StoredQuery,
  { grain }: Period,
  metrics: readonly Metric[],
  { published }: SqlNames,
  extent: Extent,
): string {
  // In the table by day, columns have the metrics' own names, even if the query renames them.
  const columns = expressionsOf((metric) =>
    metrics.some((one) => one === metric) || (metrics.includes('lost') && [SHARE, LOST].includes(metric))
      ? metric
      : undefined,
  );
  const byDay = rowsWithin(extent, query, grain, `${published}.${identifier(`${query.name}_by_day`)}`, 'piece');
  return `${selectHalves([`${FIRST_DAY[grain]} AS period`, 'campaign_id'], columns)} FROM ${byDay} GROUP BY 1, 2, 3`;
}

/**
 * Sums the high and the low half of each integer, because SQLite's sum fails beyond int64. On PostgreSQL, a sum of
 * integers is no integer without the CAST.
 */
function selectHalves(head: readonly string[], columns: ReadonlyMap<Metric, string>): string {
  const halves = [...columns].flatMap(([metric, column]) => {
    if (!isWhole(metric)) return [`count(${column}) AS ${metric}_known`, `total(${column}) AS ${metric}_sum`];
    return [
      `count(${column}) AS ${metric}_known`,
      `CAST(sum(${column} >> 32) AS bigint) AS ${metric}_high`,
      `CAST(sum(${column} & 4294967295) AS bigint) AS ${metric}_low`,
    ];
  });
  return `SELECT ${[CUSTOMER_COLUMN, ...head, 'count(*) AS parts', ...halves].join(', ')}`;
}

function isWhole(metric: Metric): metric is Whole {
  return WHOLE.some((one) => one === metric);
}

const partsOf = (metric: Metric): readonly string[] => (isWhole(metric) ? ['known', 'high', 'low'] : ['known', 'sum']);

/** A sum is NULL if it exceeds int64, or if one of its values is unknown. */
function sumsOf(pieces: string, metrics: readonly Metric[]): string {
  const added = metrics.flatMap((metric) =>
    partsOf(metric).map((part) => {
      const sum = part === 'sum' ? `total(${metric}_sum)` : `CAST(sum(${metric}_${part}) AS bigint)`;
      return `${sum} AS ${metric}_${part}`;
    }),
  );
  const sums = metrics.flatMap((metric) => {
    const high = `(${metric}_high + (${metric}_low >> 32))`;
    const known = `${metric}_known = parts`;
    if (!isWhole(metric)) return [`CASE WHEN ${known} THEN ${metric}_sum END AS ${metric}`];
    return [
      `CASE WHEN ${known} AND ${high} BETWEEN -2147483648 AND 2147483647
        THEN (${high} << 32) | (${metric}_low & 4294967295) END AS ${metric}`,
      `CASE WHEN ${known} THEN CAST(${metric}_high AS double precision) * 4294967296.0 + ${metric}_low END
        AS ${metric}_approximately`,
    ];
  });
  return `SELECT ${[CUSTOMER_COLUMN, 'period', 'campaign_id', 'parts', ...sums].join(', ')} FROM (
    SELECT ${[CUSTOMER_COLUMN, 'period', 'campaign_id', 'CAST(sum(parts) AS bigint) AS parts', ...added].join(', ')}
    FROM (${pieces}) AS pieces GROUP BY 1, 2, 3) AS added`;
}

function periodTable(
  query: string,
  period: Period,
  sums: string,
  metrics: readonly Metric[],
  { records, published }: SqlNames,
  counted?: string,
): PublishedTable {
  return {
    name: `${query}_by_${period.grain}`,
    group: 'statistics',
    sources: [{ kind: 'query', name: query }],
    references: {
      customer_id: 'account (customer_id)',
      'customer_id, campaign_id': 'dim_campaign (customer_id, campaign_id)',
      ...(period.grain === DAY_GRAIN ? { date: 'dim_calendar (date)' } : {}),
    },
    description: `${query} summed per account, campaign and ${period.grain}.`,
    columns: [
      ...publishedColumns([
        CUSTOMER,
        bySql(day(period.column, period.description), 'period'),
        id('campaign_id', 'The campaign.'),
        bySql(text('campaign_name', 'Name of the campaign on the newest day.'), 'dim_campaign.campaign_name'),
        ...daysColumns(period),
      ]),
      ...metrics.filter(isWhole).flatMap((metric) => METRIC_COLUMNS[metric]),
      ...publishedColumns([...ratios(metrics, period), ...results(metrics)]),
    ],
    key: [CUSTOMER_COLUMN, period.column, 'campaign_id'],
    from: `FROM (${sums}) AS sums LEFT JOIN ${published}.dim_campaign USING (customer_id, campaign_id)
      LEFT JOIN ${records}.account USING (customer_id)
      ${counted === undefined ? '' : `LEFT JOIN (${counted}) AS counted USING (customer_id, period)`}`,
    order: 'customer_id, period, campaign_id',
    indexes: [],
  };
}

const TOO_LARGE = 'NULL if the sum exceeds int64.';
const METRIC_COLUMNS: Readonly<Record<Whole, readonly PublishedColumn[]>> = {
  impressions: publishedColumns([count('impressions', `Impressions. ${TOO_LARGE}`)]),
  clicks: publishedColumns([count('clicks', `Clicks. ${TOO_LARGE}`)]),
  cost_micros: [
    ...publishedColumns([number('cost_micros', `Cost. ${TOO_LARGE}`, undefined, { unit: UNITS.micros })]),
    {
      name: 'cost',
      declared: 'DECIMAL(18,6)',
      expression: 'cost_micros_approximately / 1e6',
      unit: UNITS.currency,
      description: 'cost_micros in currency units, for display.',
    },
    ...publishedColumns([bySql(CURRENCY, 'account.currency')]),
  ],
};

function daysColumns({ grain }: Period): Column<unknown>[] {
  if (grain === DAY_GRAIN) return [];
  const days = (key: string, meaning: string, sql: string) =>
    bySql(count(key, meaning, undefined, { unit: 'days' }), sql);
  const length = grain === 'week' ? '7' : "CAST(strftime('%d', date(period, '+1 month', '-1 day')) AS INTEGER)";
  const complete = 'coalesce(days_complete, 0)';
  return [
    days('days', `Days of the ${grain} so far: those that ${ACCOUNT_DAY} lists for the account.`, 'coalesce(days, 0)'),
    days('days_complete', 'Those of them that are complete.', complete),
    bySql(flag('complete', `Whether all days of the whole ${grain} are complete.`), `${complete} = ${length}`),
    days('days_with_rows', 'Those of them with rows of the campaign.', 'parts'),
  ];
}

function ratios(metrics: readonly Metric[], { column, grain }: Period): Column<unknown>[] {
  const has = (...needed: readonly Metric[]) => needed.every((metric) => metrics.includes(metric));
  const found: Column<unknown>[] = [];
  if (has('impressions', 'clicks')) {
    const ctr = share('ctr', 'Clicks per impression; NULL without impressions.');
    found.push(bySql(ctr, rate('clicks_approximately', 'impressions_approximately')));
  }
  if (has('clicks', 'cost_micros')) {
    const meaning = 'Average cost per click, in currency units; NULL without clicks.';
    const cpc = share('average_cpc', meaning, undefined, { unit: UNITS.currency });
    found.push(bySql(cpc, rate('cost_micros_approximately', 'clicks_approximately', ' / 1e6')));
  }
  if (has('cost_micros')) {
    const period = grain === 'day' ? column : grain;
    const meaning = `Cost of the campaign as a share of the account's cost in this table ${grain === 'day' ? 'on' : 'in'} that ${period}; NULL without cost.`;
    const whole = 'total(cost_micros_approximately) OVER (PARTITION BY customer_id, period)';
    found.push(bySql(share('share_of_spend', meaning), rate('cost_micros_approximately', whole)));
  }
  return found;
}

/** NULL if a part is below zero, as in the conditions of rules. */
function rate(above: string, below: string, unit = ''): string {
  return `CASE WHEN ${above} >= 0 AND ${below} >= ${DIVISOR_LEAST} THEN ${above}${unit} / ${below} END`;
}

/** If any row has no usable value, these columns are NULL, not zero. */
function results(metrics: readonly Metric[]): Column<unknown>[] {
  const has = (...needed: readonly Metric[]) => needed.every((metric) => metrics.includes(metric));
  const found: Column<unknown>[] = [];
  if (has('conversions')) {
    const meaning = 'Conversions; fractions where several clicks share one. The last days still gain some.';
    found.push(bySql(share('conversions', meaning, undefined, { unit: UNITS.count }), 'conversions'));
  }
  if (has('conversions_value')) {
    const meaning = 'Value of the conversions, in currency units.';
    found.push(bySql(share('conversions_value', meaning, undefined, { unit: UNITS.currency }), 'conversions_value'));
  }
  if (has('conversions', 'cost_micros')) {
    const meaning =
      'Cost per acquisition: cost per conversion, in currency units; NULL without conversions, or below zero.';
    const cpa = share('cpa', meaning, undefined, { unit: UNITS.currency });
    found.push(bySql(cpa, rate('cost_micros_approximately', 'conversions', ' / 1e6')));
  }
  if (has('conversions_value', 'cost_micros')) {
    const roas = share('roas', 'Return on ad spend: conversions_value per cost; NULL without cost, or below zero.');
    found.push(bySql(roas, rate('conversions_value', 'cost_micros_approximately', ' * 1e6')));
  }
  if (has('lost')) {
    const shown = 'Impressions per eligible impression in search; NULL where the service gives no exact share.';
    const lost =
      'Share of the eligible impressions in search that were lost to the budget; NULL without an exact share.';
    found.push(bySql(share(SHARE, shown), 'impressions_approximately / nullif(eligible, 0)'));
    found.push(bySql(share(LOST, lost), 'lost / nullif(eligible, 0)'));
  }
  return found;
}
