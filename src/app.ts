import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { DeliveryPoints } from './alerts/crash-points.ts';
import type { AdsConnection } from './apis/ads/ads-connection.ts';
import type { ContainerConnection } from './apis/container/container-connection.ts';
import type { GraphConnection } from './apis/graph/graph-connection.ts';
import type { MessagesConnection } from './apis/messages/messages-connection.ts';
import { type CrashPoints, passesEverywhere } from './budgets/crash-points.ts';
import { type KillSwitch, killSwitch } from './budgets/kill-switch.ts';
import type { AlertSettings } from './config/alert-settings.ts';
import { liveAreas } from './config/live-areas.ts';
import type { Settings } from './config/settings.ts';
import { alertsOf, type Connector, connectAreas, sandboxAreas } from './connect-areas.ts';
import type { DateRange } from './domain/civil-date.ts';
import type { Clock, Pauses } from './domain/clock.ts';
import type { Log } from './domain/log.ts';
import { type Progress, unwatched } from './domain/progress.ts';
import { embedSandbox, onAnyPort } from './embed-sandbox.ts';
import { refuseForgotten } from './forgotten-past.ts';
import { createHttpClient, timeoutsWithin } from './http/http-client.ts';
import { createRedact, type Redact } from './http/redact.ts';
import type { Sandbox } from './sandbox/start-sandbox.ts';
import { filledState, statePath } from './state-path.ts';
import { stoppable } from './stoppable.ts';
import { openState, openStateCopy, openStateToLook, refuseUnguarded, type StateFile } from './store/open-state.ts';
import { isWritable } from './store/open-to-look.ts';
import type { LockReading } from './store/run-lock.ts';
import { checkTarget } from './store/target-table.ts';
import { watchFiles } from './store/unmoved.ts';
import { isBusy } from './store/unusable-database.ts';
import { type FolderDeps, takeFolder } from './take-folder.ts';

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
  readonly deliveryPasses?: DeliveryPoints;
  /** For people: "sandbox (seed 1)", "live (https://ads.example.com)". */
  readonly target: string;
  /** Undefined when a live target does not configure the area. */
  readonly ads: AdsConnection | undefined;
  readonly messages: MessagesConnection | undefined;
  readonly graph: GraphConnection | undefined;
  readonly container: ContainerConnection | undefined;
  /** Who is told what, when and how; recipients and approvers are those of the sandbox where it is the target and none are named. */
  readonly alerts: AlertSettings;
  /** The history that the sandbox replays, in place of a market that goes on. */
  readonly replayed: ReplayedHistory | undefined;
  /** Given when the run was asked to stop: it begins nothing more that it need not. */
  readonly stop: AbortSignal;
  /** Told how far reading has come. */
  readonly progress: Progress;
  /** How much a slice may come to; the usual bound unless a test has a smaller one. */
  readonly sliceBytesMax?: number;
  /** Told the number of a recorded run when it begins. */
  readonly onRun?: (runId: bigint) => void;
}

/** The one account of a market file. */
interface ReplayedHistory {
  readonly days: DateRange;
  readonly timeZone: string;
  /** The file has no cost of its own: what is shown is simulated. */
  readonly simulatedCost: boolean;
}

export interface AppDeps {
  readonly clock: Clock;
  readonly pauses: Pauses;
  readonly log: Log;
  /** Told at each place of the send path that is passed; nobody listens but tests. */
  readonly passes?: CrashPoints;
  /** Told at each place of a delivery that is passed; nobody listens but tests. */
  readonly deliveryPasses?: DeliveryPoints;
  /** Asks the run to stop; never when absent. */
  readonly stop?: AbortSignal;
  /** Told how far reading has come; nobody watches when absent. */
  readonly progress?: Progress;
  /** How much a slice may come to; the usual bound when absent. */
  readonly sliceBytesMax?: number;
  /** Told the number of a recorded run when it begins; nobody is when absent. */
  readonly onRun?: (runId: bigint) => void;
  /** How long another process that holds the data folder is waited for, milliseconds. */
  readonly waitMs?: number | undefined;
  /** The job only looks: it fills no file that is empty, and where nothing can be written it looks at the files as they stand. */
  readonly looksOnly?: boolean;
  /** What answers requests in the network's place; nobody does but in a simulation. */
  readonly openHttp?: typeof createHttpClient;
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
  const opened: Closing[] = [];
  try {
    const lock = await lockUnlessSealed(settings, deps, command);
    if (lock.kind === 'held') return { kind: 'busy', holder: lock.holder };
    opened.push(() => lock.release());
    return { kind: 'done', value: await job(await openApp(settings, deps, opened, OWN_FILES)) };
  } finally {
    for (const close of opened.reverse()) await close();
  }
}

/** Whether the job looks at a data folder in which nothing can be written. */
function isSealed({ paths }: Settings, { looksOnly }: Pick<AppDeps, 'looksOnly'>): boolean {
  return looksOnly === true && !isWritable(paths.data);
}

const NO_LOCK: LockReading = { kind: 'acquired', release: () => undefined };

function lockUnlessSealed(
  settings: Settings,
  deps: FolderDeps & Pick<AppDeps, 'looksOnly'>,
  command: string,
): Promise<LockReading> {
  return isSealed(settings, deps) ? Promise.resolve(NO_LOCK) : takeFolder(settings, deps, command);
}

/** As {@link withApp}, beside whoever works with the data folder: for a job that changes no budget and takes leases. */
export async function besideApp<Value>(
  settings: Settings,
  deps: AppDeps,
  job: (app: App) => Promise<Value>,
): Promise<Value> {
  const opened: Closing[] = [];
  try {
    return await job(await openApp(onAnyPort(settings), deps, opened));
  } finally {
    for (const close of opened.reverse()) await close();
  }
}

