import { expect, it } from 'vitest';
import type { Pauses } from '../../src/domain/ports.ts';
import { serveTasks } from '../../src/engine/queue/serve-tasks.ts';
import { shareWork } from '../../src/engine/queue/shared-work.ts';
import type { TakenTask, TaskQueue, TaskToSend } from '../../src/engine/queue/task-queue.ts';
import { toldLog } from '../support/told-log.ts';

const turn = () => new Promise<void>((over) => setImmediate(over));

/** All times are short. */
const pauses: Pauses = { elapsedMs: () => 0, pause: turn };

const taskNamed = (id: string) => ({ id, lease: { queue: 'q', id, tries: 0 } }) as TakenTask;

/** A queue of our own, of which only what a test needs is there. */
const queueOf = (parts: Partial<TaskQueue>): TaskQueue => ({ keep: async () => undefined, ...parts }) as TaskQueue;

it('begins the next task while the queue hears of the last one, and keeps both', async () => {
  const waiting = ['a', 'b', 'c'].map(taskNamed);
  const until = new AbortController();
  const kept: string[][] = [];
  const queue = queueOf({
    take: async (count) => waiting.splice(0, count),
    keep: async (ids) => void kept.push([...ids]),
  });
  const told = Promise.withResolvers<void>();
  const events: string[] = [];
  const serving = serveTasks({ queue, width: 1, pauses, until: until.signal, idleMs: 1 }, async ({ id }) => {
    events.push(`begin ${id}`);
    if (id === 'c') until.abort();
    return async () => {
      await told.promise;
      events.push(`told ${id}`);
    };
  });
  await turn();
  expect(events).toEqual(['begin a', 'begin b', 'begin c']);
  let isOver = false;
  void serving.then(() => {
    isOver = true;
  });
  await turn();
  expect(isOver).toBe(false);
  told.resolve();
  await serving;
  expect(events.slice(3).sort()).toEqual(['told a', 'told b', 'told c']);
  expect(kept.at(-1)).toEqual(['a', 'b', 'c']);
});

it('works on no more tasks at a time than it may', async () => {
  const waiting = ['a', 'b', 'c', 'd', 'e'].map(taskNamed);
  const until = new AbortController();
  const atWork: (() => void)[] = [];
  let most = 0;
  const queue = queueOf({ take: async (count) => waiting.splice(0, count) });
  const serving = serveTasks({ queue, width: 2, pauses, until: until.signal, idleMs: 1 }, async () => {
    await new Promise<void>((end) => {
      most = Math.max(most, atWork.push(end));
    });
    return async () => undefined;
  });
  for (let left = 5; left > 0; left -= 1) {
    await turn();
    atWork.shift()?.();
  }
  until.abort();
  await serving;
  expect([most, waiting.length, atWork.length]).toEqual([2, 0, 0]);
});

it('tasks that are given while others are being sent are sent together, each once', async () => {
  const sent: string[][] = [];
  const arrived: TaskToSend[] = [];
  const first = Promise.withResolvers<void>();
  const queue = queueOf({
    async send(tasks) {
      sent.push(tasks.map(({ about }) => about.account.customerId));
      if (sent.length === 1) await first.promise;
      arrived.push(...tasks);
    },
    take: async (count) => arrived.splice(0, count).map((task) => ({ ...taskNamed(task.id), ...task })),
    answers: async () => [],
    done: async () => undefined,
    clear: async () => undefined,
    close: async () => undefined,
  });
  const shared = shareWork({
    queue,
    run: { runId: 1n, token: 1n },
    width: 1,
    clock: { now: () => 0 },
    pauses,
    log: toldLog(),
    stop: new AbortController().signal,
  });
  const give = (customerId: string) => {
    const order = { kind: 'read', about: { account: { customerId } }, priority: 0, isTriedOnce: false };
    return shared.give(order as Parameters<typeof shared.give>[0], async () => customerId);
  };
  const given = ['1', '2', '3'].map(give);
  await turn();
  first.resolve();
  expect(await Promise.all(given)).toEqual(['1', '2', '3']);
  expect(sent).toEqual([['1'], ['2', '3']]);
  expect(await give('4')).toBe('4');
  await shared.end();
  expect(sent.length).toBe(3);
});
