import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { DeliveryPoints } from './alerts/delivery-pass.ts';
import { type CrashPoints, passesEverywhere } from './budgets/budget-deps.ts';
import { type KillSwitch, killSwitch } from './budgets/kill-switch.ts';
import type { AlertSettings } from './config/alert-settings.ts';
import { liveAreas } from './config/live-areas.ts';
import type { Settings } from './config/settings.ts';
import { alertsOf, type Connections, type Connector, connectAreas, sandboxAreas } from './connect-areas.ts';
import type { DateRange } from './domain/civil-date.ts';
import { type Clock, type Log, type Pauses, type Progress, unwatched } from './domain/ports.ts';
import { embedSandbox, onAnyPort } from './embed-sandbox.ts';
import { refuseForgotten } from './folder/forgotten-past.ts';
import { filledState, statePath } from './folder/state-path.ts';
import { takeFolder } from './folder/take-folder.ts';
import { createHttpClient, timeoutsWithin } from './http/http-client.ts';
import { createRedact, type Redact } from './http/redact.ts';
import { stoppable } from './process-time.ts';
import type { Sandbox } from './sandbox/start-sandbox.ts';
import { checkTarget } from './store/runs/target-table.ts';
import { watchFiles } from './store/sqlite/file-behind.ts';
import {
  openState,
  openStateCopy,
  openStateToLook,
  refuseUnguarded,
  type StateFile,
} from './store/sqlite/open-state.ts';
import { isWritable } from './store/sqlite/open-to-look.ts';
import { isBusy } from './store/sqlite/unusable-database.ts';

