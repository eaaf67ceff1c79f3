import type { CivilDate, DateRange } from '../../../domain/civil-date.ts';
import type { BudgetId, CampaignId, CustomerId } from '../../../domain/ids.ts';
import type { Account } from '../../records/runs/account-table.ts';
import { columnOfField, hasDays, identifier, type StoredQuery } from '../query-table.ts';
import { spendOfCampaigns, type WantedSpend } from './published-selects.ts';
import { instantOutside } from './published-table.ts';

/** A sum is undefined if one of its values is unknown. */
export interface PublishedDay {
  readonly date: CivilDate;
  readonly costMicros: bigint | undefined;
  readonly clicks: bigint | undefined;
  readonly conversions?: number | undefined;
  readonly conversionsValue?: number | undefined;
}

type CampaignDayRow = readonly [CampaignId, CivilDate, bigint | null, bigint | null, number | null, number | null];

export type PublishedAccount = Pick<Account, 'customerId' | 'name' | 'currency' | 'timeZone'>;

export interface PublishedBudget {
  readonly customerId: CustomerId;
  readonly budgetId: BudgetId;
  readonly campaignId: CampaignId | undefined;
  readonly amountMicros: bigint;
  readonly table: string;
  /** True if the query lists all budgets. A budget without a row then does not exist. */
  readonly isListing: boolean;
  /** Number of campaigns that use the budget. Undefined if the query does not select the number. */
  readonly campaigns: bigint | undefined;
}

export interface CampaignSums extends Omit<PublishedDay, 'date'> {
  readonly customerId: CustomerId;
  readonly campaignId: CampaignId;
}

export interface DictionaryRow {
  readonly table: string;
  /** Empty in the row of the table itself. */
  readonly column: string;
  readonly type: string;
  readonly unit: string | null;
  readonly description: string;
}

export interface PublishedDictionary {
  /** In UTC. */
  readonly asOf: string;
  readonly rows: readonly DictionaryRow[];
}

/** Reads what an engine has published. */
export interface PublishedSource {
  readonly schema: 'main' | 'warehouse';
  /** Each `?` in the SQL stands for a value. Rows are in the order of the selected columns, whose names must differ. */
  rows<Row extends readonly unknown[]>(sql: string, ...values: readonly string[]): Promise<Row[]>;
  /** Empty if the table does not exist. */
  columnsOf(table: string): Promise<ReadonlySet<string>>;
  close(): void;
}

export type DaySums = Map<string, readonly PublishedDay[]>;
const SUMS_MAX = 1000;

const LOST = 'search_budget_lost_impression_share';

/** Sums the high and the low half of each integer, because SQLite's sum fails beyond int64. */
const HALVES = ['cost_micros', 'clicks']
  .flatMap((name) => [
    `count(${name}) = count(*) AS ${name}_known`,
    `sum(${name} >> 32) AS ${name}_high`,
    `sum(${name} & 4294967295) AS ${name}_low`,
  ])
  .join(', ');

/** NULL if one value is unknown. */
const CONVERSIONS = 'CASE WHEN count(conversions) = count(*) THEN total(conversions) END';

type SumRow = readonly [CivilDate, number | null, ...(bigint | null)[]];

function dayOf([date, conversions, ...parts]: SumRow): PublishedDay {
  const sum = (at: number) => {
    const [known, high, low] = parts.slice(at * 3, at * 3 + 3);
    return known === 1n && high != null && low != null ? (high << 32n) + low : undefined;
  };
  return { date, costMicros: sum(0), clicks: sum(1), conversions: conversions ?? undefined };
}

const dayTable = (query: string) => identifier(`${query}_by_day`);

const idsOf = (ids: readonly string[]) => ids.join(', ') || 'NULL';

export type PublishedData = Awaited<ReturnType<typeof publishedData>>;

