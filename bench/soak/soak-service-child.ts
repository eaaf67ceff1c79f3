import { addDays } from '../../src/domain/civil-date.ts';
import { buildAccount } from '../../src/sandbox/market/build-account.ts';
import { demandOf, simulateCampaignDay } from '../../src/sandbox/market/campaign-demand.ts';
import type { Market } from '../../src/sandbox/market/market.ts';
import type { AccountPlan } from '../../src/sandbox/market/seeded-plans.ts';
import { accountIds, answerOf, type ManyAccounts, sendAnswer } from '../accounts/many-accounts.ts';
import { serve } from '../child-server.ts';
import { answersOf, asciiPlan } from '../extraction/sandbox-answer.ts';
import { readJob } from '../measurement.ts';
import { CUSTOMER } from '../query.ts';
import type { SoakJob } from './run-soak.ts';
import { readAheadMs } from './virtual-time.ts';

/**
 * `soak-service-child.js JOB`: an interface with many small accounts whose numbers go on with the time of the soak: today's grow with every
 * hour, and each day that is over stays as it was. All accounts are alike, so an answer is made once for each query and hour.
 */
const { accounts, latencyMs, ahead } = readJob<SoakJob>();
const HISTORY_DAYS = 90;
const HOUR_MS = 3_600_000;

const plan = smallPlan();
const account = buildAccount(plan, 0);
const demands = demandOf(1, account, plan);
const market: Market = {
  identity: 'soak',
  seed: 1,
  simulatedCost: true,
  accounts: [account],
  days: (_account, today) => Array.from({ length: HISTORY_DAYS + 1 }, (_, age) => addDays(today, age - HISTORY_DAYS)),
  visitDay(_account, date, { today, elapsedShare }, visit) {
    const share = date === today ? elapsedShare : 1;
    for (const demand of demands) {
      const amount = Number(demand.campaign.budget.baseAmount);
      for (const { unitIndex, clicks, impressions, clickCostMicros } of simulateCampaignDay(demand, date, amount)) {
        const shown = Math.floor(impressions * share);
        const clicked = Math.floor(clicks * share);
        if (shown > 0) visit(unitIndex, shown, clicked, clicked * clickCostMicros, shown);
      }
    }
  },
};
const batchesOf = answersOf(market, account, virtualNow);

let answered = { hour: Number.NaN, byQuery: new Map<string, string>() };
const served: ManyAccounts = {
  ids: accountIds(accounts),
  currency: plan.currency,
  timeZone: plan.timeZone,
  listed: 'manager',
  rowsOf(customer, query) {
    const hour = Math.floor(virtualNow() / HOUR_MS);
    if (hour !== answered.hour) answered = { hour, byQuery: new Map() };
    const known = answered.byQuery.get(query) ?? `[${[...batchesOf(query)].join(',\n')}]`;
    answered.byQuery.set(query, known);
    // The rows say whose they are.
    return known.replaceAll(CUSTOMER, customer);
  },
};

serve((request, body, response) => {
  // A run changes nothing if its clock and this one differ.
  response.setHeader('date', new Date(virtualNow()).toUTCString());
  setTimeout(() => sendAnswer(response, answerOf(served, request.url ?? '', body)), latencyMs);
});

function virtualNow(): number {
  return Date.now() + readAheadMs(ahead);
}

/** Three campaigns with an ad group each, of which the last two share a budget. */
function smallPlan(): AccountPlan {
  const whole = asciiPlan();
  const own = whole.campaigns.filter(({ budget }) => typeof budget === 'number').slice(0, 1);
  const shared = whole.campaigns.filter(({ budget }) => typeof budget !== 'number').slice(0, 2);
  const campaigns = [...own, ...shared].map((campaign) => ({ ...campaign, terms: campaign.terms.slice(0, 1) }));
  return { ...whole, forms: whole.forms.slice(0, 2), campaigns };
}
