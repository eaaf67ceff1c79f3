import { serve } from '../child-server.ts';
import { bigAccount, sandboxAnswer } from '../extraction/sandbox-answer.ts';
import { readJob } from '../measurement.ts';
import { CUSTOMER, WINDOW } from '../query.ts';
import { addTotals, NO_ROWS, type Totals } from '../totals.ts';
import {
  type AccountsJob,
  accountIds,
  answerOf,
  type ManyAccounts,
  SENT_PATH,
  type Sent,
  sendAnswer,
} from './many-accounts.ts';

/**
 * `serve-accounts-child.js JOB`: an interface with many small accounts beneath one manager, each answer late by as much
 * as a real service's is. All accounts have the same rows, so an answer is made once for each text of a query: what the
 * server does is nobody's waiting time.
 */
const { accounts, rowsEach, latencyMs, listed } = readJob<AccountsJob>();
const size = { rows: rowsEach, days: WINDOW.days };
const { currency, timeZone } = bigAccount(size).account;
const served: ManyAccounts = { ids: accountIds(accounts), currency, timeZone, listed, rowsOf: rowsFor };

interface Rows {
  readonly body: Buffer;
  /** Where the body names the account. */
  readonly places: readonly number[];
  readonly totals: Totals;
}
const rowsOfQuery = new Map<string, Rows>();
/** By account and query. */
const sent = new Map<string, { readonly customer: string; readonly totals: Totals }>();
let requests = 0;

serve((request, body, response) => {
  const path = request.url ?? '';
  if (path === SENT_PATH) return sendAnswer(response, JSON.stringify(sumUp()));
  requests += 1;
  setTimeout(() => sendAnswer(response, answerOf(served, path, body)), latencyMs);
});

function rowsFor(customer: string, query: string): Buffer {
  const known = rowsOfQuery.get(query) ?? makeRows(query);
  rowsOfQuery.set(query, known);
  sent.set(`${customer} ${query}`, { customer, totals: known.totals });
  // The rows say whose they are. All accounts have ids of the same length.
  const body = Buffer.from(known.body);
  for (const place of known.places) body.write(customer, place, 'latin1');
  return body;
}

function makeRows(query: string): Rows {
  const { batches, totals } = sandboxAnswer(size, query, Date.now());
  const body = Buffer.from(`[${[...batches].join(',\n')}]`);
  const places: number[] = [];
  for (let place = body.indexOf(CUSTOMER); place >= 0; place = body.indexOf(CUSTOMER, place + CUSTOMER.length)) {
    places.push(place);
  }
  return { body, places, totals: totals() };
}

function sumUp(): Sent {
  const all = [...sent.values()];
  const totals = all.reduce((sum, one) => addTotals(sum, one.totals), NO_ROWS);
  return { requests, accounts: new Set(all.map(({ customer }) => customer)).size, totals };
}
