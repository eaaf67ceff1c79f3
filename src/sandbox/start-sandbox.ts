import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../domain/clock.ts';
import { InputError } from '../domain/errors.ts';
import type { Micros } from '../domain/micros.ts';
import { flatTree, managedTree } from './account-tree.ts';
import { adsError } from './ads-errors.ts';
import { answerRequest } from './answer-request.ts';
import { issuedTokens, type SandboxCredentials, sandboxCredentials } from './credentials.ts';
import type { Fault } from './faults.ts';
import { type Account, type Budget, describeMarket, type Market, type MarketDescription } from './market.ts';
import { type ReadRequest, readRequest, type SandboxRequest } from './read-request.ts';
import { replayMarket } from './replay-market.ts';
import type { Reply } from './reply.ts';
import { openSandboxStore, type ReceivedMessage } from './sandbox-store.ts';
import { seededMarket } from './seeded-market.ts';
import { replyInstead, sendReply } from './send-reply.ts';
import type { Service } from './service.ts';

export interface SandboxOptions {
  /** The SQLite file of budgets set and messages received, or `:memory:`. Created, with its folder, when missing. */
  readonly stateFile: string;
  readonly clock: Clock;
  /** Decides the numbers of the seeded market, and the cost of a replayed one whose file has none. */
  readonly seed: number;
  /** Answers only what the specification shows: its catalogue, no unselected names, no body where none is shown. */
  readonly strict: boolean;
  /** The market's accounts stand below managers, of which the credentials reach one. Nothing when `strict`. */
  readonly manager?: boolean;
  /** A CSV file of real history, gzipped or not, instead of the seeded market. */
  readonly marketFile?: string;
  /** 0 or absent: any free port. */
  readonly port?: number;
  /** Asked once per request, after it was read. */
  readonly fault?: (request: SandboxRequest) => Fault | undefined;
}

export interface Sandbox {
  /** `http://127.0.0.1:PORT`, the address of areas B and C alike. */
  readonly url: string;
  readonly credentials: SandboxCredentials;
  readonly market: MarketDescription;
  /** The last 10,000 received, oldest first. */
  readonly requests: readonly SandboxRequest[];
  /** The budget's amount now. Throws RangeError for a budget the market does not have. */
  budgetAmount(customerId: string, budgetId: string): Micros;
  /** Somebody sets the amount by hand, without a request. Throws RangeError as above. */
  setBudget(customerId: string, budgetId: string, amount: Micros): void;
  /** Somebody removes the budget: it stays readable and cannot be changed. Throws RangeError as above. */
  removeBudget(customerId: string, budgetId: string): void;
  /** Every message in the state file, oldest first. */
  messages(): ReceivedMessage[];
  /** Ends open connections too; a second call waits for the first. */
  close(): Promise<void>;
}

const REQUESTS_KEPT_MAX = 10_000;

/**
 * Starts the service of the specification's areas B and C on this machine's loopback address. Throws InputError when
 * the market file is wrong (with file and line), the state file cannot be opened or the port is in use.
 */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { clock, seed, strict, marketFile } = options;
  const market = marketFile === undefined ? seededMarket(seed) : await replayMarket(marketFile, seed);
  const store = openSandboxStore(options.stateFile);
  const server = createServer();
  try {
    await listen(server, options.port ?? 0);
  } catch (error) {
    store.close();
    throw error;
  }
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const credentials = sandboxCredentials(url);
  const tree = options.manager && !strict ? managedTree(market) : flatTree(market);
  const service: Service = { clock, seed, strict, market, tree, store, credentials, tokens: issuedTokens(clock) };
  const requests: SandboxRequest[] = [];
  let served = 0;
  let closed: Promise<void> | undefined;
  server.on('request', (request, response) => {
    served += 1;
    const exchange = { request, response, requestId: `sandbox-${served}` };
    // Only a client that went away in the middle of its own request gets here.
    serve(service, exchange, requests, options.fault).catch(() => response.destroy());
  });
  return {
    ...{ url, credentials, requests, market: describeMarket(market) },
    budgetAmount: (customerId, budgetId) => {
      const { account, budget } = findBudget(market, customerId, budgetId);
      return store.amountNow(account, budget);
    },
    setBudget: (customerId, budgetId, amountMicros) => {
      findBudget(market, customerId, budgetId);
      store.applyBudgets([{ customerId, budgetId, amountMicros }], clock.now());
    },
    removeBudget: (customerId, budgetId) => {
      findBudget(market, customerId, budgetId);
      store.removeBudget(customerId, budgetId);
    },
    messages: () => store.messages(),
    close: () => {
      closed ??= stop(server).then(() => store.close());
      return closed;
    },
  };
}

function findBudget(
  { accounts }: Market,
  customerId: string,
  budgetId: string,
): { readonly account: Account; readonly budget: Budget } {
  const account = accounts.find((candidate) => candidate.customerId === customerId);
  const budget = account?.budgets.find(({ id }) => id === budgetId);
  if (!account || !budget) throw new RangeError(`The market has no budget ${budgetId} of customer ${customerId}.`);
  return { account, budget };
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
}

async function serve(
  service: Service,
  { request, response, requestId }: Exchange,
  requests: SandboxRequest[],
  faultOf: SandboxOptions['fault'],
): Promise<void> {
  const read = await readRequest(request);
  requests.push(read.recorded);
  if (requests.length > REQUESTS_KEPT_MAX) requests.shift();
  const fault = faultOf?.(read.recorded);
  if (fault?.kind === 'hang_before') return;
  if (fault?.kind === 'reset_before') {
    response.socket?.resetAndDestroy();
    return;
  }
  const reply = replyInstead(fault) ?? answerSafely(service, read, requestId, fault);
  await sendReply(response, reply, fault, /\bgzip\b/i.test(String(request.headers['accept-encoding'] ?? '')));
}

function answerSafely(service: Service, read: ReadRequest, requestId: string, fault: Fault | undefined): Reply {
  try {
    return answerRequest(service, read, requestId, fault?.kind === 'refuse_operations' ? fault : undefined);
  } catch (error) {
    // A fault of the sandbox itself reaches its client as the service's own would, and says what it was.
    return adsError('INTERNAL', `The sandbox failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const reason = cause.code === 'EADDRINUSE' ? 'the port is in use' : cause.message;
      const message = `Starting the sandbox on 127.0.0.1:${port} failed; found that ${reason}, expected a free port.`;
      reject(new InputError(message, { nextStep: 'Name another port, or 0 for any free one.', cause }));
    });
    server.listen({ port, host: '127.0.0.1' }, resolve);
  });
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
