import { request } from 'node:http';
import { onTestFinished } from 'vitest';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { fakeClock } from '../support/fake-time.ts';

export const NOON = '2026-11-20T12:00:00Z';
export const EUR = '4081725530';
export const USD = '6193047821';
export const JPY = '9264813507';

/** A sandbox that whoever opens it closes. */
export function openSandbox(options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
  return startSandbox({ stateFile: ':memory:', clock: fakeClock(NOON), seed: 1, strict: false, ...options });
}

/** A sandbox of the test's own, closed when the test ends. */
export async function freshSandbox(options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
  const sandbox = await openSandbox(options);
  onTestFinished(() => sandbox.close());
  return sandbox;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape.
  readonly json: any;
}

/** Posts JSON with valid credentials unless told otherwise. */
export async function post(
  sandbox: Sandbox,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const response = await fetch(sandbox.url + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${sandbox.credentials.accessToken}`,
      'content-type': 'application/json',
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return answerOf(response);
}

export async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') === true && text !== '';
  return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined };
}

export function search(sandbox: Sandbox, customer: string, query: string): Promise<Answer> {
  return post(sandbox, `/v21/customers/${customer}/googleAds:searchStream`, { query });
}

/** The rows of a query that must succeed. */
// biome-ignore lint/suspicious/noExplicitAny: rows have the shape the query asks for.
export async function rowsOf(sandbox: Sandbox, customer: string, query: string): Promise<any[]> {
  const answer = await search(sandbox, customer, query);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.json.flatMap((batch: { results?: unknown[] }) => batch.results ?? []);
}

export function mutate(sandbox: Sandbox, customer: string, body: unknown): Promise<Answer> {
  return post(sandbox, `/v21/customers/${customer}/campaignBudgets:mutate`, body);
}

/** One operation as the specification writes it. */
export function setAmount(customer: string, budget: string, amountMicros: unknown) {
  const resourceName = `customers/${customer}/campaignBudgets/${budget}`;
  return { updateMask: 'amount_micros', update: { resourceName, amountMicros } };
}

export function ownBudget(sandbox: Sandbox, customer: string) {
  const account = sandbox.market.accounts.find(({ customerId }) => customerId === customer);
  const budget = account?.budgets.find(({ campaignIds }) => campaignIds.length === 1);
  if (!budget) throw new Error(`No budget of its own in ${customer}.`);
  return budget;
}

/** Posts nothing, with exactly these headers: without a content length when none is given, which fetch never does. */
export function rawPost(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ status: number; type: string; text: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method: 'POST', headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, type: response.headers['content-type'] ?? '', text }),
      );
    });
    outgoing.on('error', reject);
    if (!('content-length' in headers)) outgoing.removeHeader('content-length');
    outgoing.removeHeader('transfer-encoding');
    outgoing.end();
  });
}
