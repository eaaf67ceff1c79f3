import { hostname } from 'node:os';
import { chooseInputs } from '../../cli/choose-inputs.ts';
import type { CommandApp } from '../../cli/command.ts';
import { EXIT } from '../../cli/print-error.ts';
import { InputError } from '../../domain/errors.ts';
import { engineOf } from '../../folder/engine.ts';
import { openTaskQueue } from '../../queue/task-queue.ts';
import { workerGroup } from '../../queue/worker-group.ts';
import { serveRuns } from './serve-runs.ts';
import type { WorkerOptions } from './worker-command.ts';

/** After a stop. Then a silent database or a long task keeps the worker no longer. */
const ENDS_WITHIN_MS = 25_000;

export async function runWorker(app: CommandApp, options: WorkerOptions): Promise<void> {
  const ended = new AbortController();
  if (app.stop.aborted) void endInTime(app, ended.signal);
  else app.stop.addEventListener('abort', () => void endInTime(app, ended.signal));
  try {
    await serve(app, options);
  } finally {
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
  const group = workerGroup(settings);
  await engine.upgrade({ clock, log, stop });
  await cluster.prepareTaskQueue();
  const queue = await openTaskQueue(cluster.url, group, true, log);
  try {
    output.stdout.write(`${JSON.stringify({ worker: `${process.pid}@${hostname()}`, group, concurrency: width })}\n`);
    await serveRuns({ settings, deps: { clock, log, stop }, inputs, queue, width });
  } finally {
    await queue.close();
  }
}
