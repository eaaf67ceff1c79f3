import { hostname } from 'node:os';
import { watchFreeze } from '../../app.ts';
import { SHARED_CLOCK_OFF_MAX_MS } from '../../domain/clock-difference.ts';
import { InputError } from '../../domain/errors.ts';
import type { Log } from '../../domain/ports.ts';
import { type Cluster, engineOf } from '../../engine/folder/engine.ts';
import { systemPauses } from '../../engine/process-time.ts';
import { openTaskQueue } from '../../engine/queue/task-queue.ts';
import { workerGroup } from '../../engine/queue/worker-group.ts';
import { chooseInputs } from '../cli/choose-inputs.ts';
import type { CommandApp } from '../cli/command.ts';
import { EXIT } from '../cli/print-error.ts';
import { serveRuns } from './serve-runs.ts';
import type { WorkerOptions } from './worker-command.ts';

/** After a stop. Then a silent database or a long task keeps the worker no longer. */
const ENDS_WITHIN_MS = 25_000;

export async function runWorker(app: CommandApp, options: WorkerOptions): Promise<void> {
  const ended = new AbortController();
  if (app.stop.aborted) void endInTime(app, ended.signal);
  else app.stop.addEventListener('abort', () => void endInTime(app, ended.signal));
  const endWatch = watchFreeze(app.settings, app);
  try {
    await serve(app, options);
  } finally {
    await endWatch();
    ended.abort();
  }
}

async function endInTime({ pauses, log, endNow }: CommandApp, ended: AbortSignal): Promise<void> {
  await pauses.pause(ENDS_WITHIN_MS, ended);
  if (ended.aborted) return;
  log.warn('This worker does not return all tasks, because that takes too long. Others take them over.');
  endNow?.(EXIT.done);
}

async function serve(app: CommandApp, options: WorkerOptions): Promise<void> {
  const { settings, clock, log, stop, output } = app;
  const engine = await engineOf(settings);
  const { cluster } = engine;
  if (cluster === undefined) {
    throw new InputError('A worker shares records with other machines, so it needs a database.', {
      nextStep: 'Set store.url or PACEKEEPER_STORE_URL (docs/scale-out.md).',
    });
  }
  const width = options.concurrency ?? settings.extract.concurrency;
  const inputs = await chooseInputs(app, {});
  await engine.upgrade({ clock, log, stop });
  await cluster.prepareTaskQueue();
  let isWrong = await hasWrongClock(cluster, log);
  for (let isReady = false; !isReady || !stop.aborted; isReady = true) {
    // A worker with a wrong clock has a group of its own. So it gets no tasks, and runs count it among the others.
    const group = workerGroup(settings, inputs.findings, isWrong);
    const queue = await openTaskQueue(cluster.url, group, true, log);
    const turned = new AbortController();
    const until = AbortSignal.any([stop, turned.signal]);
    const watch = async () => {
      for (const was = isWrong; was === isWrong && !until.aborted; await systemPauses.pause(CLOCK_LOOK_MS, until)) {
        isWrong = await hasWrongClock(cluster, log, was).catch(() => was);
      }
      turned.abort();
    };
    try {
      const ready = { worker: `${process.pid}@${hostname()}`, group, concurrency: width };
      if (!isReady) output.stdout.write(`${JSON.stringify(ready)}\n`);
      await Promise.all([watch(), serveRuns({ settings, deps: { clock, log, stop: until }, inputs, queue, width })]);
    } finally {
      turned.abort();
      await queue.close();
    }
  }
}

const CLOCK_LOOK_MS = 10_000;

async function hasWrongClock(cluster: Cluster, log: Log, was = false): Promise<boolean> {
  const aheadMs = await cluster.aheadMs();
  const isWrong = Math.abs(aheadMs) > SHARED_CLOCK_OFF_MAX_MS;
  const span = `${Math.round(Math.abs(aheadMs) / 1000)} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the database's clock`;
  if (isWrong && !was) log.warn(`This worker takes no tasks: its clock is ${span}. Set the wrong one (NTP).`);
  if (was && !isWrong) log.info('The clock is right again, so this worker takes tasks.');
  return isWrong;
}