/** `sums` are those that are known already. Throws the engine's error if nothing is published. */
export async function publishedData(source: PublishedSource, sums: DaySums = new Map()) {
  const { schema, rows, columnsOf, close } = source;
  const [found] = await rows<[string | null]>(`SELECT target FROM ${schema}.as_of`);
  const conversionsIn = async (query: string) =>
    (await columnsOf(`${query}_by_day`)).has('conversions') ? CONVERSIONS : 'NULL';
  const newest = async (where: string, ...values: readonly string[]) => {
    const sql = `SELECT ${instantOutside('max(read_at)')} AS newest FROM ${schema}.account_day WHERE ${where}`;
    return (await rows<[string | null]>(sql, ...values))[0]?.[0] ?? undefined;
  };
  return {
    target: found?.[0] ?? undefined,
    /** The time is in UTC. If `query` is undefined, all queries count. */
    newestReading: (query: string | undefined) => (query === undefined ? newest('TRUE') : newest('query = ?', query)),
    /** The time is in UTC. */
    readAt: (query: string, customer: CustomerId) => newest('query = ? AND customer_id = ?', query, customer),
    accounts: async (): Promise<PublishedAccount[]> =>
      (
        await rows<[CustomerId, string | null, string | null, string | null]>(
          `SELECT CAST(customer_id AS TEXT) AS id, name, currency, time_zone FROM ${schema}.account ORDER BY customer_id`,
        )
      ).map(([customerId, name, currency, timeZone]) => ({
        customerId,
        name: name ?? undefined,
        currency: currency ?? undefined,
        timeZone: timeZone ?? undefined,
      })),
    /** Clicks of each account since the day. Unknown clicks count as 0. */
    clicksSince: async (query: string, from: CivilDate) =>
      new Map(
        (
          await rows<[CustomerId, bigint | null, bigint | null]>(
            `SELECT CAST(customer_id AS TEXT) AS id, sum(clicks >> 32) AS high, sum(clicks & 4294967295) AS low
              FROM ${schema}.${dayTable(query)} WHERE date >= ? GROUP BY customer_id`,
            from,
          )
        ).map(([customer, high, low]) => [customer, ((high ?? 0n) << 32n) + (low ?? 0n)]),
      ),
    hasConversions: async (query: string) => (await columnsOf(`${query}_by_day`)).has('conversions'),
    /** Reads the rows of `spendOfCampaigns`. Empty if a sum is beyond int64. */
    campaignSums: async (wanted: WantedSpend, hasConversions: boolean): Promise<CampaignSums[]> => {
      const sql = spendOfCampaigns(wanted, hasConversions, schema);
      try {
        const found = await rows<[bigint, bigint, bigint | null, bigint | null, (number | null)?]>(sql);
        return found.map(([customer, campaign, cost, clicks, conversions]) => ({
          customerId: String(customer) as CustomerId,
          campaignId: String(campaign) as CampaignId,
          costMicros: cost ?? undefined,
          clicks: clicks ?? undefined,
          conversions: conversions ?? undefined,
        }));
      } catch (error) {
        // biome-ignore lint/plugin: SQLite has no code of its own for this error.
        if (error instanceof Error && error.message === 'integer overflow') return [];
        throw error;
      }
    },
    hasDays: async (query: string) => {
      const columns = await columnsOf(`${query}_by_day`);
      return ['cost_micros', 'clicks'].every((name) => columns.has(name));
    },
    newestComplete: async (query: string) =>
      (
        await rows<[CivilDate | null]>(
          `SELECT max(date) AS newest FROM ${schema}.account_day WHERE query = ? AND state = 'settled'`,
          query,
        )
      )[0]?.[0] ?? undefined,
    completeDays: async (query: string, { from, to }: DateRange) =>
      new Map(
        (
          await rows<[CustomerId, bigint]>(
            `SELECT CAST(customer_id AS TEXT) AS id, count(*) AS days FROM ${schema}.account_day
              WHERE query = ? AND state = 'settled' AND date BETWEEN ? AND ? GROUP BY customer_id`,
            query,
            from,
            to,
          )
        ).map(([customer, count]) => [customer, Number(count)]),
      ),
    dayStates: async (query: string, customer: CustomerId, from: CivilDate) =>
      new Map(
        await rows<[CivilDate, 'settled' | 'provisional' | 'missing']>(
          `SELECT date, state FROM ${schema}.account_day WHERE query = ? AND customer_id = ? AND date >= ? ORDER BY date`,
          query,
          customer,
          from,
        ),
      ),
    daySums: async (query: string, customer: CustomerId, from: CivilDate) => {
      const key = `${query} ${customer} ${from}`;
      const known = sums.get(key);
      if (known !== undefined) return known;
      const found = await rows<SumRow>(
        `SELECT date, ${await conversionsIn(query)} AS conversions, ${HALVES} FROM ${schema}.${dayTable(query)}
          WHERE customer_id = ? AND date >= ? GROUP BY date ORDER BY date`,
        customer,
        from,
      );
      const days = found.map(dayOf);
      if (sums.size < SUMS_MAX) sums.set(key, days);
      return days;
    },
    campaignDays: async (query: string, customer: CustomerId, from: CivilDate) => {
      const columns = await columnsOf(`${query}_by_day`);
      const results = ['conversions', 'conversions_value'].map(
        (name) => `${columns.has(name) ? name : 'NULL'} AS ${name}`,
      );
      const days = await rows<CampaignDayRow>(
        `SELECT CAST(campaign_id AS TEXT) AS id, date, cost_micros, clicks, ${results.join(', ')}
          FROM ${schema}.${dayTable(query)} WHERE customer_id = ? AND date >= ? ORDER BY date`,
        customer,
        from,
      );
      const found = new Map<CampaignId, PublishedDay[]>();
      for (const [campaign, date, cost, clicks, conversions, value] of days) {
        const own = found.get(campaign) ?? [];
        found.set(campaign, own);
        own.push({
          date,
          costMicros: cost ?? undefined,
          clicks: clicks ?? undefined,
          conversions: conversions ?? undefined,
          conversionsValue: value ?? undefined,
        });
      }
      return found;
    },
    /** Shares of the eligible impressions that the campaigns lost because of their budgets, from 0 to 1. */
    lostToBudget: async (query: string, customer: CustomerId, month: CivilDate) => {
      const table = `${query}_by_month`;
      if (!(await columnsOf(table)).has(LOST)) return new Map<CampaignId, number>();
      return new Map(
        await rows<[CampaignId, number]>(
          `SELECT CAST(campaign_id AS TEXT) AS id, ${LOST} FROM ${schema}.${identifier(table)}
            WHERE customer_id = ? AND month = ? AND ${LOST} IS NOT NULL`,
          customer,
          month,
        ),
      );
    },
    daysOfCampaigns: async (
      query: string,
      customer: CustomerId,
      campaigns: readonly CampaignId[],
      from: CivilDate,
      to: CivilDate,
    ) =>
      (
        await rows<SumRow>(
          `SELECT date, ${await conversionsIn(query)} AS conversions, ${HALVES} FROM ${schema}.${dayTable(query)}
            WHERE customer_id = ? AND date BETWEEN ? AND ? AND campaign_id IN (${idsOf(campaigns)})
            GROUP BY date ORDER BY date`,
          customer,
          from,
          to,
        )
      ).map(dayOf),
    campaignNames: async (customer: CustomerId) =>
      new Map(
        await rows<[CampaignId, string]>(
          `SELECT CAST(campaign_id AS TEXT) AS id, campaign_name FROM ${schema}.dim_campaign
            WHERE customer_id = ? AND campaign_name IS NOT NULL`,
          customer,
        ),
      ),
    /** Accounts and names of the campaigns. Empty if no query reads campaigns. */
    campaigns: async (ids: readonly CampaignId[]) =>
      (await columnsOf('dim_campaign')).size === 0
        ? []
        : (
            await rows<[CustomerId, CampaignId, string | null]>(
              `SELECT CAST(customer_id AS TEXT) AS customer, CAST(campaign_id AS TEXT) AS campaign, campaign_name
                FROM ${schema}.dim_campaign WHERE campaign_id IN (${idsOf(ids)})`,
            )
          ).map(([customerId, campaignId, name]) => ({ customerId, campaignId, name: name ?? undefined })),
    budgets: async (queries: readonly StoredQuery[]) => {
      const found: PublishedBudget[] = [];
      for (const query of queries) found.push(...(await budgetsIn(source, query, await columnsOf(query.name))));
      return found;
    },
    /** The time is that of the view, in UTC. */
    dictionary: async (): Promise<PublishedDictionary> => {
      const [[asOf] = ['']] = await rows<[string]>(`SELECT ${instantOutside('as_of')} AS as_of FROM ${schema}.as_of`);
      const all = await rows<[string, string, string, string | null, string]>(
        `SELECT table_name, column_name, type, unit, description FROM ${schema}.data_dictionary ORDER BY table_name, column_name`,
      );
      return {
        asOf,
        rows: all.map(([table, column, type, unit, description]) => ({ table, column, type, unit, description })),
      };
    },
    close,
  };
}

