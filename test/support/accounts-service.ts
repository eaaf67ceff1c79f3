import type { ServerResponse } from 'node:http';
import { type StubRequest, stubServer } from './stub-server.ts';

/** The n-th account of the service. */
export function accountNumber(index: number): string {
  return String(1_000_000_001 + index);
}

export interface AccountsService {
  readonly url: string;
  readonly env: Readonly<Record<string, string>>;
  /** The customers of the streams of the query, in the order they were asked for. */
  readonly streams: string[];
  /** Every text that was sent in a stream of the query, in order. */
  readonly texts: string[];
  /** The most streams that were open at the same time. */
  readonly inFlightMax: () => number;
  /** The changes that were made, in order. The only budget of each account is {@link BUDGET}. */
  readonly changes: { readonly customer: string; readonly to: number }[];
  /** The amounts now, in micros. */
  readonly amounts: ReadonlyMap<string, number>;
}

/** The budget of each account, in micros. */
export const BUDGET = 60_000_000;

export type OnStream = (customer: string, response: ServerResponse, end: (rows: readonly object[]) => void) => void;

export interface AccountsServiceOptions {
  readonly accounts: number;
  /** Answers a stream of the query; `end` answers 200 with these rows. No rows where it is absent. */
  readonly onStream?: OnStream;
  /** By account: an IANA name, or undefined for none; UTC for the rest. */
  readonly timeZones?: Readonly<Record<string, string | undefined>>;
  /** By account; EUR for the rest. */
  readonly currencies?: Readonly<Record<string, string>>;
  /** The service's clock; it sends no `Date` where this is absent. */
  readonly nowMs?: () => number | undefined;
  /** Called with each request for budgets and its access token, after the change that it asks for. */
  readonly onBudgets?: (kind: 'read' | 'validate' | 'change', token: string | undefined) => Promise<void> | void;
}

interface Mutation {
  readonly operations: readonly { readonly update: { readonly resourceName: string; readonly amountMicros: string } }[];
  readonly validateOnly: boolean;
}

/** A row of a query that selects campaign, day, clicks and cost. */
export function statsRow(date: string, clicks: number): object {
  return {
    campaign: { id: '1', name: 'C' },
    metrics: { clicks: String(clicks), costMicros: String(clicks * 1_000_000) },
    segments: { date },
  };
}

/** A query that {@link statsRow} answers. */
export const STATS_QUERY = `SELECT campaign.id, campaign.name, metrics.clicks, metrics.cost_micros, segments.date
  FROM campaign WHERE segments.date DURING LAST_7_DAYS`;

/** An advertising service with as many accounts as wanted, whose streams a test answers. */
export async function accountsService(options: AccountsServiceOptions): Promise<AccountsService> {
  const { accounts, timeZones = {}, currencies = {}, nowMs, onBudgets } = options;
  const { onStream = (_customer, _response, end) => end([]) } = options;
  const ids = Array.from({ length: accounts }, (_, index) => accountNumber(index));
  const streams: string[] = [];
  const texts: string[] = [];
  const changes: AccountsService['changes'] = [];
  const amounts = new Map(ids.map((id) => [id, BUDGET]));
  let inFlight = 0;
  let most = 0;
  const json = (response: ServerResponse, value: unknown) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  };
  const answer = async ({ path, headers, body }: StubRequest, response: ServerResponse) => {
    const now = nowMs?.();
    if (now !== undefined) response.setHeader('date', new Date(now).toUTCString());
    if (path.endsWith(':listAccessibleCustomers')) {
      return json(response, { resourceNames: ids.map((id) => `customers/${id}`) });
    }
    const customer = /customers\/(\d+)/.exec(path)?.[1] ?? '';
    if (path.endsWith('campaignBudgets:mutate')) {
      const { operations, validateOnly } = JSON.parse(body) as Mutation;
      for (const { update } of validateOnly ? [] : operations) {
        changes.push({ customer, to: Number(update.amountMicros) });
        amounts.set(customer, Number(update.amountMicros));
      }
      await onBudgets?.(validateOnly ? 'validate' : 'change', headers.authorization);
      return json(response, { results: operations.map(({ update: { resourceName } }) => ({ resourceName })) });
    }
    const { query = '' } = JSON.parse(body) as { query?: string };
    if (query.includes('campaign_budget.amount_micros')) {
      await onBudgets?.('read', headers.authorization);
      const campaignBudget = { id: '7', amountMicros: String(amounts.get(customer)), status: 'ENABLED' };
      const campaign = {
        id: '1',
        name: 'C',
        status: 'ENABLED',
        campaignBudget: `customers/${customer}/campaignBudgets/7`,
      };
      return json(response, [{ results: [{ campaign, campaignBudget }] }]);
    }
    if (query.includes('change_event')) return json(response, [{ results: [] }]);
    if (!query.includes('metrics.')) {
      const timeZone = customer in timeZones ? timeZones[customer] : 'UTC';
      const currencyCode = currencies[customer] ?? 'EUR';
      const facts = { id: customer, descriptiveName: `Account ${customer}`, currencyCode, timeZone };
      const client = { ...facts, level: '0', manager: false, status: 'ENABLED' };
      return json(response, [
        { results: [query.includes('customer_client') ? { customerClient: client } : { customer: facts }] },
      ]);
    }
    streams.push(customer);
    texts.push(query);
    inFlight += 1;
    most = Math.max(most, inFlight);
    response.once('close', () => {
      inFlight -= 1;
    });
    onStream(customer, response, (results) => json(response, [{ results }]));
  };
  const { url } = await stubServer(answer);
  const env = { PACEKEEPER_TARGET: 'live', ADS_URL: url, ADS_ACCESS_TOKEN: 'token', ADS_DEVELOPER_TOKEN: 'developer' };
  return { url, env, streams, texts, inFlightMax: () => most, changes, amounts };
}
