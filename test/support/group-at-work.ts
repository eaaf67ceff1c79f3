import { randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { readSettings } from '../../src/config/read-settings.ts';
import { customerId } from '../../src/domain/ids.ts';
import { engineOf } from '../../src/engine/folder/engine.ts';
import { openTaskQueue, type TaskQueue, type TaskToSend } from '../../src/engine/queue/task-queue.ts';
import { accountNumber } from './accounts-service.ts';
import { tempDir } from './temp-dir.ts';
import { toldLog } from './told-log.ts';

const TRIES = 4;

/** A worker and the process of a run, whose tasks are to read the first, second and third account. */
export interface GroupAtWork {
  readonly worker: TaskQueue;
  readonly run: TaskQueue;
  /** The worker gave up the first task, has the second one in work, and the third one waits. */
  work(reason: string): Promise<void>;
}

/** To read the account with this number. */
export const taskToSend = (index: number): TaskToSend => ({
  id: randomUUID(),
  runId: 1n,
  token: 1n,
  about: { account: { customerId: customerId(accountNumber(index)) } },
  kind: 'read',
  sentMs: 0,
  priority: 0,
  isTriedOnce: false,
});

export async function groupAtWork(url: string): Promise<GroupAtWork> {
  const { cluster } = await engineOf(await readSettings(tempDir(), {}, { PACEKEEPER_STORE_URL: url }));
  await cluster?.prepareTaskQueue();
  const worker = await openTaskQueue(url, 'group', true, toldLog());
  const run = await openTaskQueue(url, 'group', false, toldLog());
  onTestFinished(async () => {
    await worker.close();
    await run.close();
  });
  const send = (index: number) => run.send([taskToSend(index)]);
  return {
    worker,
    run,
    async work(reason) {
      await send(0);
      for (let tried = 0; tried < TRIES; tried += 1) {
        for (const task of await worker.take(1)) await worker.giveBack(task, reason);
      }
      await send(1);
      await worker.take(1);
      await send(2);
    },
  };
}
