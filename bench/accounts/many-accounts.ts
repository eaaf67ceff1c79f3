import type { ServerResponse } from 'node:http';
import type { Totals } from '../totals.ts';

/** What the server of many accounts is told. */
export interface AccountsJob {
  readonly accounts: number;
  /** Of each account, on the days of the query's window together. */
  readonly rowsEach: number;
  /** Before every answer. */
  readonly latencyMs: number;
  /** What the credentials reach by themselves: the manager alone, or every account too. */
  readonly listed: 'manager' | 'all';
}

/** Where the server says what it has sent; no part of the interface. */
export const SENT_PATH = '/sent';

/** What the server has sent, an answer that was asked for again counted once. */
export interface Sent {
  readonly requests: number;
  /** Accounts whose rows were asked for. */
  readonly accounts: number;
  readonly totals: Totals;
}

/** The accounts beneath one manager, alike but for their numbers. */
export interface ManyAccounts {
  readonly ids: readonly string[];
  readonly currency: string;
  readonly timeZone: string;
  /** What the credentials reach by themselves: the manager alone, or every account too. */
  readonly listed: 'manager' | 'all';
  /** The answer to a query about one of them. */
  rowsOf(customer: string, query: string): string | Buffer;
}

const MANAGER = '9000000001';
const FIRST_ACCOUNT = 1_000_000_001;

export function accountIds(accounts: number): string[] {
  return Array.from({ length: accounts }, (_, index) => String(FIRST_ACCOUNT + index));
}

export function sendAnswer(response: ServerResponse, text: string | Buffer | undefined): void {
  const status = text === undefined ? 404 : 200;
  response.writeHead(status, { 'content-type': 'application/json; charset=UTF-8', 'request-id': 'bench' });
  response.end(text ?? '{"error":{"code":404,"message":"Not found.","status":"NOT_FOUND"}}');
}

/** The body of the answer; undefined for what the interface does not have. */
export function answerOf(accounts: ManyAccounts, path: string, body: string): string | Buffer | undefined {
  if (path.endsWith('/customers:listAccessibleCustomers')) {
    const reached = accounts.listed === 'all' ? [MANAGER, ...accounts.ids] : [MANAGER];
    return JSON.stringify({ resourceNames: reached.map((id) => `customers/${id}`) });
  }
  const customer = /^\/v\d+\/customers\/(\d+)\/googleAds:searchStream$/.exec(path)?.[1];
  if (customer === undefined) return undefined;
  const { query } = JSON.parse(body) as { readonly query: string };
  const resource = /\sFROM\s+(\w+)/i.exec(query)?.[1];
  if (resource === 'currency_constant') return batch([]);
  if (resource === 'customer') return batch([{ customer: describe(accounts, customer) }]);
  if (resource === 'customer_client') {
    return batch(customer === MANAGER ? tree(accounts) : [clientOf(accounts, customer, 0)]);
  }
  return customer === MANAGER ? batch([]) : accounts.rowsOf(customer, query);
}

function batch(results: readonly unknown[]): string {
  return JSON.stringify(results.length > 0 ? [{ results, requestId: 'bench' }] : [{ requestId: 'bench' }]);
}

function describe({ currency, timeZone }: ManyAccounts, customer: string) {
  const own = { resourceName: `customers/${customer}`, id: customer, descriptiveName: `Account ${customer}` };
  const standing = { manager: customer === MANAGER, testAccount: false, status: 'ENABLED' };
  return { ...own, ...standing, currencyCode: currency, timeZone };
}

function clientOf(accounts: ManyAccounts, customer: string, level: number) {
  const names = {
    resourceName: `customers/${level === 0 ? customer : MANAGER}/customerClients/${customer}`,
    clientCustomer: `customers/${customer}`,
  };
  const client = { ...describe(accounts, customer), ...names, hidden: false };
  return { customerClient: { ...client, level: String(level) } };
}

function tree(accounts: ManyAccounts): unknown[] {
  return [clientOf(accounts, MANAGER, 0), ...accounts.ids.map((id) => clientOf(accounts, id, 1))];
}
