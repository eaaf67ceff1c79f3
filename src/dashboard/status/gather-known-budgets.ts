import { type BudgetSubject, isMade } from '../../domain/budget-change.ts';
import { civilDateAt, type DateRange } from '../../domain/civil-date.ts';
import type { BudgetId, CampaignId, CustomerId } from '../../domain/ids.ts';
import { sumOfKnown } from '../../domain/micros.ts';
import { explorePath } from '../../domain/pages.ts';
import type { StateApp } from '../../engine/app.ts';
import { redactTexts } from '../../engine/redact-texts.ts';
import { foreignChangesOf } from '../../storage/records/budgets/foreign-change-table.ts';
import type { Intent } from '../../storage/records/budgets/intent-table.ts';
import type { Proposal } from '../../storage/records/budgets/proposal-table.ts';
import { allAccounts } from '../../storage/records/runs/account-table.ts';
import type { PublishedData } from '../../storage/warehouse/publish/published-data.ts';
import { budgetRows, spendRows, type WantedSpend } from '../../storage/warehouse/publish/published-selects.ts';
import { type StoredQuery, storedQueries } from '../../storage/warehouse/query-table.ts';
import { amountInForce, type KnownBudget, type LastChange } from '../../views/known-budgets.ts';
import { type Comparison, comparedRange } from '../../views/report/comparison.ts';
import { rangeFigures } from '../../views/report/range-figures.ts';
import { booksOf, decidedBudgets } from '../report/gather-report.ts';
import { chooseTable } from '../report/page-accounts.ts';
import type { BudgetStanding } from '../report/page-budgets.ts';
import { type ReportFilter, rangeOf } from '../report/report-filter.ts';
import { keyOf, sumsOfRanges } from '../report/top-campaigns.ts';
import { isChosen, isInRange } from './page-filter.ts';

interface Wanted extends ReportFilter {
  readonly budget?: BudgetId;
  readonly offset: number;
  readonly limit: number;
}

export interface KnownBudgets {
  /** Last changed first, then by currency, most spend first. */
  readonly budgets: readonly KnownBudget[];
  /** Number of budgets on all pages. */
  readonly total: number;
  /** One of each currency, over all pages. */
  readonly sums: readonly BudgetSum[];
  /** The days of the spend. */
  readonly range: DateRange;
  /** The table with the spend. */
  readonly query: string | undefined;
  /** The SELECT over the table of budgets. Undefined without such a table. */
  readonly sql: string | undefined;
  readonly newest: DateRange['to'] | undefined;
}

export interface BudgetSum {
  readonly currency: string | undefined;
  readonly count: number;
  /** Budgets without a known amount are not in the sum. */
  readonly known: number;
  readonly amount: bigint;
}

/** A budget that a table, the settings, a change or a proposal shows. */
interface Found {
  readonly customerId: CustomerId;
  readonly budgetId: BudgetId;
  readonly standing: BudgetStanding | undefined;
  /** Campaigns that use the budget, from all sources. Others could use it, too. */
  readonly campaigns: Set<CampaignId>;
  campaignName?: string | undefined;
  changes: number;
  /** Oldest first. */
  readonly steps: Taken[];
  spend?: bigint | undefined;
}

