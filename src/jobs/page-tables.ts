import { addDays, type CivilDate, instantText } from '../domain/civil-date.ts';
import type { ReportFacts } from '../page/report-facts.ts';
import type { PublishedFile } from '../warehouse/page-facts.ts';
import { columnOfField, isDated, type StoredQuery } from '../warehouse/stored-query.ts';

/** Of the tables with sums of spend and clicks the one that has most clicks of late: another one is a part of it. */
export function chooseTable(file: PublishedFile, names: readonly string[], nowMs: number): string | undefined {
  const candidates = names.filter((name) => file.hasDays(name));
  if (candidates.length < 2) return candidates[0];
  const since = addDays(instantText(nowMs).slice(0, 10) as CivilDate, -RECENT_DAYS);
  const clicksOf = (name: string): bigint =>
    file
      .accounts()
      .flatMap(({ customerId }) => file.daySums(name, customerId, since))
      .reduce((sum, { clicks }) => sum + (clicks ?? 0n), 0n);
  return candidates
    .map((name) => ({ name, clicks: clicksOf(name) }))
    .reduce((best, other) => (other.clicks > best.clicks ? other : best)).name;
}

const RECENT_DAYS = 35;

const NEEDED = ['campaign.id', 'segments.date', 'metrics.clicks', 'metrics.cost_micros'] as const;

/** Where no table has sums by day: the query that lacks least for them. One that has no day is meant for something else. */
export function nearestTable(queries: readonly StoredQuery[]): ReportFacts['nearest'] {
  const [nearest] = queries
    .filter(isDated)
    .map((query) => ({
      query: query.name,
      lacks: NEEDED.filter((field) => columnOfField(query, field) === undefined),
    }))
    .sort((one, other) => one.lacks.length - other.lacks.length);
  return nearest;
}

/** Which tables list budgets as they are now, and which of them say the campaign too. */
export function budgetTables(queries: readonly StoredQuery[]): ReportFacts['budgetTables'] {
  const has = (query: StoredQuery, field: string) => columnOfField(query, field) !== undefined;
  const listing = queries.filter(
    (query) => !isDated(query) && has(query, 'campaign_budget.id') && has(query, 'campaign_budget.amount_micros'),
  );
  const linking = listing.filter((query) => has(query, 'campaign.id'));
  return { budgets: listing.map(({ name }) => name), campaigns: linking.map(({ name }) => name) };
}
