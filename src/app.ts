import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createTokenSource } from './apis/ads/access-token.ts';
import type { AdsConnection } from './apis/ads/ads-connection.ts';
import type { MessagesConnection } from './apis/messages/send-message.ts';
import { type CrashPoints, passesEverywhere } from './budgets/crash-points.ts';
import { type KillSwitch, killSwitch } from './budgets/kill-switch.ts';
import type { AdsSettings, MessagesSettings, Settings } from './config/settings.ts';
import { instantText } from './domain/civil-date.ts';
import type { Clock, Pauses } from './domain/clock.ts';
import { InputError } from './domain/errors.ts';
import type { Log } from './domain/log.ts';
import type { RetryPolicy } from './domain/retry-policy.ts';
import { createHttpClient, type HttpClient, timeoutsWithin } from './http/http-client.ts';
import { createRedact, type Redact } from './http/redact.ts';
import { type Sandbox, startSandbox } from './sandbox/start-sandbox.ts';
import { openState, type StateFile } from './store/open-state.ts';
import { acquireRunLock } from './store/run-lock.ts';
import { checkTarget } from './store/target-table.ts';
import { isBusy } from './store/unusable-database.ts';

/** The wired program: what a job works with. */
export interface App {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly pauses: Pauses;
  readonly log: Log;
  readonly redact: Redact;
  readonly state: StateFile;
  readonly killSwitch: KillSwitch;
  readonly passes: CrashPoints;
  /** For people: "sandbox (seed 1)", "live (https://ads.example.com)". */
  readonly target: string;
  /** Undefined when a live target does not configure the area. */
  readonly ads: AdsConnection | undefined;
  readonly messages: { readonly connection: MessagesConnection; readonly recipients: readonly string[] } | undefined;
  /** The history that is replayed has no cost of its own: what is shown is simulated. */
  readonly simulatedCost: boolean;
}

export interface AppDeps {
  readonly clock: Clock;
  readonly pauses: Pauses;
  readonly log: Log;
  /** Told at each place of the send path that is passed; nobody listens but tests. */
  readonly passes?: CrashPoints;
}

export type AppResult<Value> =
  | { readonly kind: 'done'; readonly value: Value }
  /** Another process works on the same data folder. */
  | { readonly kind: 'busy'; readonly holder: string };

/**
 * Opens everything a job needs, runs the job, and closes it all in reverse order whatever happens. One process at a time
 * per data folder. Throws `InputError` for what the user must mend.
 */
export async function withApp<Value>(
  settings: Settings,
  deps: AppDeps,
  command: string,
  job: (app: App) => Promise<Value>,
): Promise<AppResult<Value>> {
  const opened: (() => Promise<void> | void)[] = [];
  try {
    const lock = acquireRunLock(settings.paths.data, command, instantText(deps.clock.now()));
    if (lock.kind === 'held') return { kind: 'busy', holder: lock.holder };
    opened.push(() => lock.release());

    const state = await openState(statePath(settings));
    opened.push(() => state.close());
    const target = targetOf(settings);
    await checkTarget(state, target);

    const sandbox = settings.target.kind === 'sandbox' ? await openSandbox(settings, deps.clock) : undefined;
    if (sandbox) opened.push(() => sandbox.close());

    const live = sandbox ? sandboxAreas(sandbox) : liveAreas(settings);
    const redact = createRedact(settings.secrets);
    const open = ({ totalMs }: RetryPolicy, timeouts = {}): HttpClient => {
      const http = createHttpClient(timeoutsWithin(totalMs, timeouts), settings.proxy);
      opened.push(() => http.close());
      return http;
    };
    const app: App = {
      ...deps,
      settings,
      redact,
      state,
      passes: deps.passes ?? passesEverywhere,
      killSwitch: killSwitch({ state, clock: deps.clock }, settings.paths.data),
      target: target ?? 'live (no advertising interface)',
      ads: live.ads && connectAds(live.ads, settings, deps, open(settings.adsRetry, settings.adsTimeouts), redact),
      messages: live.messages && connectMessages(live.messages, open(settings.messagesRetry), redact),
      simulatedCost: settings.sandbox.market !== undefined && (sandbox?.market.simulatedCost ?? false),
    };
    return { kind: 'done', value: await job(app) };
  } finally {
    for (const close of opened.reverse()) await close();
  }
}

/** What a job of the databases alone works with. */
export type StateApp = Pick<App, 'settings' | 'clock' | 'log' | 'state'>;

/**
 * Opens the state file alone, under the same lock, for a job that asks no service; whose file it is does not matter then.
 * Throws `InputError` when there is none yet, and leaves no folder behind.
 */
export async function withState<Value>(
  settings: Settings,
  deps: Pick<AppDeps, 'clock' | 'log'>,
  command: string,
  job: (app: StateApp) => Promise<Value>,
): Promise<AppResult<Value>> {
  const path = existingState(settings);
  const lock = acquireRunLock(settings.paths.data, command, instantText(deps.clock.now()));
  if (lock.kind === 'held') return { kind: 'busy', holder: lock.holder };
  try {
    const state = await openState(path);
    try {
      return { kind: 'done', value: await job({ settings, clock: deps.clock, log: deps.log, state }) };
    } finally {
      await state.close();
    }
  } finally {
    lock.release();
  }
}

