import { expect, it } from 'vitest';
import { customerId } from '../../src/domain/ids.ts';
import type { Pauses } from '../../src/domain/ports.ts';
import {
  GIVEN_AT_ONCE,
  type Order,
  type ShareWork,
  shareWork,
  withWorkers,
} from '../../src/engine/queue/shared-work.ts';
import {
  type Answer,
  LEASE_S,
  openTaskQueue,
  type Task,
  type TaskQueue,
  type TaskToSend,
} from '../../src/engine/queue/task-queue.ts';
import type { ReadFile } from '../../src/engine/queue/worker-group.ts';
import { accountNumber } from '../support/accounts-service.ts';
import { freshStore } from '../support/both-engines.ts';
import { groupAtWork, taskToSend } from '../support/group-at-work.ts';
import { describePostgres, onDatabase } from '../support/postgres-server.ts';
import { toldLog } from '../support/told-log.ts';

const turn = () => new Promise<void>((over) => setImmediate(over));

/** All times are short. */
const pauses: Pauses = { elapsedMs: () => 0, pause: turn };

interface Shared {
  readonly width?: number;
  readonly pauses?: Pauses;
}

/** A run whose queue is in memory. Its workers take nothing and answer what a test says, unless `parts` say otherwise. */
function runOf(parts: Partial<TaskQueue>, { width = 1, pauses: own = pauses }: Shared = {}) {
  const sent: TaskToSend[] = [];
  const queue: TaskQueue = {
    countWorkers: async () => ({ own: 1, others: 0 }),
    send: async (tasks) => void sent.push(...tasks),
    take: async () => [],
    keep: async () => undefined,
    done: async () => undefined,
    giveBack: async () => undefined,
    answers: async () => [],
    removeEarlier: async () => undefined,
    clear: async () => undefined,
    close: async () => undefined,
    ...parts,
  };
  const told: string[] = [];
  const log = toldLog({ warn: (line) => told.push(line) });
  const stop = new AbortController();
  const run = { runId: 1n, token: 7n };
  const shared = shareWork({ queue, run, width, clock: { now: () => 5 }, pauses: own, log, stop: stop.signal });
  return { shared, sent, told, stop };
}

const orderOf = (index: number, isTriedOnce = false): Order => ({
  kind: isTriedOnce ? 'change' : 'read',
  about: { account: { customerId: customerId(accountNumber(index)) } },
  priority: index,
  isTriedOnce,
});

/** A server in memory that gives tasks to whoever asks, at most `count`. */
function served(arrived: TaskToSend[]) {
  return async (count: number) =>
    arrived.splice(0, count).map((task) => ({ ...task, waitedMs: 0, lease: { queue: 'q', id: task.id, tries: 0 } }));
}

it('tasks that are given while others are being sent are sent together, each once', async () => {
  const sent: (readonly TaskToSend[])[] = [];
  const arrived: TaskToSend[] = [];
  const first = Promise.withResolvers<void>();
  const ended: [id: string, tells: boolean][] = [];
  let isClosed = false;
  const { shared } = runOf({
    done: async ({ id }, _result, tells) => void ended.push([id, tells]),
    async close() {
      isClosed = true;
    },
    async send(tasks) {
      sent.push(tasks);
      if (sent.length === 1) await first.promise;
      arrived.push(...tasks);
    },
    take: served(arrived),
  });
  const given = [1, 2, 3].map((index) => shared.give(orderOf(index), async () => index));
  await turn();
  first.resolve();
  expect(await Promise.all(given)).toEqual([1, 2, 3]);
  expect(sent.map((tasks) => tasks.map(({ priority }) => priority))).toEqual([[1], [2, 3]]);
  expect(sent[0]?.[0]).toMatchObject({ ...orderOf(1), runId: 1n, token: 7n, sentMs: 5 });
  expect(await shared.give(orderOf(4), async () => 4)).toBe(4);
  await shared.end();
  expect(sent.length).toBe(3);
  expect(ended).toEqual(sent.flat().map(({ id }) => [id, false]));
  expect(isClosed).toBe(true);
});

