import { addDays, type CivilDate } from '../../domain/civil-date.ts';
import { InvariantError } from '../../domain/errors.ts';
import { buildAccount } from './build-account.ts';
import { type CampaignDemand, type DayRow, demandOf, simulateCampaignDay } from './campaign-demand.ts';
import type { Account, Market } from './market.ts';
import { ACCOUNT_PLANS } from './seeded-plans.ts';

const HISTORY_DAYS = 90;

const made = new Map<string, Market>();

/** A complete day's row depends only on the seed, the keyword or group, the date and that day's budget. */
export function seededMarket(seed: number, currency?: string): Market {
  const key = `${seed} ${currency}`;
  const market = made.get(key) ?? makeMarket(seed, currency);
  made.set(key, market);
  return market;
}

function makeMarket(seed: number, currency: string | undefined): Market {
  const accounts = ACCOUNT_PLANS.map((plan, index) =>
    buildAccount({ ...plan, currency: currency ?? plan.currency }, index),
  );
  const demands = new Map<Account, readonly CampaignDemand[]>(
    accounts.map((account, index) => {
      const plan = ACCOUNT_PLANS[index];
      if (plan === undefined) throw new InvariantError('An account without a plan.');
      return [account, demandOf(seed, account, plan)];
    }),
  );
  let newest: { readonly today: CivilDate; readonly days: readonly CivilDate[] } | undefined;
  const historyOf = (today: CivilDate): readonly CivilDate[] => {
    if (newest?.today !== today) newest = { today, days: daysUntil(today) };
    return newest.days;
  };
  return {
    identity: `seed ${seed}`,
    seed,
    simulatedCost: true,
    accounts,
    days: (_account, today) => historyOf(today),
    visitDay(account, date, moment, visit) {
      if (!historyOf(moment.today).includes(date)) return;
      const share = date === moment.today ? moment.elapsedShare : 1;
      const show = (row: DayRow) => {
        const impressions = Math.floor(row.impressions * share);
        const clicks = Math.floor(row.clicks * share);
        const wanted = Math.floor(row.wanted * share);
        if (impressions > 0) visit(row.unitIndex, impressions, clicks, clicks * row.clickCostMicros, wanted);
      };
      for (const demand of demands.get(account) ?? []) {
        // A float is exact enough, because the amount only limits simulated clicks and costs.
        const amountMicros = Number(moment.amountOn(demand.campaign.budget, date));
        for (const row of simulateCampaignDay(demand, date, amountMicros)) show(row);
      }
    },
  };
}

function daysUntil(today: CivilDate): CivilDate[] {
  return Array.from({ length: HISTORY_DAYS + 1 }, (_, index) => addDays(today, index - HISTORY_DAYS));
}
