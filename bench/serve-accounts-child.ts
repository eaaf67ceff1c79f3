import type { ServerResponse } from 'node:http';
import { type AccountsJob, SENT_PATH, type Sent } from './accounts-job.ts';
import { WINDOW } from './bench-query.ts';
import { bigAccount } from './big-account.ts';
import { readJob } from './measurement.ts';
import { sandboxAnswer } from './sandbox-answer.ts';
import { serve } from './serve.ts';
import { addTotals, NO_ROWS, type Totals } from './totals.ts';

/**
 * `serve-accounts-child.js JOB`: an interface with many small accounts beneath one manager, each answer late by as much
 * as a real service's is. All accounts have the same rows, so an answer is made once for each text of a query: what the
 * server does is nobody's waiting time.
 */
const { accounts, rowsEach, latencyMs, listed } = readJob<AccountsJob>();
const MANAGER = '9000000001';
const FIRST_ACCOUNT = 1_000_000_001;
const size = { rows: rowsEach, days: WINDOW.days };
const ids = Array.from({ length: accounts }, (_, index) => String(FIRST_ACCOUNT + index));
const { currency, timeZone } = bigAccount(size).account;

interface Rows {
  readonly body: string;
  readonly totals: Totals;
}
const rowsOfQuery = new Map<string, Rows>();
/** By account and query. */
const sent = new Map<string, { readonly customer: string; readonly totals: Totals }>();
let requests = 0;

serve((request, body, response) => {
  const path = request.url ?? '';
  if (path === SENT_PATH) return send(response, JSON.stringify(sumUp()));
  requests += 1;
  setTimeout(() => send(response, answerTo(path, body)), latencyMs);
});

function send(response: ServerResponse, text: string | undefined): void {
  const status = text === undefined ? 404 : 200;
  response.writeHead(status, { 'content-type': 'application/json; charset=UTF-8', 'request-id': 'bench' });
  response.end(text ?? '{"error":{"code":404,"message":"Not found.","status":"NOT_FOUND"}}');
}

/** Undefined for what the interface does not have. */
function answerTo(path: string, body: string): string | undefined {
  if (path.endsWith('/customers:listAccessibleCustomers')) {
    const reached = listed === 'all' ? [MANAGER, ...ids] : [MANAGER];
    return JSON.stringify({ resourceNames: reached.map((id) => `customers/${id}`) });
  }
  const customer = /^\/v\d+\/customers\/(\d+)\/googleAds:searchStream$/.exec(path)?.[1];
  if (customer === undefined) return undefined;
  const { query } = JSON.parse(body) as { readonly query: string };
  const resource = /\sFROM\s+(\w+)/i.exec(query)?.[1];
  if (resource === 'customer') return batch([{ customer: describe(customer) }]);
  if (resource === 'customer_client') {
    return batch(customer === MANAGER ? tree() : [clientOf(customer, 0)]);
  }
  return customer === MANAGER ? batch([]) : rowsFor(customer, query);
}

function batch(results: readonly unknown[]): string {
  return JSON.stringify(results.length > 0 ? [{ results, requestId: 'bench' }] : [{ requestId: 'bench' }]);
}

function describe(customer: string) {
  const own = { resourceName: `customers/${customer}`, id: customer, descriptiveName: `Account ${customer}` };
  const standing = { manager: customer === MANAGER, testAccount: false, status: 'ENABLED' };
  return { ...own, ...standing, currencyCode: currency, timeZone };
}

function clientOf(customer: string, level: number) {
  const names = {
    resourceName: `customers/${level === 0 ? customer : MANAGER}/customerClients/${customer}`,
    clientCustomer: `customers/${customer}`,
  };
  const client = { ...describe(customer), ...names, hidden: false };
  return { customerClient: { ...client, level: String(level) } };
}

function tree(): unknown[] {
  return [clientOf(MANAGER, 0), ...ids.map((id) => clientOf(id, 1))];
}

function rowsFor(customer: string, query: string): string {
  const known = rowsOfQuery.get(query) ?? makeRows(query);
  rowsOfQuery.set(query, known);
  sent.set(`${customer} ${query}`, { customer, totals: known.totals });
  return known.body;
}

function makeRows(query: string): Rows {
  const { batches, totals } = sandboxAnswer(size, query, Date.now());
  return { body: `[${[...batches].join(',\n')}]`, totals: totals() };
}

function sumUp(): Sent {
  const all = [...sent.values()];
  const totals = all.reduce((sum, one) => addTotals(sum, one.totals), NO_ROWS);
  return { requests, accounts: new Set(all.map(({ customer }) => customer)).size, totals };
}
