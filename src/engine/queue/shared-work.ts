import { randomUUID } from 'node:crypto';
import type { Clock, Log, Pauses } from '../../domain/ports.ts';
import { type Ending, serveTasks } from './serve-tasks.ts';
import type { Answer, Task, TaskQueue, TaskToSend } from './task-queue.ts';
import type { ReadFile } from './worker-group.ts';

/** Work that a run shares with the workers of its group. */
export interface SharedWork {
  /** `here` does the same in this process, which takes tasks too. */
  give<Result>(about: Order, here: () => Promise<Result>): Promise<Result>;
  /** Call this after the last task. */
  end(): Promise<void>;
}

/** `files` are those by which the run works. The result is undefined if no workers share its work. */
export type ShareWork = (runId: bigint, files: readonly ReadFile[]) => Promise<SharedWork | undefined>;

/** `work` gets undefined if no workers share the work. */
export async function withWorkers<Value>(
  { shareWork }: { readonly shareWork?: ShareWork | undefined },
  runId: bigint,
  { findings }: { readonly findings: readonly ReadFile[] },
  accounts: readonly unknown[],
  work: (shared: SharedWork | undefined) => Promise<Value>,
): Promise<Value> {
  const shared = accounts.length > 1 ? await shareWork?.(runId, findings) : undefined;
  try {
    return await work(shared);
  } finally {
    await shared?.end();
  }
}

export type Order = Pick<TaskToSend, 'kind' | 'about' | 'priority' | 'isTriedOnce'>;

interface Sharing {
  readonly queue: TaskQueue;
  readonly run: Pick<Task, 'runId' | 'token'>;
  /** Tasks of this process at a time. */
  readonly width: number;
  readonly clock: Clock;
  readonly pauses: Pauses;
  readonly log: Log;
  readonly stop: AbortSignal;
}

interface Waiting extends Pick<Order, 'isTriedOnce'> {
  here(): Promise<unknown>;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

const HEAR_MS = 200;
/** After a stop, a worker may still end what it has sent. */
const STOPPED_WAIT_MS = 12_000;

const READS_CHANGES = 'Run pacekeeper report again. It reads which budgets were changed.';

/** More than a cluster does at the same time, so that every worker finds a task. */
export const GIVEN_AT_ONCE = 256;

export function shareWork({ queue, run, width, clock, pauses, log, stop }: Sharing): SharedWork {
  const waiting = new Map<string, Waiting>();
  const over = new AbortController();

  const doHere = async (taskId: string) => {
    const own = waiting.get(taskId);
    if (own === undefined) return;
    waiting.delete(taskId);
    await own.here().then(own.resolve, own.reject);
  };
  const hear = async (answer: Answer) => {
    if (answer.kind === 'failed') return doHere(answer.taskId);
    waiting.get(answer.taskId)?.resolve(answer.result);
    waiting.delete(answer.taskId);
  };
  const hearAll = async () => {
    while (!over.signal.aborted) {
      for (const answer of await queue.answers()) await hear(answer);
      await pauses.pause(HEAR_MS, over.signal);
    }
  };
  const doTaken = async (task: Task): Promise<Ending> => {
    await doHere(task.id);
    return () => queue.done(task, undefined, false).catch(giveUp);
  };
  const unsent: TaskToSend[] = [];
  let isSending = false;
  /** Tasks that are given while others are being sent are sent together. */
  const sendAll = async () => {
    isSending = true;
    try {
      while (unsent.length > 0 && !over.signal.aborted) await queue.send(unsent.splice(0));
    } finally {
      isSending = false;
    }
  };
  let alone = 0;
  const doAlone = async () => {
    if (alone >= width) return;
    alone += 1;
    for (const taskId of waiting.keys()) await doHere(taskId);
    alone -= 1;
  };
  const giveUp = (error: unknown) => {
    if (over.signal.aborted) return;
    over.abort();
    const reason = error instanceof Error ? error.message : error;
    log.warn(`The queue of tasks failed, so this process does the rest: ${reason}`);
    for (const [taskId, { isTriedOnce, reject }] of waiting) {
      if (!isTriedOnce) continue;
      // A worker may be doing it now.
      waiting.delete(taskId);
      const words = `The queue of tasks failed while workers evaluated rules or changed budgets: ${reason}`;
      reject(Object.assign(new Error(words), { code: 'QUEUE_FAILED', nextStep: READS_CHANGES }));
    }
    for (let count = 0; count < width; count += 1) void doAlone();
  };
  const serve = () => serveTasks({ queue, width, pauses, until: over.signal, idleMs: HEAR_MS }, doTaken);
  const working = Promise.all([hearAll(), serve()]).catch(giveUp);
  const doRest = async () => {
    // A worker shall begin nothing new.
    const left = await queue.take(GIVEN_AT_ONCE).catch(() => []);
    await Promise.all(left.map(async (task) => (await doTaken(task))()));
    await pauses.pause(STOPPED_WAIT_MS, over.signal);
    await doAlone();
  };
  stop.addEventListener('abort', () => void doRest(), { signal: over.signal });
  return {
    give: (order, here) =>
      new Promise((resolve, reject) => {
        const id = randomUUID();
        waiting.set(id, {
          isTriedOnce: order.isTriedOnce,
          here,
          resolve: (result) => resolve(result as Awaited<ReturnType<typeof here>>),
          reject,
        });
        if (over.signal.aborted) {
          void doAlone();
          return;
        }
        unsent.push({ ...order, ...run, id, sentMs: clock.now() });
        if (!isSending) void sendAll().catch(giveUp);
      }),
    async end() {
      over.abort();
      await working;
      // The next run removes tasks that are left, and ignores answers.
      await queue.clear().catch(() => undefined);
      await queue.close().catch(() => undefined);
    },
  };
}
