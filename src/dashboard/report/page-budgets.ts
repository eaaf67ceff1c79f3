import type { Settings } from '../../config/settings.ts';
import type { BudgetId, CampaignId, CustomerId } from '../../domain/ids.ts';
import type { Intent } from '../../storage/records/budgets/intent-table.ts';
import type { Reading } from '../../storage/records/runs/coverage-table.ts';
import type { PublishedBudget } from '../../storage/warehouse/publish/published-data.ts';
import type { DailyBudget } from '../../views/report/report-facts.ts';

export interface BudgetBooks {
  ofAccount(customer: CustomerId): DailyBudget | undefined;
  ofCampaign(customer: CustomerId, campaign: CampaignId): DailyBudget | undefined;
  /** The sum of the budgets of these campaigns. Undefined if one of them is unknown. */
  ofCampaigns(customer: CustomerId, campaigns: readonly CampaignId[]): DailyBudget | undefined;
  all(): readonly BudgetStanding[];
  /** Empty if unknown campaigns could also use the budget. */
  campaignsOf(customer: CustomerId, budget: BudgetId): readonly CampaignId[];
}

/** A budget with its amount now. */
export interface BudgetStanding {
  readonly customerId: CustomerId;
  readonly budgetId: BudgetId;
  readonly amount: bigint;
  /** The table that lists the budget. Undefined if the settings declare it, or if only a change shows it. */
  readonly table: string | undefined;
  /** The change that set this amount, if no later read did. */
  readonly change: bigint | undefined;
  /** Campaigns known to use the budget. */
  readonly campaigns: readonly CampaignId[];
  /** True if campaigns that we do not know could also use the budget. */
  readonly isPartial: boolean;
}

interface KnownBudget {
  amount: bigint;
  change?: bigint;
  /** In UTC. Empty for a budget from the settings. */
  readonly readAt: string;
  readonly table: string | undefined;
}

interface Book {
  readonly budgets: Map<BudgetId, KnownBudget>;
  readonly campaigns: Map<BudgetId, Set<CampaignId>>;
  readonly budgetOf: Map<CampaignId, BudgetId>;
  readonly whole: Set<BudgetId>;
  readonly counts: Map<BudgetId, bigint>;
  /** False if only changed budgets of the account are known. */
  isListed: boolean;
}

export interface BudgetSources {
  /** If two tables contain the same budget, the newer amount counts. */
  readonly listed: readonly PublishedBudget[];
  readonly readings: ReadonlyMap<string, ReadonlyMap<CustomerId, Reading>>;
  readonly settings: Pick<Settings, 'budgets'>;
  /** Oldest first. */
  readonly changed: readonly Intent[];
  /** A link does not show whether other campaigns use the same budget. */
  readonly links: readonly Pick<Intent, 'customerId' | 'budgetId' | 'campaignId'>[];
}

