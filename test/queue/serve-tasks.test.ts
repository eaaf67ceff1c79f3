import { expect, it } from 'vitest';
import type { Pauses } from '../../src/domain/ports.ts';
import { serveTasks } from '../../src/engine/queue/serve-tasks.ts';
import type { TakenTask, TaskQueue } from '../../src/engine/queue/task-queue.ts';

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
  const asked: number[] = [];
  const kept: number[] = [];
  const queue = queueOf({
    async take(count) {
      asked.push(count);
      return waiting.splice(0, count);
    },
    keep: async (ids) => void kept.push(ids.length),
  });
  const serving = serveTasks({ queue, width: 2, pauses, until: until.signal, idleMs: 1 }, async () => {
    await new Promise<void>((end) => {
      most = Math.max(most, atWork.push(end));
    });
    return async () => undefined;
  });
  for (let idle = 0; idle < 3; idle += 1) await turn();
  for (let left = 5; left > 0; left -= 1) {
    await turn();
    atWork.shift()?.();
  }
  until.abort();
  await serving;
  expect([most, waiting.length, atWork.length]).toEqual([2, 0, 0]);
  // It asks for nothing while it has no room, and keeps no task that has ended.
  expect([asked[0], Math.min(...asked), Math.max(...kept)]).toEqual([2, 1, 2]);
});
