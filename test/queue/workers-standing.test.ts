import { hostname } from 'node:os';
import { expect, it } from 'vitest';
import { withClient } from '../../src/storage/records/postgres/open-records.ts';
import { workersStanding } from '../../src/storage/records/postgres/workers-standing.ts';
import { freshStore } from '../support/both-engines.ts';
import { groupAtWork } from '../support/group-at-work.ts';
import { describePostgres, onDatabase, readerOf } from '../support/postgres-server.ts';

const standingOf = (url: string) => withClient(url, 1000, workersStanding);

const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
const WORKER = `${process.pid}@${hostname()}`;
const LOST = { kind: 'read', customerId: '1000000001', failedAt: INSTANT };
const FAILED = { ...LOST, worker: WORKER, reason: 'a wrong clock' };

describePostgres('the workers of a database', () => {
  it('are unknown before the first one, and to a user who may not read the tasks', async () => {
    const { url } = await freshStore();
    expect(await standingOf(url)).toBeUndefined();
    await groupAtWork(url);
    expect(await standingOf(await readerOf(url))).toBeUndefined();
    expect(await standingOf(url)).toMatchObject({ tasks: [], failed: [] });
  });

  it('have tasks that wait, are in work, or failed, also after the run has heard of it', async () => {
    const { url } = await freshStore();
    const { work, run } = await groupAtWork(url);
    await work('a wrong clock');
    const standing = {
      workers: [{ worker: WORKER, group: 'group', isLive: true, heartbeatAt: INSTANT }],
      tasks: [
        { kind: 'read', state: 'failed', count: 1 },
        { kind: 'read', state: 'in_work', count: 1 },
        { kind: 'read', state: 'waiting', count: 1 },
      ],
      failed: [FAILED],
    };
    expect(await standingOf(url)).toEqual(standing);
    expect(await run.answers()).toMatchObject([{ kind: 'failed' }]);
    expect(await standingOf(url)).toEqual(standing);
    await onDatabase(url, "UPDATE pacekeeper_queue.job SET created_on = created_on - interval '25 hours'");
    expect(await standingOf(url)).toMatchObject({ tasks: standing.tasks.slice(1), failed: [] });
  });

  it('have no tasks of an earlier run when the next one begins, but those that failed', async () => {
    const { url } = await freshStore();
    const { work, run, worker } = await groupAtWork(url);
    await work('a wrong clock');
    await run.removeEarlier();
    expect(await worker.take(3)).toEqual([]);
    expect(await standingOf(url)).toMatchObject({ tasks: [{ state: 'failed', count: 1 }], failed: [FAILED] });
  });

  it('can end a task of an earlier run, and give it back, after the next one has begun', async () => {
    const { url } = await freshStore();
    const { work, run, worker } = await groupAtWork(url);
    await work('a wrong clock');
    const [task] = await worker.take(1);
    if (task === undefined) throw new Error('No task.');
    await run.removeEarlier();
    await worker.giveBack(task, 'too late');
    await worker.done(task, 'a result', true);
    await worker.keep([task.id]);
    expect(await worker.take(3)).toEqual([]);
    expect((await standingOf(url))?.tasks).toEqual([{ kind: 'read', state: 'failed', count: 1 }]);
  });

  it('keep failed tasks for a day, and the answers of others for an hour', async () => {
    const { url } = await freshStore();
    const { work, worker, run } = await groupAtWork(url);
    await work('a wrong clock');
    for (const task of await worker.take(1)) await worker.done(task, 'a result', true);
    expect(await run.answers()).toHaveLength(2);
    const kept = "SELECT source_id IS NOT NULL, deletion_seconds FROM pacekeeper_queue.job WHERE name LIKE 'answers-%'";
    expect((await onDatabase(url, kept)).sort()).toEqual([
      [false, 3600],
      [true, 86_400],
    ]);
  });

  it('have no reason for a task whose worker died', async () => {
    const { url } = await freshStore();
    await (await groupAtWork(url)).work('a wrong clock');
    const timeout = `'{ "value": { "message": "job heartbeat timeout" } }'`;
    await onDatabase(url, `UPDATE pacekeeper_queue.job SET source_output = ${timeout} WHERE source_id IS NOT NULL`);
    expect((await standingOf(url))?.failed).toEqual([LOST]);
  });

  it('are not live if they are silent, and gone after an hour or after their end', async () => {
    const { url } = await freshStore();
    const { worker } = await groupAtWork(url);
    const silentFor = (time: string) =>
      onDatabase(
        url,
        `UPDATE pacekeeper_queue.instance SET stopped_on = NULL, heartbeat_on = now() - interval '${time}'`,
      );
    await worker.close();
    expect(await standingOf(url)).toMatchObject({ workers: [] });
    await silentFor('1 second');
    expect(await standingOf(url)).toMatchObject({ workers: [{ isLive: true }] });
    await silentFor('1 minute');
    expect(await standingOf(url)).toMatchObject({ workers: [{ isLive: false }] });
    await silentFor('61 minutes');
    expect(await standingOf(url)).toMatchObject({ workers: [] });
  });
});
