import { instantText } from '../../domain/civil-date.ts';
import { BusyError, type LockHolder } from '../../domain/errors.ts';
import { systemPauses } from '../process-time.ts';
import type { Engine, FolderDeps, LockReading } from './engine.ts';

export const SERVE = 'pacekeeper serve';
export const UPGRADE = 'an upgrade of its tables';

const SHORT_WAIT_MS = 120_000;
const RUNS: readonly (string | undefined)[] = ['pacekeeper report', 'pacekeeper extract'];
export const PAUSE_MS = 2000;

/**
 * Takes the run lock, which one process at a time has. By default, a command does not wait for a run, which can take
 * hours. But `serve` and an upgrade hold the lock only briefly. Nobody should fail because of them, so they are waited
 * for up to 120 seconds. All others are waited for up to `waitMs`. `serve` itself waits for no other `serve`, because
 * its messages stay in the inbox. With `followsRun`, the caller follows the run that it finds, and does not wait. The
 * lock is asked for again and again, because neither engine reports that it is free. Throws `BusyError`.
 */
export async function takeFolder<Lock extends LockReading>(
  engine: Pick<Engine, 'place' | 'another'> & { acquireRunLock(command: string, since: string): Promise<Lock> },
  deps: FolderDeps,
  command: string,
): Promise<Extract<Lock, { readonly kind: 'acquired' }>> {
  const { clock, log, stop, waitMs = 0, followsRun, pauses = systemPauses } = deps;
  const startedMs = pauses.elapsedMs();
  for (let told = false; ; ) {
    const lock = await engine.acquireRunLock(command, instantText(clock.now()));
    if (lock.kind === 'acquired') return lock as Extract<Lock, { readonly kind: 'acquired' }>;
    const busy = new BusyError(engine.place, lock, engine.another);
    if (stop?.aborted || (followsRun && isRun(lock))) throw busy;
    const isShort = lock.command === UPGRADE || (command !== SERVE && lock.command === SERVE);
    const longestMs = isShort ? Math.max(SHORT_WAIT_MS, waitMs) : waitMs;
    const leftMs = longestMs - (pauses.elapsedMs() - startedMs);
    if (leftMs <= 0) throw busy;
    if (!told && waitMs > 0) log.info(`${engine.place} is in use by ${lock.holder}: waiting for it to end.`);
    told = true;
    await pauses.pause(Math.min(PAUSE_MS, leftMs), stop);
  }
}

export function isRun({ command }: Pick<LockHolder, 'command'>): boolean {
  return RUNS.includes(command);
}
