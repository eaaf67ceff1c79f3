import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { deserialize, serialize } from 'node:v8';
import { type ConstructorOptions, PgBoss } from 'pg-boss';
import type { CustomerId } from '../../domain/ids.ts';
import type { Log } from '../../domain/ports.ts';
import type { TaskLease } from '../../storage/records/lock-holder.ts';
import { QUEUE_SCHEMA } from '../../storage/records/postgres/open-records.ts';
import { connectionOf } from '../../storage/records/postgres/postgres-driver.ts';

/** Each kind is about one account. */
export type TaskKind = 'read' | 'evaluate' | 'change';

export interface AboutAccount {
  readonly account: { readonly customerId: CustomerId; readonly loginCustomerId?: CustomerId | undefined };
}

/** A part of a run that any worker of the group can do. */
export interface Task {
  readonly id: string;
  readonly runId: bigint;
  /** The token of the run lock. Later runs have higher tokens. */
  readonly token: bigint;
  readonly kind: TaskKind;
  readonly about: AboutAccount;
  /** The time by the clock of the run's process. */
  readonly sentMs: number;
}

export interface TaskToSend extends Task {
  /** Tasks with a higher number are taken first. */
  readonly priority: number;
  /** True if only the process of the run may try again after a failure. */
  readonly isTriedOnce: boolean;
}

export interface TakenTask extends Task {
  /** In milliseconds, by the clock of the server. */
  readonly waitedMs: number;
  readonly lease: TaskLease;
}

/** `failed` means that workers tried the task in vain. */
export type Answer =
  | { readonly kind: 'done'; readonly taskId: string; readonly result: unknown }
  | { readonly kind: 'failed'; readonly taskId: string };

/**
 * The queue of a group of workers, which have the same program, settings and files. A worker has a task only for {@link
 * LEASE_S}, and prolongs that while it works. If it dies, another worker gets the task. If it only hung, both work on
 * it. The transactions of the first one then fail, because its try is no longer the current one (`joinedLock`). An
 * answer is sent before its task is marked as done. If the worker dies between, the task is done twice, and the run
 * ignores the second answer. In the other order, the answer would be lost, and the run would wait for it. Tasks that
 * change budgets are tried once. Only the process of the run tries them again, and it reads the budgets first.
 */
