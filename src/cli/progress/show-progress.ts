import type { Settings } from '../../config/settings.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Log } from '../../domain/log.ts';
import type { Progress } from '../../domain/progress.ts';
import { systemPauses } from '../../system-time.ts';
import { openLog } from '../open-log.ts';
import type { Output, OutputStream } from '../output.ts';
import type { Process } from '../process.ts';
import { renderLive, renderTotal } from './render-progress.ts';
import { watchReading } from './watch-reading.ts';

/** On a pipe a line at most this often, and none of a reading that is over before. */
const LINE_EVERY_MS = 5000;

/** On a terminal the live lines are drawn at most this often. */
const FRAME_EVERY_MS = 100;

const WIDTH_WITHOUT_TERMINAL = 80;

/** The log of a run, and what shows how far it is: live on a terminal, a line now and then elsewhere. */
export async function openProgress(
  settings: Settings,
  clock: Clock,
  { env, output }: Process,
): Promise<{ readonly log: Log; readonly progress: Progress }> {
  const { elapsedMs } = systemPauses;
  const isLive = output.stderr.isTTY === true && env.TERM !== 'dumb' && settings.log.format !== 'json';
  if (!isLive) {
    const log = await openLog(output, settings, clock);
    return { log, progress: progressLines(log, elapsedMs) };
  }
  const live = await liveProgress(output, elapsedMs);
  return { log: await openLog(live.output, settings, clock), progress: live.progress };
}

/** A line of all that is read, every few seconds; for whoever keeps what is written. */
export function progressLines(log: Log, elapsedMs: () => number): Progress {
  let lastMs: number | undefined;
  return watchReading(elapsedMs, {
    show(reading, nowMs) {
      if (nowMs - (lastMs ?? reading.startedMs) < LINE_EVERY_MS) return;
      lastMs = nowMs;
      log.info(renderTotal(reading, nowMs));
    },
    end: () => {
      lastMs = undefined;
    },
  });
}

export interface LiveProgress {
  readonly progress: Progress;
  /** The same output; what is written to its stderr stands above the live lines. */
  readonly output: Output;
}

/** Live lines at the end of a terminal, gone when reading is over. */
export async function liveProgress(output: Output, elapsedMs: () => number): Promise<LiveProgress> {
  const { createLogUpdate } = await import('log-update');
  const { stderr } = output;
  // It needs no more of a stream than ours has.
  const update = createLogUpdate(stderr as Parameters<typeof createLogUpdate>[0], { showCursor: true });
  let frame: string | undefined;
  let lastMs = Number.NEGATIVE_INFINITY;
  const progress = watchReading(elapsedMs, {
    show(reading, nowMs) {
      if (nowMs - lastMs < FRAME_EVERY_MS) return;
      lastMs = nowMs;
      frame = renderLive(reading, nowMs, (stderr.columns ?? WIDTH_WITHOUT_TERMINAL) - 1);
      update(frame);
    },
    end() {
      if (frame !== undefined) update.clear();
      frame = undefined;
    },
  });
  const above: OutputStream = {
    write(text) {
      if (frame !== undefined) update.clear();
      stderr.write(text);
      if (frame !== undefined) update(frame);
    },
    isTTY: stderr.isTTY,
    columns: stderr.columns,
  };
  return { progress, output: { ...output, stderr: above } };
}