/** Names and actors are redacted. Addresses are not, because redaction could change their SQL. */
export async function gatherKnownBudgets(
  { state, settings, clock }: StateApp,
  file: PublishedData | undefined,
  wanted: Wanted,
): Promise<KnownBudgets> {
  const queries = await storedQueries(state.db);
  const decided = await decidedBudgets(settings, state);
  const books = await booksOf({ settings, state }, file, queries, decided);
  const query = file && (await chooseTable(file, state.db, queries, clock.now()));
  const newest = query === undefined ? undefined : await file?.newestComplete(query, wanted.customers);
  const range = rangeOf(wanted, newest ?? civilDateAt(clock.now(), 'UTC'));
  const took = [...decided.intents.filter(isMade).map(ours), ...(await foreignChangesOf(state.db)).map(elsewhere)].sort(
    (one, other) => compare(one.at, other.at),
  );
  const found = join(books.all(), decided, took, wanted).filter(isWanted(wanted));
  if (file && query !== undefined) await addSpend(found, file, query, range, wanted);
  const accounts = new Map(
    [...(await allAccounts(state.db)), ...((await file?.accounts()) ?? [])].map((one) => [one.customerId, one]),
  );
  const currencyOf = (customer: CustomerId) =>
    accounts.get(customer)?.currency ?? settings.accounts.get(customer)?.currency;
  const sorted = found.toSorted(
    (one, other) =>
      compare(other.steps.at(-1)?.at ?? '', one.steps.at(-1)?.at ?? '') ||
      compare(currencyOf(one.customerId) ?? '', currencyOf(other.customerId) ?? '') ||
      compare(other.spend ?? -1n, one.spend ?? -1n),
  );
  const shown = sorted.slice(wanted.offset, wanted.offset + wanted.limit);
  const customers = [...new Set(shown.map(({ customerId }) => customerId))];
  const days = query === undefined ? undefined : await file?.completeDays(query, customers, range);
  const beforeOf =
    file && query !== undefined && wanted.comparison
      ? await comparedSpends(file, { query, range, customers }, wanted.comparison)
      : undefined;
  const named = (await file?.campaigns(shown.flatMap(({ campaigns }) => [...campaigns]))) ?? [];
  const nameOf = new Map(named.map((one) => [keyOf(one), one.name]));
  const toShown = (own: Found): KnownBudget => {
    const { customerId, budgetId, standing, campaigns, spend, changes, steps } = own;
    const last = steps.at(-1);
    const complete = (days?.get(customerId) ?? []).map(({ date }) => date);
    const [only] = campaigns.size === 1 ? campaigns : [];
    const account = accounts.get(customerId);
    const spendSql = query && spendRows({ query, range, customers: [customerId], campaigns: [...campaigns] });
    const amountSql = listedIn(queries, standing, customerId, budgetId);
    return {
      customerId,
      budgetId,
      campaignId: only,
      ...redactTexts(
        {
          campaignName:
            only === undefined
              ? books.named<BudgetSubject & { customerId: CustomerId }>({ customerId, budgetId }).campaignName
              : (nameOf.get(keyOf({ customerId, campaignId: only })) ?? own.campaignName),
          campaignNames: [...campaigns].map(
            (campaignId) => nameOf.get(keyOf({ customerId, campaignId })) ?? `campaign ${campaignId}`,
          ),
          accountName: account?.name,
          last: last && lastOf(last),
        },
        settings,
      ),
      currency: currencyOf(customerId),
      campaigns: [...campaigns],
      amount: standing?.amount,
      source: standing && sourceWords(standing),
      spend,
      available: amountInForce(complete, steps, standing?.amount),
      changes,
      before: spend === undefined ? undefined : beforeOf?.(customerId, campaigns),
      amountPath: amountSql && explorePath(amountSql),
      spendPath: spend !== undefined && spendSql ? explorePath(spendSql) : undefined,
    };
  };
  const listing = queries.find((one) => one.resource === 'campaign_budget' && budgetRows(one) !== undefined);
  return {
    budgets: shown.map(toShown),
    total: sorted.length,
    sums: Array.from(
      Map.groupBy(sorted, ({ customerId }) => currencyOf(customerId)),
      ([currency, own]) => {
        const amounts = own.flatMap(({ standing }) => standing?.amount ?? []);
        const amount = amounts.reduce((sum, one) => sum + one, 0n);
        return { currency, count: own.length, known: amounts.length, amount };
      },
    ),
    range,
    query,
    sql: listing && budgetRows(listing, wanted.customers),
    newest,
  };
}

/** A step has no copy of its change, because an account can have thousands of changes. */
type Taken = Pick<LastChange, 'at' | 'from' | 'to'> &
  Pick<Intent, 'customerId' | 'budgetId' | 'accountDay'> & { readonly change?: Intent };

function ours(change: Intent): Taken {
  const { customerId, budgetId, accountDay, updatedAt: at, from, to } = change;
  return { customerId, budgetId, accountDay, at, from, to, change };
}

type Foreign = Awaited<ReturnType<typeof foreignChangesOf>>[number];

function elsewhere({ customerId, budgetId, accountDay, expected: from, found: to, seenAt: at }: Foreign): Taken {
  return { customerId, budgetId, accountDay, from, to, at };
}

function lastOf({ at, from, to, change }: Taken): LastChange {
  return change === undefined ? { at, from, to, by: 'elsewhere' } : { ...change, at, by: 'us' };
}