/** The wired program: what a job works with. */
export interface App extends Connections {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly pauses: Pauses;
  readonly log: Log;
  readonly redact: Redact;
  readonly state: StateFile;
  readonly killSwitch: KillSwitch;
  /** Told at each place of the send path that is passed, and of a delivery; nobody listens but tests. */
  readonly passes: CrashPoints;
  readonly deliveryPasses?: DeliveryPoints;
  /** For people: "sandbox (seed 1)", "live (https://ads.example.com)". */
  readonly target: string;
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

/** What a job of the databases alone works with. */
export type StateApp = Pick<App, 'settings' | 'clock' | 'log' | 'state'> & Partial<Pick<App, 'passes'>>;

export type AreasApp = Connections & Pick<App, 'target' | 'settings'>;

/** The one account of a market file. */
interface ReplayedHistory {
  readonly days: DateRange;
  readonly timeZone: string;
  /** The file has no cost of its own: what is shown is simulated. */
  readonly simulatedCost: boolean;
}

/** What the program is opened with: the machine's pauses, no stop and nobody who listens where they are absent. */
export interface AppDeps
  extends Pick<App, 'clock' | 'log' | 'deliveryPasses' | 'sliceBytesMax' | 'onRun'>,
    Partial<Pick<App, 'pauses' | 'passes' | 'stop' | 'progress'>> {
  /** How long another process that holds the data folder is waited for, milliseconds. */
  readonly waitMs?: number | undefined;
  /** What answers requests in the network's place; nobody does but in a simulation. */
  readonly openHttp?: typeof createHttpClient;
}

/** The wired program, by how much of it is opened. */
export interface Opened {
  /** Databases and interfaces. */
  readonly all: App;
  /** The state file alone, for a job that asks no service; whose file it is does not matter then. */
  readonly state: StateApp;
  /** The state file, made where there is none, for a job that must not wait: undefined while another process holds it. */
  readonly stateAtOnce: { readonly state: StateFile | undefined };
  /** The interfaces alone, for a job that neither reads nor writes the databases. */
  readonly areas: AreasApp;
  /** Nothing: the job opens what it needs. */
  readonly folder: Pick<App, 'settings' | 'clock' | 'log'>;
}

/** How the program is opened. */
export interface Opening<What extends keyof Opened> {
  readonly what: What;
  /** Takes the data folder in this name: one process at a time. Without it the job runs beside whoever works there. */
  readonly lock?: string | undefined;
  /** The job changes nothing. An empty file is not filled, and where nothing can be written a copy of the files is read. */
  readonly readOnly?: boolean | undefined;
}

/**
 * Opens what a job needs, runs the job, and closes it all in reverse order whatever happens. Throws `BusyError` while another
 * process has the data folder, and `InputError` for what the user must mend.
 */
export async function open<What extends keyof Opened, Value>(
  settings: Settings,
  deps: AppDeps,
  opening: Opening<What>,
  job: (opened: Opened[What]) => Promise<Value>,
): Promise<Value> {
  const closings: Closing[] = [];
  const onClose = (close: Closing) => void closings.push(close);
  try {
    if (opening.what === 'state') refuseNoState(settings);
    if (opening.lock !== undefined && !isSealed(settings, opening)) {
      const lock = await takeFolder(settings, deps, opening.lock);
      onClose(() => lock.release());
    }
    return await job(await OPENERS[opening.what]({ settings, deps, opening, onClose }));
  } finally {
    for (const close of closings.reverse()) await close();
  }
}

/** What is to be opened, with what, and where it is written down how it is closed. */
interface Order {
  readonly settings: Settings;
  readonly deps: AppDeps;
  readonly opening: Opening<keyof Opened>;
  onClose(close: Closing): void;
}

const OPENERS: { readonly [What in keyof Opened]: (order: Order) => Promise<Opened[What]> } = {
  all: openAll,
  state: openStateAlone,
  stateAtOnce: openStateAtOnce,
  areas: openAreas,
  folder: async ({ settings, deps: { clock, log } }) => ({ settings, clock, log }),
};

/** Whether the job looks at a data folder in which nothing can be written. */
function isSealed({ paths }: Settings, { readOnly }: Opening<keyof Opened>): boolean {
  return readOnly === true && !isWritable(paths.data);
}

/** Before the lock, which would make a folder. */
function refuseNoState(settings: Settings): void {
  refuseForgotten(settings);
  filledState(settings);
}

type Closing = () => Promise<void> | void;

/** Without the lock another process may work in the folder; without the state file nobody remembers what this one does. */
const OWN_FILES = ['lock.sqlite', 'state.sqlite'];

async function openAll({ settings: given, deps: givenDeps, opening, onClose }: Order): Promise<App> {
  const { lock, readOnly = false } = opening;
  const settings = lock === undefined ? onAnyPort(given) : given;
  const { deps, patience } = stoppable(givenDeps, onClose);
  refuseForgotten(settings);
  if (readOnly && existsSync(statePath(settings))) filledState(settings);
  const isCopy = isSealed(settings, opening) && existsSync(statePath(settings));
  const state = await (isCopy ? openStateCopy : openState)(statePath(settings));
  onClose(() => state.close());
  if (!readOnly) refuseUnguarded(state);
  const target = targetOf(settings);
  await checkTarget(state, target);
  const { data } = settings.paths;
  const own = lock === undefined ? [] : OWN_FILES.map((name) => join(data, name));

  const sandbox = await embedSandbox(settings, deps, onClose, readOnly);
  const areas = sandbox ? sandboxAreas(sandbox) : liveAreas(settings);
  const connector = connectorOf(settings, deps, patience, onClose);
  return {
    ...deps,
    settings,
    state,
    redact: connector.redact,
    passes: deps.passes ?? passesEverywhere,
    progress: deps.progress ?? unwatched,
    killSwitch: killSwitch({ state, clock: deps.clock }, data, watchFiles(own)),
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

function connectorOf(
  settings: Settings,
  deps: AppDeps & Pick<Connector, 'pauses'>,
  patience: AbortSignal,
  onClose: Order['onClose'],
): Connector {
  const { openHttp = createHttpClient } = deps;
  return {
    ...deps,
    settings,
    redact: createRedact(settings.secrets),
    open: ({ totalMs }, timeouts = {}) => {
      const http = openHttp(timeoutsWithin(totalMs, timeouts), settings.proxy, patience);
      onClose(() => http.close());
      return http;
    },
  };
}

async function openStateAlone({ settings, deps, opening, onClose }: Order): Promise<StateApp> {
  const openCopy = opening.lock === undefined ? openStateToLook : openStateCopy;
  const state = await (isSealed(settings, opening) ? openCopy : openState)(statePath(settings));
  onClose(() => state.close());
  return { ...deps, settings, state };
}

/** Who stops budget changes does not wait long for a run that writes. */
const AT_ONCE_WAIT_MS = 1000;

async function openStateAtOnce({ settings, onClose }: Order): Promise<Opened['stateAtOnce']> {
  try {
    const state = await openState(statePath(settings), AT_ONCE_WAIT_MS);
    onClose(() => state.close());
    return { state };
  } catch (error) {
    if (!isBusy(error)) throw error;
    return { state: undefined };
  }
}

async function openAreas({ settings: given, deps: givenDeps, opening, onClose }: Order): Promise<AreasApp> {
  const settings = onAnyPort(given);
  const { deps, patience } = stoppable(givenDeps, onClose);
  const sandbox = await embedSandbox(settings, deps, onClose, opening.readOnly);
  const areas = sandbox ? sandboxAreas(sandbox) : liveAreas(settings);
  const connected = connectAreas(areas, connectorOf(settings, deps, patience, onClose));
  return { ...connected, settings: given, target: targetOf(settings) ?? areas.ads?.url ?? 'live' };
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
