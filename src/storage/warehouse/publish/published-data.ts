import { type RawBuilder, sql } from 'kysely';
import type { CivilDate, DateRange } from '../../../domain/civil-date.ts';
import type { BudgetId, CampaignId, CustomerId } from '../../../domain/ids.ts';
import type { StateDb } from '../../records/record-store.ts';
import type { Account } from '../../records/runs/account-table.ts';
import { columnOfField, hasDays, identifier, type StoredQuery } from '../query-table.ts';
import {
  impressionShares,
  LOST_COLUMN,
  RESULT_METRICS,
  type ResultMetric,
  spendOfCampaigns,
  spendOfTexts,
  type WantedSpend,
  type WantedTexts,
} from './published-selects.ts';
import { instantOutside } from './published-table.ts';

/** A sum is undefined if one of its values is unknown. */
export interface PublishedDay {
  readonly date: CivilDate;
  readonly costMicros: bigint | undefined;
  readonly clicks: bigint | undefined;
  readonly conversions?: number | undefined;
  readonly conversionsValue?: number | undefined;
}

export type PublishedAccount = Pick<Account, 'customerId' | 'name' | 'currency' | 'timeZone'>;

export interface PublishedBudget {
  readonly customerId: CustomerId;
  readonly budgetId: BudgetId;
  readonly campaignId: CampaignId | undefined;
  readonly name?: string | undefined;
  readonly amountMicros: bigint;
  readonly table: string;
  /** True if the query lists all budgets. A budget without a row then does not exist. */
  readonly isListing: boolean;
  /** Number of campaigns that use the budget. Undefined if the query does not select the number. */
  readonly campaigns: bigint | undefined;
}

interface PublishedState {
  readonly state: 'settled' | 'provisional' | 'missing';
  /** In UTC. */
  readonly readAt: string | undefined;
}

export interface CampaignSums extends Omit<PublishedDay, 'date'> {
  readonly customerId: CustomerId;
  readonly campaignId: CampaignId;
}

/** A keyword or search term. */
export interface TextSums extends Pick<PublishedDay, 'costMicros' | 'clicks' | 'conversions'> {
  readonly text: string | undefined;
  readonly matchType?: string | undefined;
}

export interface PublishedCampaign {
  readonly customerId: CustomerId;
  readonly campaignId: CampaignId;
  readonly name: string | undefined;
  /** Undefined if no query selects it. */
  readonly status: string | undefined;
  readonly lastSeen: CivilDate;
}

export interface DictionaryRow {
  readonly table: string;
  /** Empty in the row of the table itself. */
  readonly column: string;
  readonly type: string;
  readonly unit: string | undefined;
  readonly description: string;
}

export interface PublishedDictionary {
  /** In UTC. */
  readonly asOf: string;
  readonly rows: readonly DictionaryRow[];
  /** True if SQLite answers queries of these tables. */
  readonly isFile: boolean;
}

/** The published columns in their order, for those who read whole tables. */
export interface OfferedTables {
  /** Each publication has another one. */
  readonly publication: string;
  /** `group` is a {@link TableGroup}. */
  readonly columns: readonly { readonly table: string; readonly column: string; readonly group: string }[];
  /** Words as in the dictionary: the files that fill a table, and those that read it, also through others. */
  readonly tables: readonly { readonly table: string; readonly source?: string; readonly readBy?: string }[];
  /** True if SQLite answers queries of these tables. */
  readonly isFile: boolean;
}

/** Reads what an engine has published. In results, NULL is undefined, and an id is text, as in the records. */
export interface PublishedSource {
  readonly db: StateDb;
  readonly schema: 'main' | 'warehouse';
  /** Empty if the table does not exist. */
  columnsOf(table: string): Promise<ReadonlySet<string>>;
  close(): void;
}

/** The high and the low half of a sum. Both are undefined if one of the values is unknown. */
interface Halves {
  readonly high: bigint | undefined;
  readonly low: bigint | undefined;
}

