import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CampaignStatus } from '../domain/campaign-status.ts';
import { instantText } from '../domain/civil-date.ts';
import { InputError } from '../domain/errors.ts';
import type { Micros } from '../domain/micros.ts';
import type { Clock } from '../domain/ports.ts';
import { flatTree, managedTree } from './ads/account-tree.ts';
import { adsError } from './ads/ads-errors.ts';
import { answerRequest, answerToAnother, asSpecified } from './answer-request.ts';
import { createContainer } from './container/answer-container.ts';
import { issuedTokens, type SandboxCredentials, sandboxCredentials } from './credentials.ts';
import type { Fault } from './fault-modes.ts';
import { chooseFault } from './faults.ts';
import { describeMarket, type Market } from './market/market.ts';
import { replayMarket } from './market/replay-market.ts';
import { seededMarket } from './market/seeded-market.ts';
import { createPhones, digitsOf } from './phones.ts';
import { type ReadRequest, readRequest, type SandboxRequest } from './read-request.ts';
import type { Reply } from './reply.ts';
import { openSandboxStore, type SandboxFile, type SandboxStore } from './sandbox-store.ts';
import { replyInstead, sendReply } from './send-reply.ts';
import type { Service } from './service.ts';
import { openServiceAccount } from './service-account.ts';
import { createTemplates } from './templates.ts';
import { type PhoneReply, speakerOf } from './webhooks/compose-webhook.ts';
import { createWebhooks, type WebhookAnswer, type Webhooks } from './webhooks/webhooks.ts';

export interface SandboxOptions {
  /** A file, or `:memory:`. A missing file is created. */
  readonly stateFile: SandboxFile;
  readonly clock: Clock;
  readonly seed: number;
  /** True: offers only what the specification shows. */
  readonly strict: boolean;
  /** True: the credentials reach only a manager account. Ignored with `strict`. */
  readonly manager?: boolean;
  readonly marketFile?: string;
  /** Currency of all accounts of a market without a file. Default: each has its own. */
  readonly currency?: string;
  /** Default: any free port. */
  readonly port?: number;
  /** Webhooks go to the paths `/webhooks/messages` and `/webhooks/graph` below this address. */
  readonly webhookUrl?: string;
  readonly webhookSecrets?: { readonly messages?: string | undefined; readonly graph?: string | undefined };
  /** Default: 5 s. */
  readonly webhookTimeoutMs?: number;
  /** True: the first login must change the default password. */
  readonly freshContainer?: boolean;
  /** Key file, written if missing. Default: no service account. */
  readonly serviceAccountFile?: string;
  readonly fault?: (request: SandboxRequest) => Fault | undefined;
  /** Faults as in `--fault`, such as `reset-at,at=stream,nth=2`. */
  readonly faults?: readonly string[];
}

export type Sandbox = Awaited<ReturnType<typeof startSandbox>>;

const REQUESTS_KEPT_MAX = 10_000;

/** Longer than a busy machine needs between two requests. With Node's 5 s, a request can meet a connection that just ends. */
const KEEP_ALIVE_MS = 120_000;