type Closing = () => Promise<void> | void;

/** Without the lock another process may work in the folder; without the state file nobody remembers what this one does. */
const OWN_FILES = ['lock.sqlite', 'state.sqlite'];

/** `own` are the files of the data folder that must stay where they are for anything to be changed. */
async function openApp(
  settings: Settings,
  given: AppDeps,
  opened: Closing[],
  own: readonly string[] = [],
): Promise<App> {
  const { deps, patience } = stoppable(given, opened);
  refuseForgotten(settings);
  if (given.looksOnly && existsSync(statePath(settings))) filledState(settings);
  const isCopy = isSealed(settings, given) && existsSync(statePath(settings));
  const state = await (isCopy ? openStateCopy : openState)(statePath(settings));
  opened.push(() => state.close());
  if (!given.looksOnly) refuseUnguarded(state);
  const target = targetOf(settings);
  await checkTarget(state, target);
  const { data } = settings.paths;

  const sandbox = await embedSandbox(settings, deps, opened, given.looksOnly);
  const areas = sandbox ? sandboxAreas(sandbox) : liveAreas(settings);
  const connector = connectorOf(settings, deps, patience, opened);
  return {
    ...deps,
    settings,
    state,
    redact: connector.redact,
    passes: deps.passes ?? passesEverywhere,
    progress: deps.progress ?? unwatched,
    killSwitch: killSwitch({ state, clock: deps.clock }, data, watchFiles(own.map((name) => join(data, name)))),
    target: target ?? 'live (no advertising interface)',
    ...connectAreas(areas, connector),
    alerts: alertsOf(settings, areas),
    replayed: replayedBy(sandbox),
  };
}

function replayedBy(sandbox: Sandbox | undefined): ReplayedHistory | undefined {
  const { replayedDays: days, simulatedCost, accounts: [account] = [] } = sandbox?.market ?? {};
  if (days === undefined || simulatedCost === undefined || account === undefined) return undefined;
  return { days, timeZone: account.timeZone, simulatedCost };
}

function connectorOf(settings: Settings, deps: AppDeps, patience: AbortSignal, opened: Closing[]): Connector {
  const { openHttp = createHttpClient } = deps;
  return {
    ...deps,
    settings,
    redact: createRedact(settings.secrets),
    open: ({ totalMs }, timeouts = {}) => {
      const http = openHttp(timeoutsWithin(totalMs, timeouts), settings.proxy, patience);
      opened.push(() => http.close());
      return http;
    },
  };
}

/** What a job of the databases alone works with. */
export type StateApp = Pick<App, 'settings' | 'clock' | 'log' | 'state'> & Partial<Pick<App, 'passes'>>;

/**
 * Opens the state file alone, under the same lock, for a job that asks no service; whose file it is does not matter then.
 * Throws `InputError` when there is none yet, and leaves no folder behind.
 */
export async function withState<Value>(
  settings: Settings,
  deps: FolderDeps & Pick<AppDeps, 'passes' | 'looksOnly'>,
  command: string,
  job: (app: StateApp) => Promise<Value>,
): Promise<AppResult<Value>> {
  refuseForgotten(settings);
  const path = filledState(settings);
  const lock = await lockUnlessSealed(settings, deps, command);
  if (lock.kind === 'held') return { kind: 'busy', holder: lock.holder };
  try {
    const state = await (isSealed(settings, deps) ? openStateCopy : openState)(path);
    try {
      return { kind: 'done', value: await job({ ...deps, settings, state }) };
    } finally {
      await state.close();
    }
  } finally {
    lock.release();
  }
}

/** As {@link withState}, beside whoever works with it. */
export async function besideState<Value>(
  settings: Settings,
  deps: Pick<AppDeps, 'clock' | 'log' | 'looksOnly'>,
  job: (app: StateApp) => Promise<Value>,
): Promise<Value> {
  refuseForgotten(settings);
  const state = await (isSealed(settings, deps) ? openStateToLook : openState)(filledState(settings));
  try {
    return await job({ settings, clock: deps.clock, log: deps.log, state });
  } finally {
    await state.close();
  }
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

/** The interfaces alone, for a job that neither reads nor writes the databases. */
export type AreasApp = Pick<App, 'ads' | 'messages' | 'graph' | 'container' | 'target' | 'settings'>;

export async function withAreas<Value>(
  settings: Settings,
  given: AppDeps,
  job: (areas: AreasApp) => Promise<Value>,
): Promise<Value> {
  const opened: Closing[] = [];
  const { deps, patience } = stoppable(given, opened);
  try {
    const sandbox = await embedSandbox(onAnyPort(settings), deps, opened, given.looksOnly);
    const areas = sandbox ? sandboxAreas(sandbox) : liveAreas(settings);
    const connected = connectAreas(areas, connectorOf(settings, deps, patience, opened));
    return await job({ ...connected, settings, target: targetOf(settings) ?? areas.ads?.url ?? 'live' });
  } finally {
    for (const close of opened.reverse()) await close();
  }
}

/** What the data folder belongs to: a market of the sandbox, or one live address. Undefined without an address. */
export function targetOf(settings: Settings): string | undefined {
  const { target, sandbox } = settings;
  const { ads } = liveAreas(settings);
  if (target === 'live') return ads && `live (${ads.url})`;
  return `sandbox (${sandbox.market === undefined ? `seed ${sandbox.seed}` : marketName(sandbox.market)})`;
}

/** The file's name and what is in it: two files of one name are two markets. A missing one is told when it is opened. */
function marketName(path: string): string {
  const name = `market ${basename(path)}`;
  if (!existsSync(path)) return name;
  return `${name}, ${createHash('sha256').update(readFileSync(path)).digest('hex').slice(0, 8)}`;
}