export interface TaskQueue {
  /** Workers that are alive: of the group, and of other groups. */
  countWorkers(): Promise<{ readonly own: number; readonly others: number }>;
  send(tasks: readonly TaskToSend[]): Promise<void>;
  /** Returns at most `count` tasks. If this process dies, others take its tasks after {@link LEASE_S}. */
  take(count: number): Promise<readonly TakenTask[]>;
  /** Keeps the tasks of this process from being taken by others. */
  keep(taskIds: readonly string[]): Promise<void>;
  /** `tells` is true if another process waits for the result. */
  done(task: Task, result: unknown, tells: boolean): Promise<void>;
  /** Another process may try the task again. */
  giveBack(task: Task, reason: string): Promise<void>;
  answers(): Promise<readonly Answer[]>;
  /** Removes tasks of earlier runs. Call this before the first task, because one run at a time gives tasks. */
  removeEarlier(): Promise<void>;
  /** Removes tasks that nobody has taken, and answers that nobody has read. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

/** In seconds, the smallest lease that pg-boss allows. */
export const LEASE_S = 10;

/** How often expired leases are looked for, and how often a worker says that it lives. */
const SUPERVISED_S = 5;
const TRIES_MAX = 4;
const ANSWERS_MAX = 100;
/** The name of processes that only share, among those of workers, which are the names of their groups. */
const RUN = 'run';
/** Tasks of a dead run are removed after a day. */
const KEPT_S = 86_400;
/** After its end, a task is kept for this time. */
const ENDED_KEPT_S = 3600;
/** An account with many days can take hours. */
const TASK_S = 6 * 3600;

interface Message {
  readonly payload: string;
}

/** Monitoring reads these parts of a task by SQL. */
interface TaskMessage extends Message {
  readonly kind: TaskKind;
  readonly customerId: CustomerId;
}

/** The schema must exist. `isWorker` is true if this process takes tasks for others. */
export async function openTaskQueue(url: string, group: string, isWorker: boolean, log: Log): Promise<TaskQueue> {
  const boss = new PgBoss({
    ...(connectionOf(url) as ConstructorOptions),
    schema: QUEUE_SCHEMA,
    createSchema: false,
    application_name: 'pacekeeper queue',
    max: 2,
    schedule: false,
    // Leases matter only during a run, so its process looks for expired ones, and idle workers ask for little.
    supervise: !isWorker,
    superviseIntervalSeconds: SUPERVISED_S,
    monitorIntervalSeconds: SUPERVISED_S,
    instanceName: isWorker ? group : RUN,
    instanceHeartbeatSeconds: SUPERVISED_S,
  });
  boss.on('error', (error) => log.warn(`The queue of tasks failed: ${error.message}`));
  const tasks = `tasks-${group}`;
  const answers = `answers-${group}`;
  try {
    await boss.start();
    // Among the answers, failed tasks stay for a day.
    await boss.createQueue(answers, { retentionSeconds: KEPT_S, deleteAfterSeconds: KEPT_S });
    const kept = { retentionSeconds: KEPT_S, deleteAfterSeconds: ENDED_KEPT_S };
    const tried = { retryLimit: TRIES_MAX - 1, expireInSeconds: TASK_S, heartbeatSeconds: LEASE_S };
    await boss.createQueue(tasks, { ...kept, ...tried, deadLetter: answers });
  } catch (error) {
    await boss.stop({ graceful: false }).catch(() => undefined);
    throw error;
  }
  return {
    async countWorkers() {
      const found = await boss.getInstances({ limit: 10_000 });
      const workers = found.filter(({ live, name }) => live && name !== RUN);
      const own = workers.filter(({ name }) => name === group).length;
      return { own, others: workers.length - own };
    },
    async send(toSend) {
      const jobs = toSend.map(({ priority, isTriedOnce, ...task }) => {
        const { id, kind, about } = task;
        const data: TaskMessage = { ...messageOf(task), kind, customerId: about.account.customerId };
        return { id, priority, data, ...(isTriedOnce ? { retryLimit: 0 } : {}) };
      });
      await boss.insert(tasks, jobs);
    },
    async take(count) {
      const found = await boss.fetch<Message>(tasks, { batchSize: count, includeMetadata: true });
      return found.map(({ id, data, createdOn, startedOn, retryCount: tries }) => {
        const waitedMs = startedOn.getTime() - createdOn.getTime();
        return { ...contentOf<Task>(data), waitedMs, lease: { queue: tasks, id, tries } };
      });
    },
    async keep(taskIds) {
      if (taskIds.length > 0) await boss.touch(tasks, [...taskIds]);
    },
    async done(task, result, tells) {
      const answer: Answer = { kind: 'done', taskId: task.id, result };
      if (tells) await boss.send(answers, messageOf(answer), { id: randomUUID(), deleteAfterSeconds: ENDED_KEPT_S });
      await boss.complete(tasks, task.id);
    },
    async giveBack(task, reason) {
      await boss.fail(tasks, task.id, { reason, worker: `${process.pid}@${hostname()}` });
    },
    async answers() {
      const found = await boss.fetch<Message>(answers, { batchSize: ANSWERS_MAX });
      if (found.length > 0) {
        await boss.complete(
          answers,
          found.map(({ id }) => id),
        );
      }
      return found.map(({ data }) => answerIn(contentOf<Answer | Task>(data)));
    },
    async removeEarlier() {
      // Ended tasks are kept for an hour, but between runs nobody removes them.
      await boss.supervise();
      await boss.deleteAllJobs(tasks);
    },
    async clear() {
      await boss.deleteQueuedJobs(tasks);
      await boss.deleteQueuedJobs(answers);
    },
    close: () => boss.stop({ graceful: false }),
  };
}

/** A task whose tries are used up arrives among the answers. */
function answerIn(found: Answer | Task): Answer {
  return 'taskId' in found ? found : { kind: 'failed', taskId: found.id };
}

/** Unlike JSON, this keeps bigints and maps. All workers of a group run the same version of Node. */
const messageOf = (content: unknown): Message => ({ payload: serialize(content).toString('base64') });

const contentOf = <Content>({ payload }: Message): Content => deserialize(Buffer.from(payload, 'base64')) as Content;