/** Throws `InputError` for a wrong market, state or key file, an unknown fault or a port in use. */
export async function startSandbox(options: SandboxOptions) {
  const { clock, seed, strict, marketFile } = options;
  const faults = chooseFault(options);
  if (strict && (faults.areOfTokens || options.serviceAccountFile !== undefined)) {
    const found = faults.areOfTokens ? 'a fault of tokens' : 'a service account';
    throw new InputError(`A strict sandbox issues no access tokens, found ${found}.`, {
      nextStep: 'Remove it, or do not set sandbox.strict (--strict).',
    });
  }
  const market = marketFile === undefined ? seededMarket(seed, options.currency) : await replayMarket(marketFile, seed);
  const store = openSandboxStore(options.stateFile);
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS });
  let credentials: SandboxCredentials;
  let serviceAccountKey: Service['serviceAccountKey'];
  try {
    credentials = sandboxCredentials(await listen(server, options.port ?? 0));
    const { serviceAccountFile: file } = options;
    serviceAccountKey = file === undefined ? undefined : openServiceAccount(file, credentials.tokenUrl);
  } catch (error) {
    store.close();
    server.close();
    throw error;
  }
  const { url } = credentials;
  const phonesWroteAtMs = store.openPhones(clock.now());
  const tree = options.manager && !strict ? managedTree(market) : flatTree(market);
  const webhooks = openWebhooks(options, credentials, store);
  const service: Service = {
    clock,
    seed,
    strict,
    market,
    tree,
    store,
    credentials,
    webhooks,
    tokens: issuedTokens(clock),
    serviceAccountKey,
    phones: createPhones(store.lastWroteMs),
    templates: createTemplates(),
    container: createContainer(clock, credentials.container, options.freshContainer ?? false),
  };
  const requests: SandboxRequest[] = [];
  const receive = (request: SandboxRequest): Fault | undefined => {
    requests.push(request);
    if (requests.length > REQUESTS_KEPT_MAX) requests.shift();
    return faults.choose(request);
  };
  let served = 0;
  let closed: Promise<void> | undefined;
  server.on('request', (request, response) => {
    served += 1;
    // `serve` fails only if the client disconnects during its request.
    serve(service, request, response, `sandbox-${served}`, receive).catch(() => response.destroy());
  });
  return {
    url,
    credentials,
    faults,
    market: describeMarket(market),
    /** The last 10,000 requests, oldest first. */
    requests: requests as readonly SandboxRequest[],
    /** Throws `RangeError` for an unknown budget. */
    budgetAmount(customerId: string, budgetId: string): Micros {
      const { account, budget } = findBudget(market, customerId, budgetId);
      return store.amountNow(account, budget);
    },
    /** Throws `RangeError` for an unknown budget. */
    setBudget(customerId: string, budgetId: string, amountMicros: Micros): void {
      findBudget(market, customerId, budgetId);
      store.applyBudgets([{ customerId, budgetId, amountMicros }], clock.now());
    },
    /** Throws `RangeError` for an unknown budget. */
    removeBudget(customerId: string, budgetId: string): void {
      findBudget(market, customerId, budgetId);
      store.removeBudget(customerId, budgetId);
    },
    /** Simulates a budget for a whole period. Throws `RangeError` for an unknown budget. */
    makeTotalBudget(customerId: string, budgetId: string, totalMicros: Micros): void {
      findBudget(market, customerId, budgetId);
      store.makeTotal(customerId, budgetId, totalMicros);
    },
    /** Throws `RangeError` for an unknown campaign. */
    setCampaignStatus(customerId: string, campaignId: string, status: CampaignStatus): void {
      const account = market.accounts.find((one) => one.customerId === customerId);
      if (!account?.campaigns.some(({ id }) => id === campaignId)) {
        throw new RangeError(`The market has no campaign ${campaignId} of customer ${customerId}.`);
      }
      store.setCampaignStatus(customerId, campaignId, status);
    },
    /** Messages of both interfaces, oldest first. */
    messages: () => store.messages.all(),
    setPhone: service.phones.set,
    /** When all phones wrote, in UTC: when the file was new. */
    phonesWroteAt: instantText(phonesWroteAtMs),
    /** A person writes something that is not an answer, on both channels. So free text reaches the phone for a day. */
    phoneWrites(number: string): void {
      for (const channel of ['messages', 'graph'] as const) store.phoneWrote(channel, digitsOf(number), clock.now());
    },
    withdrawTemplate: service.templates.withdraw,
    /** Simulates a user who deactivates the features (section 4.1, rule 5). */
    deactivateFeatures: () => store.setDone('features_deactivated'),
    /** The last 10,000 webhooks, oldest first. */
    webhooks: webhooks.sent,
    /** Returns the HTTP status of the receiver, or undefined without an answer. */
    async receive(reply: PhoneReply, to?: string): Promise<number | undefined> {
      store.phoneWrote(reply.channel, digitsOf(reply.from), clock.now());
      return statusOf(await webhooks.receive(reply, to));
    },
    subscribe: (to?: string) => webhooks.subscribe(credentials.graph.verifyToken, to),
    settled: webhooks.settled,
    /** Later calls return the same promise. */
    close(): Promise<void> {
      closed ??= Promise.all([stop(server), webhooks.close()])
        .then(() => webhooks.settled())
        .then(() => store.close());
      return closed;
    },
  };
}

function findBudget({ accounts }: Market, customerId: string, budgetId: string) {
  const account = accounts.find((candidate) => candidate.customerId === customerId);
  const budget = account?.budgets.find(({ id }) => id === budgetId);
  if (!account || !budget) throw new RangeError(`The market has no budget ${budgetId} of customer ${customerId}.`);
  return { account, budget };
}

function openWebhooks(options: SandboxOptions, credentials: SandboxCredentials, store: SandboxStore): Webhooks {
  const own = speakerOf(credentials);
  const { messages = own.authToken, graph = own.appSecret } = options.webhookSecrets ?? {};
  return createWebhooks({
    clock: options.clock,
    store: store.messages,
    speaker: { ...own, authToken: messages, appSecret: graph },
    url: options.webhookUrl?.replace(/\/+$/, ''),
    timeoutMs: options.webhookTimeoutMs,
  });
}

function statusOf(answer: WebhookAnswer): number | undefined {
  return answer.kind === 'answered' ? answer.status : undefined;
}

async function serve(
  service: Service,
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
  receive: (request: SandboxRequest) => Fault | undefined,
): Promise<void> {
  const read = await readRequest(request);
  const fault = receive(read.recorded);
  if (fault?.kind === 'hang_before') return;
  if (fault?.kind === 'reset_before') {
    response.socket?.resetAndDestroy();
    return;
  }
  const reply = replyInstead(fault) ?? answerSafely(service, read, requestId, fault);
  const acceptsGzip = /\bgzip\b/i.test(String(request.headers['accept-encoding'] ?? ''));
  // By the clock of the sandbox, because its clients compare clocks.
  response.setHeader('date', new Date(service.clock.now()).toUTCString());
  try {
    await sendReply(response, reply, fault, acceptsGzip);
  } finally {
    // Webhooks are sent only now, so that they neither overtake nor delay the answer.
    service.webhooks.release();
  }
}

function answerSafely(service: Service, read: ReadRequest, requestId: string, fault: Fault | undefined): Reply {
  try {
    if (fault?.kind === 'withdraw_template') service.templates.withdraw();
    if (fault?.kind === 'other_account' || fault?.kind === 'other_answer') {
      return answerToAnother(service, read, requestId, fault.kind);
    }
    const reply = answerRequest(service, read, requestId, fault?.kind === 'refuse_operations' ? fault : undefined);
    return service.strict ? asSpecified(reply, read) : reply;
  } catch (error) {
    return adsError('INTERNAL', `The sandbox failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Returns the URL. Rejects with `InputError` if the server cannot listen on the port. */
function listen(server: Server, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const reason = cause.code === 'EADDRINUSE' ? 'a port in use' : `"${cause.message}"`;
      const message = `Starting the sandbox on 127.0.0.1:${port} failed: found ${reason}, expected a free port.`;
      reject(new InputError(message, { nextStep: 'Choose another port, or 0 for any free port.', cause }));
    });
    server.listen({ port, host: '127.0.0.1' }, () => {
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    });
  });
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