/** SQLite's sum of integers fails beyond int64. */
const halves = (column: string) =>
  `CASE WHEN count(${column}) = count(*) THEN sum(${column} >> 32) END AS ${column}_high,
  CASE WHEN count(${column}) = count(*) THEN sum(${column} & 4294967295) END AS ${column}_low`;

const sumOf = ({ high, low }: Halves) => (high === undefined || low === undefined ? undefined : (high << 32n) + low);

const SUMS = sql.raw(`${halves('cost_micros')}, ${halves('clicks')}`);

/** NULL if one value is unknown. */
const totalOf = (column: ResultMetric) => `CASE WHEN count(${column}) = count(*) THEN total(${column}) END`;

interface SumRow {
  readonly date: CivilDate;
  readonly conversions: number | undefined;
  readonly conversionsValue: number | undefined;
  readonly costMicrosHigh: bigint | undefined;
  readonly costMicrosLow: bigint | undefined;
  readonly clicksHigh: bigint | undefined;
  readonly clicksLow: bigint | undefined;
}

function dayOf({ date, conversions, conversionsValue, ...row }: SumRow): PublishedDay {
  return {
    date,
    costMicros: sumOf({ high: row.costMicrosHigh, low: row.costMicrosLow }),
    clicks: sumOf({ high: row.clicksHigh, low: row.clicksLow }),
    conversions,
    conversionsValue,
  };
}

const among = (ids: readonly string[]) => sql.raw(ids.join(', ') || 'NULL');

export type PublishedData = Awaited<ReturnType<typeof publishedData>>;

