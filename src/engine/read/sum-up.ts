import { chunksOf, ROWS_PER_STATEMENT } from '../../domain/chunks.ts';
import type { DateRange } from '../../domain/civil-date.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { resolveWindow } from '../../language/gaql/check/date-window.ts';
import type { QueryFile } from '../../language/gaql/query-file.ts';
import type { TotalResult } from '../../language/results/report-result.ts';
import { tellableName } from '../../services/http/tellable.ts';
import type { AccountTotals } from '../../storage/warehouse/totals.ts';
import type { RunAccount } from '../accounts/find-accounts.ts';
import type { App } from '../app.ts';
import { accountToday } from './day-state.ts';

export async function sumUp(
  app: App,
  queries: readonly QueryFile[],
  accounts: readonly RunAccount[],
): Promise<TotalResult[]> {
  const totals: TotalResult[] = [];
  for (const query of queries) {
    if (!query.columns.some(({ role }) => role === 'metric')) continue;
    const sums = await sumsOf(app, query, accounts);
    for (const { customerId, currency } of accounts) {
      const own = sums.get(customerId);
      if (own === undefined) continue;
      const about = { query: query.name, customerId, currency, days: own.days };
      totals.push({ ...about, campaign: undefined, metrics: own.metrics });
      for (const { campaignId, name, metrics } of own.campaigns) {
        const campaign = { id: campaignId, name: name === null ? undefined : tellableName(name, app.redact) };
        totals.push({ ...about, campaign, metrics });
      }
    }
  }
  return totals;
}

interface Sums extends AccountTotals {
  readonly days: DateRange | undefined;
}

/** Accounts in time zones with the same day share their statements. */
async function sumsOf(
  { state, clock }: App,
  query: QueryFile,
  accounts: readonly RunAccount[],
): Promise<ReadonlyMap<CustomerId, Sums>> {
  const sums = new Map<CustomerId, Sums>();
  for (const [today, some] of Map.groupBy(accounts, ({ timeZone }) => accountToday(timeZone, clock.now()))) {
    const days = query.window && resolveWindow(query.window, today);
    if (query.window && !days) continue;
    for (const customers of chunksOf(some, ROWS_PER_STATEMENT)) {
      const ids = customers.map(({ customerId }) => customerId);
      const found = await state.warehouse.totals(query, ids, days);
      for (const [customerId, own] of found) sums.set(customerId, { ...own, days });
    }
  }
  return sums;
}
