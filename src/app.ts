import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { alertsOf } from './config/alert-settings.ts';
import { liveAreas } from './config/live-areas.ts';
import type { Settings } from './config/settings.ts';
import { type Connector, connectAreas, embedSandbox, onAnyPort, sandboxAreas } from './connect-areas.ts';
import { SHARED_CLOCK_OFF_MAX_MS } from './domain/clock-difference.ts';
import { unwatched } from './domain/ports.ts';
import type { App, AreasApp, ReplayedHistory, StateApp } from './engine/app.ts';
import { passesEverywhere } from './engine/budgets/budget-deps.ts';
import { killSwitch, watchFreezeFile } from './engine/budgets/kill-switch.ts';
import { wrongClock } from './engine/budgets/wrong-clock.ts';
import { type Cluster, type Engine, engineOf, refuseForgotten } from './engine/folder/engine.ts';
import { takeFolder } from './engine/folder/take-folder.ts';
import { stoppable, systemPauses } from './engine/process-time.ts';
import type { TaskQueue } from './engine/queue/task-queue.ts';
import { workerGroup } from './engine/queue/worker-group.ts';
import type { Sandbox } from './sandbox/start-sandbox.ts';
import { createHttpClient, timeoutsWithin } from './services/http/http-client.ts';
import { createRedact } from './services/http/redact.ts';
import { refuseUnguarded } from './storage/records/altered-record.ts';
import { isBusy } from './storage/records/is-busy.ts';
import type { JoinedRun } from './storage/records/lock-holder.ts';
import { checkTarget } from './storage/records/runs/target-table.ts';
import type { Store } from './storage/warehouse/store.ts';

export interface AppDeps
  extends Pick<App, 'clock' | 'log' | 'deliveryPasses' | 'sliceBytesMax' | 'onRun'>,
    Partial<Pick<App, 'pauses' | 'passes' | 'stop' | 'progress'>> {
  /** The longest wait for the run lock, in milliseconds. */
  readonly waitMs?: number | undefined;
  /** True if the command follows a run of another process, and so does not wait for the lock of one. */
  readonly followsRun?: boolean | undefined;
  readonly openHttp?: typeof createHttpClient;
}

export interface Opened {
  readonly all: App;
  /** Only the state file, which may belong to another target. */
  readonly state: StateApp;
  /** `state` is undefined if another process still locks the file after a second, because a freeze must not wait. */
  readonly stateAtOnce: { readonly state: Store | undefined };
  readonly areas: AreasApp;
  readonly folder: Pick<App, 'settings' | 'clock' | 'log'>;
}

export interface Opening<What extends keyof Opened> {
  readonly what: What;
  /** Without a lock, the command can work during a run. */
  readonly lock?: string | undefined;
  /** For a worker: the run of another process. */
  readonly joins?: JoinedRun | undefined;
  /** Opens a copy if the folder is not writable. */
  readonly readOnly?: boolean | undefined;
}

/** Throws `BusyError` if another process uses the folder, `InputError` for user mistakes. */
export async function open<What extends keyof Opened, Value>(
  settings: Settings,
  deps: AppDeps,
  opening: Opening<What>,
  job: (opened: Opened[What]) => Promise<Value>,
): Promise<Value> {
  const closings: Closing[] = [];
  const onClose = (close: Closing) => void closings.push(close);
  try {
    const engine = await engineOf(settings);
    if (opening.what === 'state') {
      // Before the lock, because taking the lock creates the folder.
      await refuseForgotten(engine);
      await engine.refuseNoRecords();
    }
    if (mayUpgrade(opening)) await engine.upgrade(deps, opening.what === 'folder');
    if (opening.lock !== undefined && !(opening.readOnly && engine.isSealed())) {
      const lock = await takeFolder(engine, deps, opening.lock);
      onClose(() => lock.release());
    }
    if (opening.joins !== undefined) engine.cluster?.join(opening.joins);
    return await job(await OPENERS[opening.what]({ settings, deps, opening, engine, onClose }));
  } finally {
    for (const close of closings.reverse()) await close();
  }
}

