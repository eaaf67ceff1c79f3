import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OlderStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as OlderHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect, onTestFinished } from 'vitest';
import { serveInProcess } from '../../commands/serve/serve-in-process.ts';
import { readerOf } from '../../support/postgres-server.ts';
import { copiesOf, createProduct, type Product } from '../../support/product.ts';
import { PROGRAM } from '../../support/run-cli.ts';
import { byEngine } from '../../support/state.ts';
import { TRIM_QUERIES, TRIM_RULES } from '../../support/trim-rule.ts';

export const LIMITS =
  'agents: { limits: { floor: 5, ceiling: 300, step: 50%, cooldown: 2 days, drift: 60% over 30 days }, movement_a_day: 99% }\n';

export const READING = [
  'status',
  'accounts',
  'tables',
  'query_sql',
  'fields',
  'check_query',
  'rules',
  'explain_rule',
  'backtest_rule',
  'pacing',
  'changes',
  'alerts',
];
export const SUGGESTING = ['show_proposal', 'propose_budget_change', 'withdraw_proposal'];

/** Enough to call each reading tool. */
export const ARGUMENTS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  query_sql: { sql: 'SELECT campaign_id, date, cost_micros FROM stats ORDER BY date' },
  fields: { name: 'metrics.clicks' },
  check_query: { text: 'SELECT campaign.idd FROM campaign' },
  explain_rule: { name: 'trim' },
  backtest_rule: { name: 'trim' },
};

/** The rule binds the budget, and never fires. */
const QUIET = {
  'trim.yaml': TRIM_RULES['trim.yaml']
    .replace('over: 7 days', 'over: 3 days')
    .replace('clicks >= 30', 'clicks >= 30000000'),
};
const options = { mode: 'apply', config: LIMITS, rules: QUIET, queries: TRIM_QUERIES } as const;

async function firstReported(): Promise<Product> {
  const product = await createProduct(options);
  expect((await product.json(['report'])).code).toBe(0);
  return product;
}

/** A folder with one report and limits for agents. */
export const reported = copiesOf(firstReported, options);

const EXPLORE = { exploreProgram: new URL('../../../dist/explore-process.js', import.meta.url) };

export interface Served {
  readonly address: string;
  readonly token: string;
  readonly stderr: () => string;
  /** Runs `serve token` with these arguments, and returns what it prints. */
  tokenOf(...args: readonly string[]): Promise<string>;
}

/** On PostgreSQL, queries of agents need the role that only reads. */
async function envOf(product: Product): Promise<Readonly<Record<string, string>>> {
  const readerHere = byEngine<(url: string) => Promise<string | undefined>>({
    sqlite: async () => undefined,
    postgres: readerOf,
  });
  // Before the first report, there is nothing to read.
  const reader = await readerHere(product.place).catch(() => undefined);
  return { ...product.env(), ...(reader && { PACEKEEPER_STORE_EXPLORE_URL: reader }) };
}

/** `pacekeeper serve` on the folder, and a token of the role agent. */
export async function served(product: Product, more: Readonly<Record<string, string>> = {}): Promise<Served> {
  const env = { ...(await envOf(product)), ...more };
  const tokenOf = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await product.run(['serve', 'token', ...args]);
    expect(code, stderr).toBe(0);
    return stdout.trim();
  };
  const token = await tokenOf('--name', 'desk', '--role', 'agent');
  const server = await serveInProcess(product.folder, env, EXPLORE);
  return { address: server.ready.address, token, stderr: server.stderr, tokenOf };
}

export interface Called {
  readonly isError: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: what a tool answers is for each test to look at.
  readonly answer: any;
  readonly text: string;
}

/** What both clients can do. */
export interface Door {
  tools(): Promise<readonly { readonly name: string; readonly annotations?: Readonly<Record<string, unknown>> }[]>;
  call(name: string, args?: Readonly<Record<string, unknown>>): Promise<Called>;
  /** The texts of all resources, by their addresses. */
  resources(): Promise<Readonly<Record<string, string>>>;
  prompts(): Promise<readonly string[]>;
  prompt(name: string, args: Readonly<Record<string, string>>): Promise<string>;
  close(): Promise<void>;
}

const INFO = { name: 'a host', version: '7.1' };

export const CLIENTS = {
  'the client of 2026': async (product: Product, how: 'stdio' | Served) =>
    open(
      new Client(INFO, { versionNegotiation: { mode: { pin: '2026-07-28' } } }),
      how === 'stdio'
        ? new StdioClientTransport(await program(product))
        : new StreamableHTTPClientTransport(new URL('/mcp', how.address), bearer(how.token)),
    ),
  'an older client': async (product: Product, how: 'stdio' | Served) =>
    open(
      new OlderClient(INFO),
      how === 'stdio'
        ? new OlderStdio(await program(product))
        : new OlderHttp(new URL('/mcp', how.address), bearer(how.token)),
    ),
};

const bearer = (token: string) => ({ requestInit: { headers: { authorization: `Bearer ${token}` } } });

async function program(product: Product) {
  const env = { PATH: process.env.PATH ?? '', ...(await envOf(product)) };
  return {
    command: process.execPath,
    args: [PROGRAM, 'mcp', '--agent', 'desk'],
    cwd: product.folder,
    env,
    stderr: 'pipe' as const,
  };
}

// biome-ignore lint/suspicious/noExplicitAny: the two clients have the same methods and unrelated types.
async function open(client: any, transport: unknown): Promise<Door> {
  await client.connect(transport);
  onTestFinished(() => client.close());
  return {
    tools: async () => (await client.listTools()).tools,
    call: async (name, args = {}) => {
      const { isError = false, structuredContent, content } = await client.callTool({ name, arguments: args });
      return { isError, answer: structuredContent, text: content[0]?.text };
    },
    resources: async () => {
      const { resources } = (await client.listResources()) as { resources: { uri: string }[] };
      const read = resources.map(async ({ uri }) => [uri, (await client.readResource({ uri })).contents[0].text]);
      return Object.fromEntries(await Promise.all(read));
    },
    prompts: async () => (await client.listPrompts()).prompts.map(({ name }: { name: string }) => name),
    prompt: async (name, args) => (await client.getPrompt({ name, arguments: args })).messages[0].content.text,
    close: () => client.close(),
  };
}

/** A message by plain HTTP. */
export async function post(
  { address, token }: Served,
  {
    body = '{}',
    headers = {},
    method = 'POST',
  }: { body?: string | undefined; headers?: Readonly<Record<string, string>>; method?: string } = {},
) {
  const own = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const answer = await fetch(`${address}/mcp`, {
    method,
    headers: { ...own, ...headers },
    ...(method === 'GET' ? {} : { body }),
  });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}