/** Only queries without days list the current budgets. */
async function budgetsIn(
  { schema, rows }: PublishedSource,
  query: StoredQuery,
  columns: ReadonlySet<string>,
): Promise<PublishedBudget[]> {
  const [budget, amount, campaign, references, shared] = [
    'campaign_budget.id',
    'campaign_budget.amount_micros',
    'campaign.id',
    'campaign_budget.reference_count',
    'campaign_budget.explicitly_shared',
  ].map((field) => columnOfField(query, field)?.name);
  if (budget === undefined || amount === undefined || hasDays(query)) return [];
  if (!columns.has(budget) || !columns.has(amount)) return [];
  const inUse =
    references !== undefined && columns.has(references) ? `AND ${identifier(references)} IS DISTINCT FROM 0` : '';
  const known = (column: string | undefined) =>
    column !== undefined && columns.has(column) ? identifier(column) : 'NULL';
  // A budget that is not shared has exactly one campaign.
  const campaigns = `coalesce(${known(references)}, CASE WHEN ${known(shared)} = 0 THEN 1 END)`;
  const found = await rows<[CustomerId, BudgetId, CampaignId | null, bigint, bigint | null]>(
    `SELECT DISTINCT CAST(customer_id AS TEXT) AS customer, CAST(${identifier(budget)} AS TEXT) AS budget,
      CAST(${campaign === undefined ? 'NULL' : identifier(campaign)} AS TEXT) AS campaign, ${identifier(amount)} AS amount,
      ${campaigns} AS campaigns FROM ${schema}.${identifier(query.name)}
      WHERE ${identifier(budget)} > 0 AND ${identifier(amount)} > 0 ${inUse}`,
  );
  return found.map(([customerId, budgetId, campaignId, amountMicros, count]) => ({
    customerId,
    budgetId,
    campaignId: campaignId ?? undefined,
    amountMicros,
    table: query.name,
    isListing: query.resource === 'campaign_budget',
    campaigns: count ?? undefined,
  }));
}