/** A command that only reads changes no tables. A freeze is too urgent to wait until they are changed. */
function mayUpgrade({ what, lock, readOnly = false, joins }: Opening<keyof Opened>): boolean {
  if (what === 'folder') return lock !== undefined;
  return (what === 'all' || what === 'state') && joins === undefined && (lock !== undefined || !readOnly);
}

/** In a database, the file FREEZE of this data folder stops the processes of all. Call the result at the end. */
export function watchFreeze(settings: Settings, { clock, log }: Pick<AppDeps, 'clock' | 'log'>): () => Promise<void> {
  if (settings.store.url === undefined) return async () => undefined;
  const over = new AbortController();
  // The watch writes also after this process has lost its run lock, so it has an engine of its own.
  const open = async () => (await engineOf(settings)).open({ asTheyAre: true });
  const watching = watchFreezeFile({ open, clock, log, pauses: systemPauses }, settings.paths.data, over.signal);
  return () => {
    over.abort();
    return watching;
  };
}

interface Order {
  readonly settings: Settings;
  readonly deps: AppDeps;
  readonly opening: Opening<keyof Opened>;
  readonly engine: Engine;
  onClose(close: Closing): void;
}

const OPENERS: { readonly [What in keyof Opened]: (order: Order) => Promise<Opened[What]> } = {
  all: openAll,
  state: openStateAlone,
  stateAtOnce: openStateAtOnce,
  areas: openAreas,
  folder: async ({ settings, deps: { clock, log } }) => ({ settings, clock, log }),
};

type Closing = () => Promise<void> | void;

async function openAll({ settings: given, deps: givenDeps, opening, engine, onClose }: Order): Promise<App> {
  const { lock, joins, readOnly = false } = opening;
  const settings = lock === undefined ? onAnyPort(given) : given;
  const { deps, grace } = stoppable(givenDeps, onClose);
  await refuseForgotten(engine);
  const state = await engine.open({ readOnly, writes: true, nowMs: deps.clock.now() });
  onClose(() => state.close());
  if (!readOnly) await refuseUnguarded(state);
  const target = targetOf(settings);
  await checkTarget(state, target);

  const { sandbox, areas, redact, connections } = await openServices(settings, deps, grace, { onClose, readOnly });
  const isLockLost = lock === undefined && joins === undefined ? undefined : engine.watchLock(state);
  const isWrong = wrongClock({ state, clock: deps.clock, ads: connections.ads });
  return {
    ...deps,
    ...connections,
    settings,
    state,
    redact,
    passes: deps.passes ?? passesEverywhere,
    progress: deps.progress ?? unwatched,
    wrongClock: isWrong,
    killSwitch: killSwitch(
      { state, clock: deps.clock },
      settings.paths.data,
      async () => (await isLockLost?.()) ?? isWrong(),
    ),
    target: target ?? 'live (no advertising interface)',
    alerts: alertsOf(settings, areas),
    replayed: replayedBy(sandbox),
    shareWork: lock === undefined ? undefined : engine.cluster && sharing(settings, deps, engine.cluster),
  };
}

/** Loads the queue only if workers have used this database. */
function sharing(
  settings: Settings,
  { clock, log, stop }: AppDeps & { readonly stop: AbortSignal },
  cluster: Cluster,
): App['shareWork'] {
  return async (runId, files) => {
    const token = cluster.token();
    if (token === undefined || !(await cluster.hasTaskQueue())) return undefined;
    let queue: TaskQueue | undefined;
    try {
      const { openTaskQueue } = await import('./engine/queue/task-queue.ts');
      const offMs = Math.abs(await cluster.aheadMs());
      if (offMs > SHARED_CLOCK_OFF_MAX_MS) {
        throw new Error(`the clocks of this machine and the database are ${Math.round(offMs / 1000)} s apart`);
      }
      queue = await openTaskQueue(cluster.url, workerGroup(settings, files), false, log);
      const workers = await queue.countWorkers();
      if (workers.others > 0) {
        log.warn(`Workers of another version, or with other settings or files, share nothing: ${workers.others}.`);
      }
      if (workers.own === 0) {
        await queue.close();
        return undefined;
      }
      await queue.removeEarlier();
      log.info(`Workers that share the work of this run: ${workers.own}.`);
      const { shareWork } = await import('./engine/queue/shared-work.ts');
      const { concurrency: width } = settings.extract;
      return shareWork({ queue, run: { runId, token }, width, clock, pauses: systemPauses, log, stop });
    } catch (error) {
      await queue?.close().catch(() => undefined);
      const reason = error instanceof Error ? error.message : error;
      log.warn(`The tasks cannot be shared, so this process does all of them: ${reason}`);
      return undefined;
    }
  };
}

