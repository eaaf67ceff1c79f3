import { chunksOf, ROWS_PER_STATEMENT } from '../../domain/chunks.ts';
import type { DateRange } from '../../domain/civil-date.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { type StillArriving, stillArriving } from '../../domain/still-arriving.ts';
import { resolveWindow } from '../../language/gaql/check/date-window.ts';
import type { QueryFile } from '../../language/gaql/query-file.ts';
import type { TotalResult } from '../../language/results/report-result.ts';
import { tellableName } from '../../services/http/tellable.ts';
import { conversionDays } from '../../storage/records/runs/conversion-days.ts';
import type { AccountTotals, Totals } from '../../storage/warehouse/totals.ts';
import type { RunAccount } from '../accounts/find-accounts.ts';
import type { App } from '../app.ts';
import { conversionLags } from './conversion-lag.ts';
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
      totals.push({ ...about, campaign: undefined, metrics: own.metrics, arriving: own.arriving });
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
  readonly arriving?: StillArriving | undefined;
}

/** Accounts in time zones with the same day share their statements. */
async function sumsOf(
  app: App,
  query: QueryFile,
  accounts: readonly RunAccount[],
): Promise<ReadonlyMap<CustomerId, Sums>> {
  const sums = new Map<CustomerId, Sums>();
  for (const [today, ofDay] of Map.groupBy(accounts, ({ timeZone }) => accountToday(timeZone, app.clock.now()))) {
    const days = query.window && resolveWindow(query.window, today);
    if (query.window && !days) continue;
    for (const chunk of chunksOf(ofDay, ROWS_PER_STATEMENT)) {
      const ids = chunk.map(({ customerId }) => customerId);
      const found = await app.state.warehouse.totals(query, ids, days);
      for (const [customerId, own] of found) sums.set(customerId, { ...own, days });
      if (days === undefined || !query.columns.some(({ name }) => name === 'conversions')) continue;
      const arriving = await arrivingIn(app, query.name, chunk, days);
      for (const [to, some] of Map.groupBy(arriving, ([, { completeUntil }]) => completeUntil)) {
        const young = some.map(([customer]) => customer);
        const complete = to && (await app.state.warehouse.totals(query, young, { from: days.from, to }));
        for (const [customer, own] of some) {
          const all = found.get(customer);
          if (all) sums.set(customer, { ...withRatiosOf(complete?.get(customer), all), days, arriving: own });
        }
      }
    }
  }
  return sums;
}

/** Only accounts with days whose conversions are not complete. */
async function arrivingIn(
  { state, settings }: App,
  query: string,
  accounts: readonly RunAccount[],
  days: DateRange,
): Promise<[CustomerId, StillArriving][]> {
  const ids = accounts.map(({ customerId }) => customerId);
  const read = Map.groupBy(await conversionDays(state.db, query, ids, days), ({ customerId }) => customerId);
  const known = accounts.map((account) => ({ ...account, days: read.get(account.customerId) ?? [] }));
  const lags = await conversionLags(state.db, settings, query, known);
  return known.flatMap((account) => {
    const lag = lags.get(account.customerId);
    const arriving = lag && stillArriving(account.days, lag);
    return arriving === undefined ? [] : [[account.customerId, arriving]];
  });
}

/** Too few conversions would make CPA and ROAS wrong, so both are those of the complete days. */
function withRatiosOf(complete: AccountTotals | undefined, all: AccountTotals): AccountTotals {
  const campaigns = new Map(complete?.campaigns.map((one) => [one.campaignId, one.metrics]));
  return {
    metrics: withRatios(complete?.metrics, all.metrics),
    campaigns: all.campaigns.map((one) => ({
      ...one,
      metrics: withRatios(campaigns.get(one.campaignId), one.metrics),
    })),
  };
}

function withRatios(complete: Totals | undefined, all: Totals): Totals {
  const ratios = ['cpa', 'roas'].filter((name) => all.has(name));
  return new Map([...all, ...ratios.map((name) => [name, complete?.get(name) ?? null] as const)]);
}
