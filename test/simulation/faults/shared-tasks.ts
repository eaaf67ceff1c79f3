import {
  type Answer,
  LEASE_S,
  type TakenTask,
  type TaskQueue,
  type TaskToSend,
} from '../../../src/engine/queue/task-queue.ts';
import type { SeedStore } from './stores/seed-store.ts';
import type { Timeline } from './timeline.ts';
import type { VirtualProcess } from './virtual-process.ts';

/** What the queue of the product keeps of a task. */
interface Held {
  readonly task: TaskToSend;
  readonly sentMs: number;
  state: 'waiting' | 'active' | 'ended';
  /** The number of earlier tries. */
  tries: number;
  keptMs: number;
}

const TRIES_MAX = 4;
const GROUP = 'group';
/** Every call takes so long. */
const CALL_MS = 3;

/** Transactions of workers ask this table whether a task is still theirs. */
const JOBS = `CREATE SCHEMA IF NOT EXISTS pacekeeper_queue;
  CREATE TABLE IF NOT EXISTS pacekeeper_queue.job (id uuid PRIMARY KEY, name text, state text, retry_count integer)`;

/** The queue of one seed's world, in its time: what a process holds that has ended goes to others when its lease is over. */
export class SharedTasks {
  readonly #timeline: Timeline;
  readonly #store: SeedStore;
  readonly #workers = new Set<VirtualProcess>();
  #tasks: Held[] = [];
  #answers: Answer[] = [];

  constructor(timeline: Timeline, store: SeedStore) {
    this.#timeline = timeline;
    this.#store = store;
    if (store.url !== undefined) store.alter(JOBS);
  }

  /** Until it stops, others see that it is there. */
  register(worker: VirtualProcess): void {
    this.#workers.add(worker);
  }

  unregister(worker: VirtualProcess): void {
    this.#workers.delete(worker);
  }

  /** As that process sees it, which may lose it. It finds tasks only when they have waited for `lateMs`. */
  of(process: VirtualProcess, lateMs = 0): TaskQueue {
    const call =
      <Given extends unknown[], Result>(name: string, act: (...given: Given) => Result) =>
      async (...given: Given): Promise<Result> => {
        await process.pauses.pause(CALL_MS);
        const loss = process.loses(`queue ${name}`);
        if (loss !== undefined && loss !== 'answer') throw new Error('Connection terminated unexpectedly');
        const result = act(...given);
        if (loss === 'answer') throw new Error('Connection terminated unexpectedly');
        return result;
      };
    const answer = call('answer', (one: Answer) => void this.#answers.push(one));
    const complete = call('complete', (id: string) => this.#end(id));
    return {
      countWorkers: call('countWorkers', () => ({
        own: [...this.#workers].filter(({ dead }) => !dead).length,
        others: 0,
      })),
      send: call('send', (tasks) => this.#send(tasks)),
      take: call('take', (count) => this.#take(process, count, lateMs)),
      keep: call('keep', (ids) => {
        for (const held of this.#tasks) if (ids.includes(held.task.id)) held.keptMs = this.#timeline.now();
      }),
      async done({ id: taskId }, result, tells) {
        if (tells) await answer(structuredClone({ kind: 'done', taskId, result }));
        await complete(taskId);
      },
      giveBack: call('giveBack', (task, reason) => {
        process.trace(`gives back ${task.kind} of ${task.about.account.customerId}: ${reason}`);
        for (const held of this.#tasks) if (held.task.id === task.id && held.state === 'active') this.#fail(held);
      }),
      answers: call('answers', () => {
        this.#release();
        return this.#answers.splice(0);
      }),
      removeEarlier: call('removeEarlier', () => {
        this.#tasks = [];
        this.#store.alter('DELETE FROM pacekeeper_queue.job');
      }),
      clear: call('clear', () => {
        this.#tasks = this.#tasks.filter(({ state }) => state === 'active');
        this.#answers = [];
      }),
      close: async () => undefined,
    };
  }

  #send(tasks: readonly TaskToSend[]): void {
    for (const task of tasks) {
      this.#tasks.push({
        task: structuredClone(task),
        sentMs: this.#timeline.now(),
        state: 'waiting',
        tries: 0,
        keptMs: 0,
      });
    }
  }

  #take(process: VirtualProcess, count: number, lateMs: number): TakenTask[] {
    this.#release();
    const sentByMs = this.#timeline.now() - lateMs;
    const waiting = this.#tasks.filter(({ state, sentMs }) => state === 'waiting' && sentMs <= sentByMs);
    const taken = waiting.toSorted((one, other) => other.task.priority - one.task.priority).slice(0, count);
    return taken.map((held) => {
      held.state = 'active';
      held.keptMs = this.#timeline.now();
      const { task, tries, sentMs } = held;
      const { id, kind, about } = task;
      process.trace(`takes ${kind} of ${about.account.customerId}, try ${tries + 1}`);
      this.#store.alter(`INSERT INTO pacekeeper_queue.job VALUES ('${id}', '${GROUP}', 'active', ${tries})
        ON CONFLICT (id) DO UPDATE SET state = excluded.state, retry_count = excluded.retry_count`);
      const lease = { queue: GROUP, id, tries };
      return { ...structuredClone(task), waitedMs: this.#timeline.now() - sentMs, lease };
    });
  }

  /** Takes back the tasks of processes that have said nothing for too long. */
  #release(): void {
    const heardSinceMs = this.#timeline.now() - LEASE_S * 1000;
    for (const held of this.#tasks) if (held.state === 'active' && held.keptMs < heardSinceMs) this.#fail(held);
  }

  #fail(held: Held): void {
    const { task } = held;
    this.#mark(task.id, 'waiting');
    held.tries += 1;
    held.state = 'waiting';
    if (held.tries < (task.isTriedOnce ? 1 : TRIES_MAX)) return;
    held.state = 'ended';
    this.#answers.push({ kind: 'failed', taskId: task.id });
  }

  #end(id: string): void {
    this.#mark(id, 'ended');
    for (const held of this.#tasks) if (held.task.id === id && held.state === 'active') held.state = 'ended';
  }

  #mark(id: string, state: Held['state']): void {
    this.#store.alter(`UPDATE pacekeeper_queue.job SET state = '${state}' WHERE id = '${id}'`);
  }
}
