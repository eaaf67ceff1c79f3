import type { DateRange } from '../../../domain/civil-date.ts';
import { type CustomerId, customerId } from '../../../domain/ids.ts';
import type { ColumnValue } from '../../../domain/member.ts';
import type { StateDb } from '../../records/record-store.ts';
import { CUSTOMER_COLUMN, DATE_COLUMN, hasDays, identifier } from '../query-table.ts';
import {
  type AccountTotals,
  CAMPAIGN_COLUMN,
  type DayTotals,
  hasCampaignDays,
  metricsOf,
  NAME_COLUMN,
  namesCampaigns,
  type SumDialect,
  type SummedTable,
  totalsFor,
} from '../totals.ts';
import { sumOfUsable, usableDouble } from '../usable-double.ts';
import { ask } from './ask.ts';
import { tableOf } from './query-tables.ts';

/** An integer sum is a numeric here, so no sum overflows. In SQLite (`sqlite/totals.ts`) it would be an error. */
const SUMS: SumDialect = {
  sumsOf: (metrics) =>
    metrics.map(({ name, type }) => {
      const column = identifier(name);
      if (type === 'INT64') return `coalesce(sum(${column}), 0)`;
      return sumOfUsable(`pacekeeper.float_sum(${usableDouble(column)})`, column);
    }),
  read: (metrics, values) =>
    new Map(metrics.map(({ name }, index) => [name, (values[index] ?? null) as bigint | number | null])),
  shareOf: (part, eligible) =>
    `CASE WHEN count(${eligible}) = count(*) THEN pacekeeper.float_sum(${part}) / nullif(pacekeeper.float_sum(${eligible}), 0) END`,
};

const named = (expressions: readonly string[]) => expressions.map((sql, index) => `${sql} AS value_${index}`);

/** Two statements for all accounts, because many processes may wait for the one that asks. Citus refuses GROUPING SETS. */
export async function accountTotals(
  db: StateDb,
  table: SummedTable,
  customers: readonly CustomerId[],
  days: DateRange | undefined,
): Promise<ReadonlyMap<CustomerId, AccountTotals>> {
  const { select: totals, read } = totalsFor(table.columns, SUMS);
  const select = named(totals);
  const range = days !== undefined && hasDays(table) ? [days.from, days.to] : [];
  const from = `FROM ${tableOf(table.name)}
    WHERE ${CUSTOMER_COLUMN} = ANY($1)${range.length > 0 ? ` AND ${DATE_COLUMN} BETWEEN $2 AND $3` : ''}`;
  const sums = await ask<[bigint, ...ColumnValue[]]>(
    db,
    `SELECT ${[CUSTOMER_COLUMN, ...select].join(', ')} ${from} GROUP BY ${CUSTOMER_COLUMN}`,
    [customers, ...range],
  );
  const byCampaign = range.length > 0 && hasCampaignDays(table);
  // Unlike an aggregate with ORDER BY, this sorts no rows.
  const newest = namesCampaigns(table) ? `(max(ARRAY[${DATE_COLUMN}::text, ${NAME_COLUMN}]))[2]` : 'NULL';
  const found = byCampaign
    ? await ask<[bigint, bigint, string | null, ...ColumnValue[]]>(
        db,
        `SELECT ${[CUSTOMER_COLUMN, CAMPAIGN_COLUMN, `${newest} AS name`, ...select].join(', ')} ${from}
        AND ${CAMPAIGN_COLUMN} IS NOT NULL GROUP BY ${CUSTOMER_COLUMN}, ${CAMPAIGN_COLUMN} ORDER BY ${CAMPAIGN_COLUMN}`,
        [customers, ...range],
      )
    : [];
  const campaigns = Map.groupBy(found, ([customer]) => customer);
  return new Map(
    sums.map(([customer, ...values]) => {
      const own = (campaigns.get(customer) ?? []).map(([, campaignId, name, ...sums]) => {
        return { campaignId, name, metrics: read(sums) };
      });
      return [customerId(String(customer)), { metrics: read(values), campaigns: own }];
    }),
  );
}

export async function totalsByDay(
  db: StateDb,
  { name, columns }: SummedTable,
  customer: CustomerId,
  days: DateRange,
): Promise<DayTotals[]> {
  const metrics = metricsOf(columns);
  const rows = await ask<[string, bigint, ...(bigint | number | null)[]]>(
    db,
    `SELECT ${[DATE_COLUMN, 'count(*) AS rows', ...named(SUMS.sumsOf(metrics))].join(', ')} FROM ${tableOf(name)}
    WHERE ${CUSTOMER_COLUMN} = $1 AND ${DATE_COLUMN} BETWEEN $2 AND $3 GROUP BY ${DATE_COLUMN} ORDER BY ${DATE_COLUMN}`,
    [customer, days.from, days.to],
  );
  return rows.map(([date, count, ...values]) => ({
    date,
    rows: count,
    metrics: SUMS.read(metrics, values),
  }));
}