it('a task has the result of its worker, or is done here if workers failed', async () => {
  const answers: Answer[] = [];
  const { shared, sent, told } = runOf({ answers: async () => answers.splice(0) });
  const here: number[] = [];
  const [one, two] = [1, 2].map((index) => shared.give(orderOf(index, index === 2), async () => here.push(index)));
  await turn();
  const [done = '', failed = ''] = sent.map(({ id }) => id);
  answers.push({ kind: 'done', taskId: done, result: 'by a worker' }, { kind: 'failed', taskId: failed });
  expect([await one, await two]).toEqual(['by a worker', 1]);
  // The worker died before it said that it was done, so other ones did the same again, or failed.
  answers.push({ kind: 'done', taskId: done, result: 'again' });
  for (const taskId of [done, failed]) answers.push({ kind: 'failed', taskId });
  const three = shared.give(orderOf(3), async () => here.push(3));
  await turn();
  answers.push({ kind: 'failed', taskId: sent[2]?.id ?? '' });
  expect([await three, here, told]).toEqual([2, [2, 3], []]);
  await shared.end();
});

it('a queue that fails after the end of the work tells nobody', async () => {
  const asked = Promise.withResolvers<readonly Answer[]>();
  const { shared, told } = runOf({ answers: () => asked.promise });
  const ended = shared.end();
  asked.reject(new Error('the connection was lost'));
  await ended;
  expect(told).toEqual([]);
});

const lost = async () => {
  throw new Error('the connection was lost');
};

it.each<[string, Partial<TaskQueue>]>([
  ['sends', { send: lost }],
  ['listens for answers', { answers: lost }],
  ['takes tasks', { take: lost }],
])('if the queue fails while the run %s, it does alone what can be done again', async (_, parts) => {
  const atWork: (() => void)[] = [];
  const begun: number[] = [];
  const { shared, told } = runOf(parts, { width: 2 });
  const work = (index: number) => () => {
    begun.push(index);
    return new Promise<number>((end) => atWork.push(() => end(index)));
  };
  const given = [1, 2, 3].map((index) => shared.give(orderOf(index), work(index)));
  const change = shared.give(orderOf(9, true), work(9));
  await expect(change).rejects.toMatchObject({
    message: 'The queue of tasks failed while workers evaluated rules or changed budgets: the connection was lost',
    code: 'QUEUE_FAILED',
    nextStep: expect.stringContaining('pacekeeper report'),
  });
  expect(told).toEqual(['The queue of tasks failed, so this process does the rest: the connection was lost']);
  await turn();
  expect(begun).toEqual([1, 2]);
  const late = shared.give(orderOf(4, true), work(4));
  expect(begun).toEqual([1, 2]);
  for (let ended = 0; ended < 4; ended += 1) {
    await turn();
    atWork.shift()?.();
  }
  expect(await Promise.all([...given, late])).toEqual([1, 2, 3, 4]);
  await turn();
  const later = [5, 6, 7].map((index) => shared.give(orderOf(index), work(index)));
  expect(begun.slice(4)).toEqual([5, 6]);
  for (let ended = 0; ended < 3; ended += 1) {
    atWork.shift()?.();
    await turn();
  }
  expect(await Promise.all(later)).toEqual([5, 6, 7]);
  await shared.end();
});

