import type { Pauses } from '../domain/ports.ts';
import type { TakenTask, TaskQueue } from './task-queue.ts';

const KEEP_MS = 3000;

interface Serving {
  readonly queue: TaskQueue;
  /** The largest number of tasks at a time. */
  readonly width: number;
  readonly pauses: Pauses;
  /** Aborted when no further task may be taken. */
  readonly until: AbortSignal;
  /** In milliseconds, the pause after which a process without tasks asks again. */
  readonly idleMs: number;
}

/** Takes tasks, and works on several at a time. Returns after the last task that was taken. `work` throws no error. */
export async function serveTasks(serving: Serving, work: (task: TakenTask) => Promise<void>): Promise<void> {
  const { queue, width, pauses, until, idleMs } = serving;
  const active = new Map<string, Promise<void>>();
  const kept = setInterval(() => void queue.keep([...active.keys()]).catch(() => undefined), KEEP_MS);
  try {
    while (!until.aborted) {
      const free = width - active.size;
      const taken = free > 0 ? await queue.take(free) : [];
      for (const task of taken) {
        active.set(
          task.id,
          work(task).finally(() => active.delete(task.id)),
        );
      }
      if (taken.length < free) await Promise.race([pauses.pause(idleMs, until), ...active.values()]);
      else await Promise.race(active.values());
    }
  } finally {
    await Promise.all(active.values());
    clearInterval(kept);
  }
}