/** Throws the engine's error if nothing is published. */
export async function publishedData(source: PublishedSource) {
  const { db, schema, columnsOf, close } = source;
  const all = async <Row>(query: RawBuilder<Row>): Promise<Row[]> => (await query.execute(db)).rows;
  const table = (name: string) => sql.raw(`${schema}.${identifier(name)}`);
  const days = (query: string) => table(`${query}_by_day`);
  const hasColumn = async (name: string, column: string) => (await columnsOf(name)).has(column);
  const accountDay = table('account_day');
  const [found] = await all(sql<{ target: string | undefined }>`SELECT target FROM ${table('as_of')}`);
  const newest = async (where: RawBuilder<unknown>) => {
    const instant = sql.raw(instantOutside('max(read_at)'));
    const query = sql<{ at: string | undefined }>`SELECT ${instant} AS at FROM ${accountDay} WHERE ${where}`;
    return (await all(query))[0]?.at;
  };
  /** Undefined if a sum is beyond int64. */
  const sumsWithin = async <Row>(select: string): Promise<Row[] | undefined> => {
    try {
      return await all(sql.raw<Row>(select));
    } catch (error) {
      // biome-ignore lint/plugin: SQLite has no code of its own for this error.
      if (error instanceof Error && error.message === 'integer overflow') return undefined;
      throw error;
    }
  };
  const resultsIn = async (query: string) => {
    const columns = await columnsOf(`${query}_by_day`);
    return RESULT_METRICS.filter((name) => columns.has(name));
  };
  /** SQL of both metrics. NULL without a column. */
  const bothResults = async (query: string, sqlOf: (column: ResultMetric) => string) => {
    const known = await resultsIn(query);
    return sql.raw(
      RESULT_METRICS.map((name) => `${known.includes(name) ? sqlOf(name) : 'NULL'} AS ${name}`).join(', '),
    );
  };
  const sumsByDay = async (query: string, where: RawBuilder<unknown>) => {
    const rows = await all(sql<SumRow>`SELECT date, ${await bothResults(query, totalOf)}, ${SUMS} FROM ${days(query)}
      WHERE ${where} GROUP BY date ORDER BY date`);
    return rows.map(dayOf);
  };
  const completeDays = async (query: string, customers: readonly CustomerId[], { from, to }: DateRange) => {
    if (customers.length === 0) return new Map<CustomerId, { readonly date: CivilDate }[]>();
    const rows = await all(sql<{ customerId: CustomerId; date: CivilDate }>`
      SELECT customer_id, date FROM ${accountDay}
      WHERE query = ${query} AND state = 'settled' AND date BETWEEN ${from} AND ${to}
        AND customer_id IN (${sql.join(customers)})`);
    return Map.groupBy(rows, ({ customerId }) => customerId);
  };
  return {
    target: found?.target,
    /** The time is in UTC. If `query` is undefined, all queries count. */
    newestReading: (query: string | undefined) => newest(query === undefined ? sql`true` : sql`query = ${query}`),
    /** The time is in UTC. */
    readAt: (query: string, customer: CustomerId) => newest(sql`query = ${query} AND customer_id = ${customer}`),
    accounts: () =>
      all(
        sql<PublishedAccount>`SELECT customer_id, name, currency, time_zone FROM ${table('account')} ORDER BY customer_id`,
      ),
    /** Clicks of each account since the day. Unknown clicks count as 0. */
    clicksSince: async (query: string, from: CivilDate) => {
      const rows = await all(sql<Halves & { customerId: CustomerId }>`
        SELECT customer_id, sum(clicks >> 32) AS high, sum(clicks & 4294967295) AS low FROM ${days(query)}
        WHERE date >= ${from} GROUP BY customer_id`);
      return new Map(rows.map((row) => [row.customerId, sumOf(row) ?? 0n]));
    },
    /** The metrics of results that the query selects. */
    resultsIn,
    /** Reads the rows of `spendOfCampaigns`. Empty if a sum is beyond int64. */
    campaignSums: async (wanted: WantedSpend): Promise<CampaignSums[]> =>
      (await sumsWithin<CampaignSums>(spendOfCampaigns(wanted, schema))) ?? [],
    /** The texts with most spend, and the sums of all. Undefined without columns or rows, or if a sum is beyond int64. */
    spendOfTexts: async (wanted: WantedTexts, limit: number) => {
      const held = await columnsOf(wanted.query.name);
      const columns = wanted.query.columns.filter(({ name }) => held.has(name));
      const select = spendOfTexts({ ...wanted, query: { ...wanted.query, columns } }, schema);
      if (select === undefined) return undefined;
      const sum = (name: string) => `CASE WHEN count(${name}) = count(*) THEN sum(${name}) END AS ${name}`;
      const top = await sumsWithin<TextSums>(`${select}\nLIMIT ${limit}`);
      const whole = await sumsWithin<Omit<TextSums, 'text'> & { readonly count: bigint }>(
        `SELECT count(*) AS count, ${['cost_micros', 'clicks', 'conversions'].map(sum).join(', ')} FROM (${select}) AS texts`,
      );
      return top?.[0] && whole?.[0] && { top, all: whole[0] };
    },
    /** Undefined if the table by day has no impression shares. */
    impressionShares: async (wanted: WantedSpend) => {
      if (!(await hasColumn(`${wanted.query}_by_day`, LOST_COLUMN))) return undefined;
      const select = impressionShares(wanted, schema);
      return (await sumsWithin<{ shown: number | undefined; lost: number | undefined }>(select))?.[0];
    },
    hasDays: async (query: string) =>
      (await hasColumn(`${query}_by_day`, 'cost_micros')) && (await hasColumn(`${query}_by_day`, 'clicks')),
    /** Without customers, of all. */
    newestComplete: async (query: string, customers: readonly CustomerId[]) => {
      const own = customers.length === 0 ? sql`` : sql`AND customer_id IN (${sql.join(customers)})`;
      const [row] = await all(sql<{ date: CivilDate | undefined }>`
        SELECT max(date) AS date FROM ${accountDay} WHERE query = ${query} AND state = 'settled' ${own}`);
      return row?.date;
    },
    completeDays,
    dayStates: async (query: string, customer: CustomerId, from: CivilDate) => {
      const readAt = sql.raw(instantOutside('read_at'));
      const rows = await all(sql<PublishedState & { date: CivilDate }>`
        SELECT date, state, ${readAt} AS read_at FROM ${accountDay}
        WHERE query = ${query} AND customer_id = ${customer} AND date >= ${from} ORDER BY date`);
      return new Map(rows.map((row) => [row.date, row]));
    },
    daySums: (query: string, customer: CustomerId, from: CivilDate) =>
      sumsByDay(query, sql`customer_id = ${customer} AND date >= ${from}`),
    /** The complete days of all campaigns that have rows since `from`. */
    campaignDays: async (query: string, customer: CustomerId, { from, to }: DateRange) => {
      const rows = await all(sql<PublishedDay & { campaignId: CampaignId }>`
        SELECT campaign_id, date, cost_micros, clicks, ${await bothResults(query, (name) => name)} FROM ${days(query)}
        WHERE customer_id = ${customer} AND date >= ${from} ORDER BY date`);
      const complete = await completeDays(query, [customer], { from, to });
      const dates = new Set(complete.get(customer)?.map(({ date }) => date));
      const campaigns = new Map<CampaignId, Map<CivilDate, PublishedDay>>();
      for (const row of rows) {
        const own = campaigns.get(row.campaignId) ?? new Map<CivilDate, PublishedDay>();
        campaigns.set(row.campaignId, own);
        if (dates.has(row.date)) own.set(row.date, row);
      }
      return campaigns;
    },
    /** Shares of the eligible impressions that the campaigns lost because of their budgets, from 0 to 1. */
    lostToBudget: async (query: string, customer: CustomerId, month: CivilDate) => {
      const months = `${query}_by_month`;
      if (!(await hasColumn(months, LOST_COLUMN))) return new Map<CampaignId, number>();
      const rows = await all(sql<{ campaignId: CampaignId; lost: number }>`
        SELECT campaign_id, ${sql.raw(LOST_COLUMN)} AS lost FROM ${table(months)}
        WHERE customer_id = ${customer} AND month = ${month} AND ${sql.raw(LOST_COLUMN)} IS NOT NULL`);
      return new Map(rows.map(({ campaignId, lost }) => [campaignId, lost]));
    },
    daysOfCampaigns: (
      query: string,
      customer: CustomerId,
      campaigns: readonly CampaignId[],
      from: CivilDate,
      to: CivilDate,
    ) =>
      sumsByDay(
        query,
        sql`customer_id = ${customer} AND date BETWEEN ${from} AND ${to} AND campaign_id IN (${among(campaigns)})`,
      ),
    campaignNames: async (customer: CustomerId) => {
      const rows = await all(sql<{ campaignId: CampaignId; name: string }>`
        SELECT campaign_id, campaign_name AS name FROM ${table('dim_campaign')}
        WHERE customer_id = ${customer} AND campaign_name IS NOT NULL`);
      return new Map(rows.map(({ campaignId, name }) => [campaignId, name]));
    },
    /** Each with its account, name, status and newest day. Empty if no query reads campaigns. */
    campaigns: async (ids: readonly CampaignId[]) => {
      const columns = await columnsOf('dim_campaign');
      const status = sql.raw(columns.has('campaign_status') ? 'campaign_status' : 'NULL');
      return columns.size === 0
        ? []
        : all(sql<PublishedCampaign>`
            SELECT customer_id, campaign_id, campaign_name AS name, ${status} AS status, last_seen
            FROM ${table('dim_campaign')} WHERE campaign_id IN (${among(ids)})`);
    },
    /** Ids of campaigns with this text in their name, in any case of its plain letters. Without customers, of all. */
    campaignsNamed: async (text: string, customers: readonly CustomerId[], limit: number) => {
      const own = customers.length === 0 ? sql`` : sql`AND customer_id IN (${sql.join(customers)})`;
      if ((await columnsOf('dim_campaign')).size === 0) return [];
      const rows = await all(sql<{ campaignId: CampaignId }>`SELECT DISTINCT campaign_id FROM ${table('dim_campaign')}
        WHERE instr(lower(campaign_name), lower(${text})) > 0 ${own} ORDER BY campaign_id LIMIT ${limit}`);
      return rows.map(({ campaignId }) => campaignId);
    },
    budgets: async (queries: readonly StoredQuery[]) => {
      const budgets: PublishedBudget[] = [];
      for (const query of queries) budgets.push(...(await budgetsIn(source, query, table(query.name))));
      return budgets;
    },
    /** The time is that of the view, in UTC. */
    dictionary: async (): Promise<PublishedDictionary> => {
      const instant = sql.raw(instantOutside('as_of'));
      const [time] = await all(sql<{ asOf: string }>`SELECT ${instant} AS as_of FROM ${table('as_of')}`);
      const rows = await all(sql<DictionaryRow>`
        SELECT table_name AS "table", column_name AS "column", type, unit, description FROM ${table('data_dictionary')}
        ORDER BY table_name, column_name`);
      return { asOf: time?.asOf ?? '', rows, isFile: schema === 'main' };
    },
    offered: async (): Promise<OfferedTables> => {
      const [own] = await all(sql<{ publication: string }>`SELECT publication FROM ${table('as_of')}`);
      const columns = await all(sql<OfferedTables['columns'][number]>`
        SELECT table_name AS "table", column_name AS "column", table_group AS "group" FROM ${table('data_dictionary')}
        WHERE column_name <> ''`);
      const tables = await all(sql<OfferedTables['tables'][number]>`
        SELECT table_name AS "table", source, read_by AS "readBy" FROM ${table('data_dictionary')} WHERE column_name = ''`);
      return { publication: own?.publication ?? '', columns, tables, isFile: schema === 'main' };
    },
    /** Columns that the next version removes. A file of an earlier version names none. */
    deprecated: async () =>
      (await hasColumn('data_dictionary', 'deprecated'))
        ? all(sql<{ table: string; column: string; instead: string }>`
            SELECT table_name AS "table", column_name AS "column", deprecated AS instead FROM ${table('data_dictionary')}
            WHERE deprecated IS NOT NULL ORDER BY table_name, column_name`)
        : [],
    close,
  };
}

