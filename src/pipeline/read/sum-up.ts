import type { App } from '../../app.ts';
import { resolveWindow } from '../../gaql/check/date-window.ts';
import type { QueryFile } from '../../gaql/query-file.ts';
import { tellableName } from '../../http/tellable.ts';
import type { TotalResult } from '../../results/report-result.ts';
import type { RunAccount } from '../accounts/find-accounts.ts';
import { accountToday } from './day-state.ts';

export async function sumUp(
  app: App,
  queries: readonly QueryFile[],
  accounts: readonly RunAccount[],
): Promise<TotalResult[]> {
  const { warehouse } = app.state;
  const totals: TotalResult[] = [];
  for (const query of queries) {
    if (!query.columns.some(({ role }) => role === 'metric')) continue;
    const names = new Set(query.columns.map(({ name }) => name));
    for (const account of accounts) {
      const { customerId, currency } = account;
      const days = query.window && resolveWindow(query.window, accountToday(account.timeZone, app.clock.now()));
      if (query.window && !days) continue;
      const { rows, metrics } = await warehouse.totals(query, customerId, days);
      if (rows === 0n) continue;
      const about = { query: query.name, customerId, currency, days };
      totals.push({ ...about, campaign: undefined, metrics });
      if (!days || !names.has('campaign_id') || !names.has('date')) continue;
      for (const { campaignId, name, metrics: sums } of await warehouse.campaigns(query, customerId, days)) {
        const campaign = { id: campaignId, name: name === null ? undefined : tellableName(name, app.redact) };
        totals.push({ ...about, campaign, metrics: sums });
      }
    }
  }
  return totals;
}