it('after a stop, the run does what no worker has begun, waits for the others, and then does the rest', async () => {
  const arrived: TaskToSend[] = [];
  const isOver = Promise.withResolvers<void>();
  const waits: number[] = [];
  const { shared, stop } = runOf(
    {
      send: async (tasks) => void arrived.push(...tasks.filter(({ priority }) => priority > 1)),
      take: async (count) => (count === GIVEN_AT_ONCE ? served(arrived)(count) : []),
    },
    {
      pauses: {
        ...pauses,
        pause: (ms) => (ms > 3000 && waits.push(ms) ? isOver.promise : turn()),
      },
    },
  );
  const here: number[] = [];
  const given = [1, 2, 3].map((index) => shared.give(orderOf(index), async () => here.push(index)));
  await turn();
  stop.abort();
  await Promise.all(given.slice(1));
  await turn();
  expect([here, waits]).toEqual([[2, 3], [12_000]]);
  isOver.resolve();
  await given[0];
  expect(here).toEqual([2, 3, 1]);
  await shared.end();
});

it('after a stop, the run does all if the queue gives it nothing back', async () => {
  const done: Task[] = [];
  const { shared, stop } = runOf({
    done: async (task) => void done.push(task),
    take: async (count) => (count === GIVEN_AT_ONCE ? lost() : []),
  });
  const given = [1, 2].map((index) => shared.give(orderOf(index), async () => index));
  await turn();
  stop.abort();
  expect(await Promise.all(given)).toEqual([1, 2]);
  await shared.end();
  expect(done).toEqual([]);
});

it('a stop after the end asks nothing of the queue', async () => {
  const asked: number[] = [];
  const { shared, stop } = runOf({
    async take(count) {
      asked.push(count);
      return [];
    },
  });
  await shared.end();
  stop.abort();
  await turn();
  expect(asked).not.toContain(GIVEN_AT_ONCE);
});

it('the work of a single account is not shared, and the sharing ends with the work, also if it fails', async () => {
  let ended = 0;
  const shared = {
    give: async () => undefined as never,
    async end() {
      ended += 1;
    },
  };
  const asked: [runId: bigint, files: readonly ReadFile[]][] = [];
  const shareWorkOf: ShareWork = async (runId, files) => {
    asked.push([runId, files]);
    return shared;
  };
  const findings = [{ path: 'rules/one.yaml', source: 'when: clicks > 3' }];
  const work = async (given: unknown) => given === shared;
  expect(await withWorkers({ shareWork: shareWorkOf }, 3n, { findings }, [1], work)).toBe(false);
  expect(await withWorkers({}, 3n, { findings }, [1, 2], work)).toBe(false);
  expect([asked, ended]).toEqual([[], 0]);
  expect(await withWorkers({ shareWork: shareWorkOf }, 3n, { findings }, [1, 2], work)).toBe(true);
  await expect(withWorkers({ shareWork: shareWorkOf }, 4n, { findings }, [1, 2], lost)).rejects.toThrow(
    'the connection was lost',
  );
  const asking = [3n, 4n].map((runId) => [runId, findings]);
  expect([asked, ended]).toEqual([asking, 2]);
});