export function budgetBooks({ listed, readings, settings, changed, links }: BudgetSources): BudgetBooks {
  const books = new Map<CustomerId, Book>();
  const bookOf = (customer: CustomerId): Book => {
    const maps = { budgets: new Map(), campaigns: new Map(), budgetOf: new Map(), counts: new Map() };
    const book = books.get(customer) ?? { ...maps, whole: new Set(), isListed: false };
    books.set(customer, book);
    return book;
  };
  for (const row of current(listed, readings)) {
    const { customerId: customer, budgetId, campaignId, amountMicros, table, campaigns, readAt } = row;
    const book = bookOf(customer);
    book.isListed = true;
    book.budgets.set(budgetId, { amount: amountMicros, readAt, table });
    if (campaigns !== undefined) book.counts.set(budgetId, campaigns);
    if (campaignId === undefined) continue;
    link(book, budgetId, campaignId);
    book.whole.add(budgetId);
  }
  for (const [customer, budgets] of settings.budgets) {
    const book = bookOf(customer);
    if (book.isListed) continue;
    book.isListed = true;
    for (const [budget, { amount, campaigns }] of budgets) {
      book.budgets.set(budget, { amount, readAt: '', table: undefined });
      book.whole.add(budget);
      for (const campaign of campaigns) link(book, budget, campaign);
    }
  }
  for (const { customerId: customer, budgetId, campaignId } of links) {
    const book = bookOf(customer);
    if (campaignId === undefined || book.whole.has(budgetId)) continue;
    link(book, budgetId, campaignId);
  }
  for (const { customerId: customer, budgetId, to, updatedAt, id } of changed) {
    const { budgets, isListed } = bookOf(customer);
    const known = budgets.get(budgetId);
    if (known === undefined && !isListed)
      budgets.set(budgetId, { amount: to, readAt: '', table: undefined, change: id });
    else if (known !== undefined && updatedAt >= known.readAt) {
      known.amount = to;
      known.change = id;
    }
  }
  return {
    ofAccount: (customer) => {
      const book = books.get(customer);
      return book === undefined ? undefined : sumOf(book);
    },
    ofCampaign: (customer, campaign) => {
      const book = books.get(customer);
      const budget = book?.budgetOf.get(campaign);
      const known = budget === undefined ? undefined : book?.budgets.get(budget);
      if (book === undefined || budget === undefined || known === undefined) return undefined;
      const count = Math.max(book.campaigns.get(budget)?.size ?? 1, Number(book.counts.get(budget) ?? 0n));
      const source = book.isListed ? sourceOf([known]) : 'the last change';
      return { dailyMicros: known.amount, source, count, isPartial: isPartial(book, budget) };
    },
    ofCampaigns: (customer, campaigns) => {
      const book = books.get(customer);
      const ids = new Set(campaigns.map((campaign) => book?.budgetOf.get(campaign)));
      const known = [...ids].map((budget) => (budget === undefined ? undefined : book?.budgets.get(budget)));
      const sure = known.filter((budget) => budget !== undefined);
      return sure.length < known.length ? undefined : totalOf(sure);
    },
    all: () =>
      [...books].flatMap(([customerId, book]) =>
        [...book.budgets].map(([budgetId, { amount, table, change }]) => ({
          customerId,
          budgetId,
          amount,
          table,
          change,
          campaigns: [...(book.campaigns.get(budgetId) ?? [])],
          isPartial: isPartial(book, budgetId),
        })),
      ),
    campaignsOf: (customer, budget) => {
      const book = books.get(customer);
      return book === undefined || isPartial(book, budget) ? [] : [...(book.campaigns.get(budget) ?? [])];
    },
  };
}

type ReadBudget = PublishedBudget & { readonly readAt: string };

/** Oldest first. A newer full list of budgets replaces older rows. */
function current(listed: readonly PublishedBudget[], readings: BudgetSources['readings']): readonly ReadBudget[] {
  const read = listed
    .flatMap((row) => {
      const reading = readings.get(row.table)?.get(row.customerId);
      return reading === undefined ? [] : [{ ...row, readAt: reading.at, runId: reading.runId }];
    })
    .sort((one, other) => (one.readAt < other.readAt ? -1 : one.readAt > other.readAt ? 1 : 0));
  const newest = new Map(read.map(({ customerId, runId }) => [customerId, runId]));
  const isWhole = new Set(
    read
      .filter(({ customerId, runId, isListing }) => isListing && runId === newest.get(customerId))
      .map(({ customerId }) => customerId),
  );
  return read.filter(({ customerId, runId }) => !isWhole.has(customerId) || runId === newest.get(customerId));
}

function link(book: Book, budget: BudgetId, campaign: CampaignId): void {
  book.campaigns.set(budget, (book.campaigns.get(budget) ?? new Set()).add(campaign));
  book.budgetOf.set(campaign, budget);
}

function isPartial({ whole, counts, campaigns }: Book, budget: BudgetId): boolean {
  const count = counts.get(budget);
  const known = BigInt(campaigns.get(budget)?.size ?? 0);
  return count === undefined ? !whole.has(budget) : known < count;
}

function sumOf({ budgets, isListed }: Book): DailyBudget | undefined {
  if (!isListed || budgets.size === 0) return undefined;
  return totalOf([...budgets.values()]);
}

function totalOf(known: readonly KnownBudget[]): DailyBudget {
  const dailyMicros = known.reduce((sum, { amount }) => sum + amount, 0n);
  return { dailyMicros, source: sourceOf(known), count: known.length };
}

function sourceOf(budgets: readonly KnownBudget[]): string {
  const tables = [...new Set(budgets.flatMap(({ table }) => table ?? []))];
  if (tables.length === 0) return 'the settings';
  return tables.length === 1 ? `the table ${tables[0]}` : `the tables ${tables.join(' and ')}`;
}
