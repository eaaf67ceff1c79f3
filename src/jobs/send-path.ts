import type { AdsConnection } from '../apis/ads/ads-connection.ts';
import type { App } from '../app.ts';
import type { BudgetDeps } from '../budgets/budget-deps.ts';

/** What sends budget changes works with. */
export function sendPath(app: App, ads: AdsConnection): BudgetDeps {
  const { state, clock, log, passes, killSwitch, settings, stop } = app;
  return {
    ...{ state, ads, clock, log, passes, stop },
    frozen: (show) => killSwitch.frozen(show),
    readLagMs: settings.automation.readLagMinutes * 60_000,
    declared: (customer) => settings.budgets.get(customer) ?? new Map(),
    locale: (customer) => settings.accounts.get(customer)?.locale,
  };
}