describePostgres('the queue of a run', () => {
  it('cannot be opened before a worker has used the database', async () => {
    const { url } = await freshStore();
    await expect(openTaskQueue(url, 'group', false, toldLog())).rejects.toThrow('pacekeeper_queue');
  });

  it('gives a task to four workers, one that may be tried once to one, and then to the run', async () => {
    const { url } = await freshStore();
    const { worker, run } = await groupAtWork(url);
    const again = taskToSend(1);
    const once = { ...taskToSend(2), isTriedOnce: true };
    await run.send([again, once]);
    const tries: [id: string, tries: number][] = [];
    for (let taken = await worker.take(2); taken.length > 0; taken = await worker.take(2)) {
      for (const task of taken) {
        tries.push([task.id, task.lease.tries]);
        await worker.giveBack(task, 'a wrong clock');
      }
    }
    expect(tries.filter(([id]) => id === once.id)).toEqual([[once.id, 0]]);
    expect(tries.filter(([id]) => id === again.id).map(([, count]) => count)).toEqual([0, 1, 2, 3]);
    expect((await run.answers()).map(({ kind, taskId }) => `${kind} ${taskId}`).sort()).toEqual(
      [once, again].map(({ id }) => `failed ${id}`).sort(),
    );
    expect(await run.answers()).toEqual([]);
  });

  it('gives the task with the highest priority first, with all that its worker must know', async () => {
    const { url } = await freshStore();
    const { worker, run } = await groupAtWork(url);
    const low = taskToSend(1);
    const high = { ...taskToSend(2), priority: 1 };
    await run.send([low, high]);
    await onDatabase(url, "UPDATE pacekeeper_queue.job SET created_on = created_on - interval '1 hour'");
    const { priority: _, isTriedOnce: __, ...task } = high;
    const [taken] = await worker.take(1);
    expect(taken).toEqual({ ...task, waitedMs: expect.any(Number), lease: expect.objectContaining({ id: high.id }) });
    expect(Math.floor((taken?.waitedMs ?? 0) / 3_600_000)).toBe(1);
    expect((await worker.take(2)).map(({ id }) => id)).toEqual([low.id]);
  });

  it('prolongs the leases of the tasks that a worker keeps', async () => {
    const { url } = await freshStore();
    const { worker, run } = await groupAtWork(url);
    await run.send([taskToSend(1), taskToSend(2)]);
    const [kept] = await worker.take(2);
    await onDatabase(url, "UPDATE pacekeeper_queue.job SET heartbeat_on = heartbeat_on - interval '1 hour'");
    await worker.keep([kept?.id ?? '']);
    const late =
      "SELECT id, heartbeat_seconds FROM pacekeeper_queue.job WHERE heartbeat_on > now() - interval '59 minutes'";
    expect(await onDatabase(url, late)).toEqual([[kept?.id, LEASE_S]]);
  });

  it('gives the result of a task to the run once, if the run waits for it', async () => {
    const { url } = await freshStore();
    const { worker, run } = await groupAtWork(url);
    await run.send([taskToSend(1), taskToSend(2)]);
    const [told, own] = await worker.take(2);
    if (told === undefined || own === undefined) throw new Error('No tasks.');
    const result = new Map([[1n, 'a result']]);
    await worker.done(told, result, true);
    await run.done(own, undefined, false);
    expect(await run.answers()).toEqual([{ kind: 'done', taskId: told.id, result }]);
    const ended = 'SELECT DISTINCT state, deletion_seconds FROM pacekeeper_queue.job';
    expect(await onDatabase(url, ended)).toEqual([['completed', 3600]]);
  });

  it('warns of a connection that the database ends', async () => {
    const { url } = await freshStore();
    await groupAtWork(url);
    const told: string[] = [];
    const worker = await openTaskQueue(url, 'other', true, toldLog({ warn: (line) => told.push(line) }));
    const ofQueues =
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'pacekeeper queue'";
    await onDatabase(url, ofQueues);
    await expect.poll(() => told[0]).toMatch(/^The queue of tasks failed: .*terminat/);
    await worker.close();
  });

  it('is empty after the run, which may end before its tasks', async () => {
    const { url } = await freshStore();
    const { worker, run } = await groupAtWork(url);
    await run.send([taskToSend(1), taskToSend(2)]);
    for (const task of await worker.take(1)) await worker.done(task, 'a result', true);
    const { shared } = runOf({ clear: run.clear });
    await shared.end();
    expect([await worker.take(2), await run.answers()]).toEqual([[], []]);
  });

  it('counts the workers that are alive, of the group and of others', async () => {
    const { url } = await freshStore();
    const { run, worker } = await groupAtWork(url);
    const other = await openTaskQueue(url, 'other', true, toldLog());
    expect(await run.countWorkers()).toEqual({ own: 1, others: 1 });
    await worker.close();
    expect(await run.countWorkers()).toEqual({ own: 0, others: 1 });
    await other.close();
    expect(await run.countWorkers()).toEqual({ own: 0, others: 0 });
  });
});
