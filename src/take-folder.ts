import type { Settings } from './config/settings.ts';
import { instantText } from './domain/civil-date.ts';
import type { Clock, Pauses } from './domain/clock.ts';
import type { Log } from './domain/log.ts';
import { acquireRunLock, type LockReading } from './store/run-lock.ts';

/** Acts on answers from phones, each within seconds. */
export const SERVE = 'pacekeeper serve';

const SERVE_WAIT_MS = 120_000;
const PAUSE_MS = 2000;

/** What the data folder is taken with; without pauses it is not waited for. */
export interface FolderDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly pauses?: Pauses;
  readonly stop?: AbortSignal;
  /** How long another process that holds the data folder is waited for, milliseconds. */
  readonly waitMs?: number | undefined;
}

/**
 * Makes the data folder this process's own. A run that starts while an answer is acted on waits for that: cron would start the next one in hours only. For anybody
 * else it waits as long as it was told to, and says so once.
 */
export async function takeFolder(settings: Settings, deps: FolderDeps, command: string): Promise<LockReading> {
  const { clock, log, stop, waitMs = 0, pauses } = deps;
  const startedMs = pauses?.elapsedMs() ?? 0;
  for (let told = false; ; ) {
    const lock = acquireRunLock(settings.paths.data, command, instantText(clock.now()));
    if (lock.kind !== 'held' || pauses === undefined || stop?.aborted) return lock;
    const answers = command !== SERVE && lock.command === SERVE;
    const longestMs = answers ? Math.max(SERVE_WAIT_MS, waitMs) : waitMs;
    const leftMs = longestMs - (pauses.elapsedMs() - startedMs);
    if (leftMs <= 0) return lock;
    if (!told && waitMs > 0) log.info(`${settings.paths.data} is in use by ${lock.holder}: waiting for it to end.`);
    told = true;
    await pauses.pause(Math.min(PAUSE_MS, leftMs), stop);
  }
}