/** Only queries without days list the current budgets. */
async function budgetsIn(
  { db, columnsOf }: PublishedSource,
  query: StoredQuery,
  table: RawBuilder<unknown>,
): Promise<PublishedBudget[]> {
  const columns = await columnsOf(query.name);
  const [budget, amount, campaign, name, references, shared] = [
    'campaign_budget.id',
    'campaign_budget.amount_micros',
    'campaign.id',
    'campaign_budget.name',
    'campaign_budget.reference_count',
    'campaign_budget.explicitly_shared',
  ].map((field) => {
    const column = columnOfField(query, field)?.name;
    return column !== undefined && columns.has(column) ? sql.raw(identifier(column)) : undefined;
  });
  if (budget === undefined || amount === undefined || hasDays(query)) return [];
  const unknown = sql`NULL`;
  const used = references === undefined ? sql`` : sql`AND ${references} IS DISTINCT FROM 0`;
  // A budget that is not shared has exactly one campaign.
  const { rows } = await sql<Omit<PublishedBudget, 'table' | 'isListing'>>`
    SELECT DISTINCT customer_id, ${budget} AS budget_id, ${campaign ?? unknown} AS campaign_id,
      ${name ?? unknown} AS name, ${amount} AS amount_micros,
      coalesce(${references ?? unknown}, CASE WHEN ${shared ?? unknown} = 0 THEN 1 END) AS campaigns
    FROM ${table} WHERE ${budget} > 0 AND ${amount} > 0 ${used}`.execute(db);
  return rows.map((row) => ({ ...row, table: query.name, isListing: query.resource === 'campaign_budget' }));
}