function replayedBy(sandbox: Sandbox | undefined): ReplayedHistory | undefined {
  const { replayedDays: days, simulatedCost, accounts: [account] = [] } = sandbox?.market ?? {};
  if (days === undefined || simulatedCost === undefined || account === undefined) return undefined;
  return { days, timeZone: account.timeZone, simulatedCost };
}

async function openServices(
  settings: Settings,
  deps: AppDeps & Pick<Connector, 'pauses'>,
  grace: AbortSignal,
  { onClose, readOnly }: Pick<Order, 'onClose'> & Pick<Order['opening'], 'readOnly'>,
) {
  const sandbox = await embedSandbox(settings, deps, onClose, readOnly);
  const areas = sandbox ? sandboxAreas(sandbox, settings.ads.version) : liveAreas(settings);
  const { openHttp = createHttpClient } = deps;
  const redact = createRedact(settings.secrets);
  const open: Connector['open'] = ({ totalMs }, timeouts = {}) => {
    const http = openHttp(timeoutsWithin(totalMs, timeouts), settings, grace);
    onClose(() => http.close());
    return http;
  };
  return { sandbox, areas, redact, connections: connectAreas(areas, { ...deps, settings, redact, open }) };
}

async function openStateAlone({ settings, deps, opening, engine, onClose }: Order): Promise<StateApp> {
  const { readOnly, lock } = opening;
  const state = await engine.open({ readOnly, writes: lock !== undefined, nowMs: deps.clock.now() });
  onClose(() => state.close());
  return { ...deps, settings, state };
}

/** In milliseconds. A freeze must not wait long. */
const AT_ONCE_WAIT_MS = 1000;

async function openStateAtOnce({ engine, deps, onClose }: Order): Promise<Opened['stateAtOnce']> {
  try {
    const state = await engine.open({ waitMs: AT_ONCE_WAIT_MS, asTheyAre: true, nowMs: deps.clock.now() });
    onClose(() => state.close());
    return { state };
  } catch (error) {
    if (!isBusy(error)) throw error;
    return { state: undefined };
  }
}

async function openAreas({ settings: given, deps: givenDeps, opening, onClose }: Order): Promise<AreasApp> {
  const settings = onAnyPort(given);
  const { deps, grace } = stoppable(givenDeps, onClose);
  const { readOnly } = opening;
  const { areas, connections } = await openServices(settings, deps, grace, { onClose, readOnly });
  return { ...connections, settings: given, target: targetOf(settings) ?? areas.ads?.url ?? 'live' };
}

/** Undefined for a live target without an address. */
export function targetOf(settings: Settings): string | undefined {
  const { target, sandbox } = settings;
  const { ads } = liveAreas(settings);
  if (target === 'live') return ads && `live (${ads.url})`;
  return `sandbox (${sandbox.market === undefined ? `seed ${sandbox.seed}` : marketName(sandbox.market)})`;
}

/** Two files can have the same name, so the name contains a hash of the content. */
function marketName(path: string): string {
  const name = `market ${basename(path)}`;
  if (!existsSync(path)) return name;
  return `${name}, ${createHash('sha256').update(readFileSync(path)).digest('hex').slice(0, 8)}`;
}