/** As {@link withState}, beside whoever works with it: for a job that only looks. */
export async function besideState<Value>(
  settings: Settings,
  deps: Pick<AppDeps, 'clock' | 'log'>,
  job: (app: StateApp) => Promise<Value>,
): Promise<Value> {
  const state = await openState(existingState(settings));
  try {
    return await job({ settings, clock: deps.clock, log: deps.log, state });
  } finally {
    await state.close();
  }
}

function existingState(settings: Settings): string {
  const path = statePath(settings);
  if (existsSync(path)) return path;
  throw new InputError(`There is no ${path}: nothing was read yet.`, {
    nextStep: 'Run pacekeeper report first, or name the folder of an earlier run with --data-dir.',
  });
}

/** Who stops budget changes does not wait long for a run that writes. */
const UNLOCKED_WAIT_MS = 1000;

/**
 * Opens or makes the state file beside whoever works with it, for what must not wait for a run to end. `job` gets no file
 * while another process holds it for longer than a statement waits.
 */
export async function withUnlockedState<Value>(
  settings: Settings,
  job: (state: StateFile | undefined) => Promise<Value>,
): Promise<Value> {
  let state: StateFile | undefined;
  try {
    state = await openState(statePath(settings), UNLOCKED_WAIT_MS);
  } catch (error) {
    if (!isBusy(error)) throw error;
  }
  try {
    return await job(state);
  } finally {
    await state?.close();
  }
}

/**
 * Opens the advertising interface alone, for a job that neither reads nor writes the databases. Throws `InputError` when
 * it is not configured.
 */
export async function withAds<Value>(
  settings: Settings,
  deps: AppDeps,
  job: (ads: AdsConnection, target: string) => Promise<Value>,
): Promise<Value> {
  const opened: (() => Promise<void> | void)[] = [];
  try {
    const sandbox = settings.target.kind === 'sandbox' ? await openSandbox(settings, deps.clock) : undefined;
    if (sandbox) opened.push(() => sandbox.close());
    const { ads } = sandbox ? sandboxAreas(sandbox) : liveAreas(settings);
    if (!ads) {
      throw new InputError('The advertising interface is not configured.', {
        nextStep: 'Set ADS_URL and its credentials; docs/configuration.md lists them.',
      });
    }
    const http = createHttpClient(timeoutsWithin(settings.adsRetry.totalMs, settings.adsTimeouts), settings.proxy);
    opened.push(() => http.close());
    const connection = connectAds(ads, settings, deps, http, createRedact(settings.secrets));
    return await job(connection, targetOf(settings) ?? ads.url);
  } finally {
    for (const close of opened.reverse()) await close();
  }
}

function statePath({ paths }: Settings): string {
  return join(paths.data, 'state.sqlite');
}

/** What the data folder belongs to: a market of the sandbox, or one live address. Undefined without an address. */
function targetOf({ target, sandbox }: Settings): string | undefined {
  if (target.kind === 'live') return target.ads && `live (${target.ads.url})`;
  return `sandbox (${sandbox.market === undefined ? `seed ${sandbox.seed}` : marketName(sandbox.market)})`;
}

/** The file's name and what is in it: two files of one name are two markets. A missing one is told when it is opened. */
function marketName(path: string): string {
  const name = `market ${basename(path)}`;
  if (!existsSync(path)) return name;
  return `${name}, ${createHash('sha256').update(readFileSync(path)).digest('hex').slice(0, 8)}`;
}

function openSandbox({ paths, sandbox }: Settings, clock: Clock): Promise<Sandbox> {
  const folder = sandbox.dataDir ?? paths.data;
  mkdirSync(folder, { recursive: true });
  return startSandbox({
    stateFile: join(folder, 'sandbox.sqlite'),
    clock,
    seed: sandbox.seed,
    strict: sandbox.strict,
    manager: sandbox.manager,
    ...(sandbox.market === undefined ? {} : { marketFile: sandbox.market }),
    ...(sandbox.port === undefined ? {} : { port: sandbox.port }),
  });
}

interface Areas {
  readonly ads: AdsSettings | undefined;
  readonly messages: MessagesSettings | undefined;
}

function liveAreas({ target }: Settings): Areas {
  return target.kind === 'live' ? target : { ads: undefined, messages: undefined };
}

/** The embedded sandbox is reached exactly as a live service is: by address and credentials. */
function sandboxAreas({ url, credentials }: Sandbox): Areas {
  return {
    ads: {
      url,
      version: 'v25',
      streamPath: 'googleAds:searchStream',
      credentials: { kind: 'access_token', accessToken: credentials.accessToken },
      developerToken: credentials.developerToken,
      loginCustomerId: undefined,
    },
    messages: { url, ...credentials.messages, to: [credentials.messages.to] },
  };
}

function connectAds(
  ads: AdsSettings,
  settings: Settings,
  deps: AppDeps,
  http: HttpClient,
  redact: Redact,
): AdsConnection {
  const retry = settings.adsRetry;
  const tokens = createTokenSource(ads.credentials, { http, pauses: deps.pauses, redact });
  const fresh = { logins: new Map(), operations: { count: 0 } };
  return { ...ads, ...fresh, tokens, http, pauses: deps.pauses, log: deps.log, redact, retry };
}

function connectMessages(settings: MessagesSettings, http: HttpClient, redact: Redact): NonNullable<App['messages']> {
  return { connection: { ...settings, http, redact }, recipients: settings.to };
}
