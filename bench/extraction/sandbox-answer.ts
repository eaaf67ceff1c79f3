import { addDays, daysBetween } from '../../src/domain/civil-date.ts';
import { type Client, flatTree } from '../../src/sandbox/ads/account-tree.ts';
import { searchStream } from '../../src/sandbox/ads/search-stream.ts';
import { buildAccount } from '../../src/sandbox/market/build-account.ts';
import type { Account, Market } from '../../src/sandbox/market/market.ts';
import { uniform } from '../../src/sandbox/market/random.ts';
import { ACCOUNT_PLANS, type AccountPlan } from '../../src/sandbox/market/seeded-plans.ts';
import { openSandboxStore } from '../../src/sandbox/sandbox-store.ts';
import type { AdsService } from '../../src/sandbox/service.ts';
import { CUSTOMER } from '../query.ts';
import type { Totals } from '../totals.ts';

interface AccountSize {
  /** On all days together. */
  readonly rows: number;
  /** The days before today that have rows. */
  readonly days: number;
}

/**
 * One of the sandbox's accounts, given so many ad groups that its keywords have so many rows on so many days. The sandbox
 * builds it, runs the query over it and writes the rows; only the numbers of a day are made here.
 */
export interface BigAccount {
  readonly account: Account;
  readonly market: Market;
  /** What the market has been asked for so far; the whole account's once every day was visited. */
  totals(): Totals;
}

export function bigAccount({ rows, days }: AccountSize): BigAccount {
  const keywordsPerDay = Math.ceil(rows / days);
  const account = buildAccount(enlarge(asciiPlan(), keywordsPerDay), 0);
  const sums = { rows: 0, impressions: 0, clicks: 0, costMicros: 0 };
  const market: Market = {
    identity: `bench of ${rows} rows`,
    seed: 1,
    simulatedCost: true,
    accounts: [account],
    days: (_account, today) => Array.from({ length: days }, (_, index) => addDays(today, index - days)),
    visitDay(_account, date, { today }, visit) {
      const firstRow = (days - daysBetween(date, today)) * keywordsPerDay;
      const keywords = Math.min(keywordsPerDay, rows - firstRow);
      for (let keyword = 0; keyword < keywords; keyword += 1) {
        const impressions = 1 + Math.floor(uniform(keyword, firstRow, 0) * 2_000);
        const clicks = Math.floor(impressions * uniform(keyword, firstRow, 1) * 0.1);
        const costMicros = clicks * (200_000 + Math.floor(uniform(keyword, firstRow, 2) * 3_000_000));
        sums.rows += 1;
        sums.impressions += impressions;
        sums.clicks += clicks;
        sums.costMicros += costMicros;
        visit(keyword, impressions, clicks, costMicros, impressions);
      }
    },
  };
  const totals = () => ({
    rows: String(sums.rows),
    impressions: String(sums.impressions),
    clicks: String(sums.clicks),
    costMicros: String(sums.costMicros),
  });
  return { account, market, totals };
}

/** The account whose names are plain ASCII: JavaScript then keeps a batch's text in one byte a character, B's best case. */
export function asciiPlan(): AccountPlan {
  const plan = ACCOUNT_PLANS.find(({ customerId }) => customerId === CUSTOMER);
  if (plan === undefined) throw new RangeError(`The sandbox has no account ${CUSTOMER}.`);
  return plan;
}

/** Numbers each campaign's terms until its ad groups have at least `keywords` keywords together. */
function enlarge(plan: AccountPlan, keywords: number): AccountPlan {
  const keywordsPerTerm = plan.forms.length + 1;
  const searched = plan.campaigns.filter(({ channel }) => channel === 'SEARCH');
  const termsPerCampaign = Math.ceil(keywords / keywordsPerTerm / searched.length);
  const campaigns = plan.campaigns.map((campaign) => ({
    ...campaign,
    terms: Array.from({ length: termsPerCampaign }, (_, index) => {
      const term = campaign.terms[index % campaign.terms.length] ?? campaign.name;
      return `${term} ${index + 1}`;
    }),
  }));
  return { ...plan, campaigns };
}

export interface SandboxAnswer {
  /** Of the response, the elements of its array. */
  readonly batches: Iterable<string>;
  /** What they hold; complete once all of them were taken. */
  readonly totals: () => Totals;
}

/** The sandbox's answer to a query about an account of this size, at this time. Throws when it refuses the query. */
export function sandboxAnswer(size: AccountSize, query: string, nowMs: number): SandboxAnswer {
  const { account, market, totals } = bigAccount(size);
  return { batches: answersOf(market, account, () => nowMs)(query), totals };
}

/** Answers queries about the market's one account with batches. Throws when the sandbox refuses a query. */
export function answersOf(market: Market, account: Account, now: () => number): (query: string) => Iterable<string> {
  const service: AdsService = {
    clock: { now },
    seed: 1,
    strict: false,
    market,
    tree: flatTree(market),
    store: openSandboxStore(':memory:'),
  };
  const client: Client = { account, manager: false, status: 'ENABLED', hidden: false, labels: [] };
  return (query) => {
    const { body } = searchStream(service, { version: 'v25', account, client, requestId: 'bench', body: { query } });
    if (body.kind !== 'batches') throw new Error(`The sandbox refused the query: ${body.text}`);
    return body.batches;
  };
}
