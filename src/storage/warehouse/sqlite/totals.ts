import type { DateRange } from '../../../domain/civil-date.ts';
import type { CustomerId } from '../../../domain/ids.ts';
import type { ColumnValue } from '../../../domain/member.ts';
import type { StateFile } from '../../records/sqlite/open-state.ts';
import { prepared } from '../../records/sqlite/prepared.ts';
import { CUSTOMER_COLUMN, DATE_COLUMN, hasDays, identifier } from '../query-table.ts';
import {
  type AccountTotals,
  CAMPAIGN_COLUMN,
  type CampaignAggregate,
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

/** An integer sum beyond int64 is an error in SQLite, so the high and the low half are summed separately. */
const SUMS: SumDialect = {
  sumsOf: (metrics) =>
    metrics.flatMap(({ name, type }) => {
      const column = identifier(name);
      if (type !== 'INT64') return [sumOfUsable(`coalesce(sum(${usableDouble(column)}), 0.0)`, column), '0'];
      return [`coalesce(sum(${column} >> 32), 0)`, `coalesce(sum(${column} & 4294967295), 0)`];
    }),
  read: (metrics, values) =>
    new Map(
      metrics.map(({ name }, index) => {
        const high = values[index * 2];
        const low = values[index * 2 + 1];
        return [name, typeof high === 'bigint' ? high * 2n ** 32n + (low as bigint) : (high as number | null)];
      }),
    ),
  shareOf: (part, eligible) => `iif(count(${eligible}) = count(*), sum(${part}) / sum(${eligible}), NULL)`,
};

function aggregateCampaigns(
  state: StateFile,
  table: SummedTable,
  customer: CustomerId,
  days: DateRange,
): CampaignAggregate[] {
  const { select: totals, read } = totalsFor(table.columns, SUMS);
  const where = `WHERE ${CUSTOMER_COLUMN} = ? AND ${DATE_COLUMN} BETWEEN ? AND ? AND ${CAMPAIGN_COLUMN} IS NOT NULL`;
  const from = `FROM main.${identifier(table.name)} ${where} GROUP BY ${CAMPAIGN_COLUMN} ORDER BY ${CAMPAIGN_COLUMN}`;
  const select = (columns: readonly string[]) =>
    prepared(state.connection, `SELECT ${[CAMPAIGN_COLUMN, ...columns].join(', ')} ${from}`, 'columns').all(
      customer,
      days.from,
      days.to,
    ) as ColumnValue[][];

  const sums = select(totals);
  // With max(), SQLite takes the other columns from the row with the maximum, here the newest day.
  const newest = select([`max(${DATE_COLUMN})`, namesCampaigns(table) ? NAME_COLUMN : 'NULL']);
  return sums.map(([campaignId, ...values], index) => ({
    campaignId: campaignId as bigint,
    name: (newest[index]?.[2] ?? null) as string | null,
    metrics: read(values),
  }));
}

export function accountTotals(
  state: StateFile,
  table: SummedTable,
  customers: readonly CustomerId[],
  days: DateRange | undefined,
): ReadonlyMap<CustomerId, AccountTotals> {
  const { select, read } = totalsFor(table.columns, SUMS);
  const range = days !== undefined && hasDays(table) ? [days.from, days.to] : [];
  const where = `WHERE ${CUSTOMER_COLUMN} = ?${range.length > 0 ? ` AND ${DATE_COLUMN} BETWEEN ? AND ?` : ''}`;
  const sql = `SELECT ${['count(*)', ...select].join(', ')} FROM main.${identifier(table.name)} ${where}`;
  const byCampaign = days !== undefined && hasCampaignDays(table);
  const found = new Map<CustomerId, AccountTotals>();
  for (const customer of customers) {
    const [rows, ...values] = prepared(state.connection, sql, 'columns').get(customer, ...range) as ColumnValue[];
    if (rows === 0n) continue;
    const campaigns = byCampaign ? aggregateCampaigns(state, table, customer, days) : [];
    found.set(customer, { metrics: read(values), campaigns });
  }
  return found;
}

export function totalsByDay(
  connection: StateFile['connection'],
  table: SummedTable,
  customer: CustomerId,
  days: DateRange,
): DayTotals[] {
  const metrics = metricsOf(table.columns);
  const sql = `SELECT ${[DATE_COLUMN, 'count(*)', ...SUMS.sumsOf(metrics)].join(', ')} FROM main.${identifier(table.name)}
        WHERE ${CUSTOMER_COLUMN} = ? AND ${DATE_COLUMN} BETWEEN ? AND ? GROUP BY ${DATE_COLUMN} ORDER BY ${DATE_COLUMN}`;
  const rows = prepared(connection, sql, 'columns').all(customer, days.from, days.to) as [
    string,
    bigint,
    ...ColumnValue[],
  ][];
  return rows.map(([date, count, ...values]) => ({ date, rows: count, metrics: SUMS.read(metrics, values) }));
}