function join(
  standings: readonly BudgetStanding[],
  { intents, proposals }: { readonly intents: readonly Intent[]; readonly proposals: readonly Proposal[] },
  took: readonly Taken[],
  filter: Wanted,
): Found[] {
  const found = new Map<string, Found>();
  const at = (customerId: CustomerId, budgetId: BudgetId, standing?: BudgetStanding): Found => {
    const key = `${customerId} ${budgetId}`;
    const campaigns = new Set(standing?.campaigns);
    const own = found.get(key) ?? { customerId, budgetId, standing, campaigns, changes: 0, steps: [] };
    found.set(key, own);
    return own;
  };
  for (const standing of standings) at(standing.customerId, standing.budgetId, standing);
  for (const { customerId, budgetId, campaignId, campaignName } of [...proposals, ...intents]) {
    const own = at(customerId, budgetId);
    if (campaignId !== undefined && own.standing === undefined) own.campaigns.add(campaignId);
    own.campaignName ??= campaignName;
  }
  for (const change of took) {
    const own = at(change.customerId, change.budgetId);
    if (isInRange(filter, change.accountDay)) own.changes += 1;
    own.steps.push(change);
  }
  return [...found.values()];
}

function isWanted(wanted: Wanted): (own: Found) => boolean {
  const { budget, campaigns: chosen } = wanted;
  return ({ customerId, budgetId, campaigns }) =>
    isChosen(wanted, customerId) &&
    (budget === undefined || budgetId === budget) &&
    (chosen.length === 0 || chosen.some((one) => campaigns.has(one)));
}

/** Only if all campaigns of a budget are known. A campaign without rows spent nothing. */
async function addSpend(
  found: readonly Found[],
  file: PublishedData,
  query: string,
  range: DateRange,
  { customers, budget }: Wanted,
): Promise<void> {
  const campaigns = budget === undefined ? [] : found.flatMap((own) => [...own.campaigns]);
  // Without values, the top campaigns ask the same question, and its answer is kept.
  const results = (await file.resultsIn(query)).filter((name) => name === 'conversions');
  const sums = await file.campaignSums({ query, range, customers, campaigns, results });
  const spend = new Map(sums.map((one) => [keyOf(one), one.costMicros]));
  for (const own of found) {
    if (own.standing === undefined || own.standing.isPartial || own.campaigns.size === 0) continue;
    const keys = [...own.campaigns].map((campaignId) => keyOf({ customerId: own.customerId, campaignId }));
    own.spend = sumOfKnown(keys.map((key) => (spend.has(key) ? spend.get(key) : 0n)));
  }
}

/** A campaign without rows spent nothing. */
async function comparedSpends(
  file: PublishedData,
  wanted: Pick<WantedSpend, 'query' | 'range' | 'customers'>,
  comparison: Comparison,
): Promise<(customer: CustomerId, campaigns: ReadonlySet<CampaignId>) => KnownBudget['before']> {
  const { query, range, customers } = wanted;
  const against = comparedRange(comparison, range) ?? range;
  const ends = [range.from, range.to, against.from, against.to].sort();
  const complete = await file.completeDays(query, customers, {
    from: ends[0] ?? range.from,
    to: ends.at(-1) ?? range.to,
  });
  const figures = new Map(
    customers.map((customer) => {
      const days = (complete.get(customer) ?? []).map(({ date }) => ({ ...NO_SUMS, date, state: 'settled' as const }));
      const sorted = days.toSorted((one, other) => compare(one.date, other.date));
      return [customer, rangeFigures(sorted, range, undefined, comparison)];
    }),
  );
  const ranges = new Map([...figures].map(([customer, own]) => [customer, own?.before && own.against]));
  const sums = await sumsOfRanges(file, wanted, ranges);
  return (customerId, campaigns) => {
    const own = figures.get(customerId);
    const compared = ranges.get(customerId);
    if (own === undefined || compared === undefined) return undefined;
    const found = [...campaigns].map((campaignId) => sums.get(keyOf({ customerId, campaignId })));
    const spend = sumOfKnown(found.map((one) => (one ? one.costMicros : 0n)));
    return { spend, days: compared.complete, ownDays: own.days };
  };
}

const NO_SUMS = { costMicros: undefined, clicks: undefined };

function listedIn(
  queries: readonly StoredQuery[],
  standing: BudgetStanding | undefined,
  customer: CustomerId,
  budget: BudgetId,
): string | undefined {
  const listed = queries.find(({ name }) => name === standing?.table);
  return listed && budgetRows(listed, [customer], budget);
}

function sourceWords({ change, table }: BudgetStanding): string {
  if (change !== undefined) return `B${change}`;
  return table === undefined ? 'settings' : `table ${table}`;
}

function compare(one: string | bigint, other: string | bigint): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
