import type { Pauses } from '../../domain/ports.ts';
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

/** Tells the queue how a task ended. Meanwhile, the next task begins. */
export type Ending = () => Promise<void>;

/** Takes tasks, and works on several at a time. Returns after the last task that was taken. `work` throws no error. */
export async function serveTasks(serving: Serving, work: (task: TakenTask) => Promise<Ending>): Promise<void> {
  const { queue, width, pauses, until, idleMs } = serving;
  const held = new Map<TakenTask, Promise<void>>();
  const over = new AbortController();
  const keep = async () => {
    while (!over.signal.aborted) {
      // One that hangs does not keep the next one from the server.
      void queue.keep([...held.keys()].map(({ id }) => id)).catch(() => undefined);
      await pauses.pause(KEEP_MS, over.signal);
    }
  };
  const keeping = keep();
  let free = width;
  let freed = Promise.withResolvers<void>();
  const hold = async (task: TakenTask) => {
    const end = await work(task);
    free += 1;
    freed.resolve();
    await end();
    held.delete(task);
  };
  try {
    while (!until.aborted) {
      freed = Promise.withResolvers();
      const taken = free > 0 ? await queue.take(free) : [];
      free -= taken.length;
      for (const task of taken) held.set(task, hold(task));
      await Promise.race([pauses.pause(idleMs, until), freed.promise]);
    }
  } finally {
    await Promise.all(held.values());
    over.abort();
    await keeping;
  }
}
