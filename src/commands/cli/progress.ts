import type { Settings } from '../../config/settings.ts';
import type { Clock, Log, Progress } from '../../domain/ports.ts';
import { systemPauses } from '../../engine/process-time.ts';
import { count, cutLine } from '../../views/text/text-layout.ts';
import { openLog } from './open-log.ts';
import type { Output, OutputStream } from './output.ts';
import type { Process } from './process.ts';

interface Reading {
  readonly startedMs: number;
  readonly accounts: number;
  accountsEnded: number;
  slices: number;
  slicesEnded: number;
  rows: number;
}

function watchReading(
  elapsedMs: () => number,
  shown: { show(reading: Reading, nowMs: number): void; end(reading: Reading, nowMs: number): void },
): Progress {
  let reading: Reading | undefined;
  const change = (apply: (reading: Reading) => void) => {
    if (reading === undefined) return;
    apply(reading);
    shown.show(reading, elapsedMs());
  };
  return {
    begin(total) {
      const startedMs = elapsedMs();
      reading = { ...total, accountsEnded: 0, slicesEnded: 0, rows: 0, startedMs };
      shown.show(reading, startedMs);
    },
    rows: (rows) =>
      change((all) => {
        all.rows += rows;
      }),
    slices: (ended) =>
      change((all) => {
        if (ended >= 0) all.slicesEnded += ended;
        else all.slices -= ended;
      }),
    accountEnds: () =>
      change((all) => {
        all.accountsEnded += 1;
      }),
    end() {
      if (reading !== undefined) shown.end(reading, elapsedMs());
      reading = undefined;
    },
  };
}

function renderTotal(reading: Reading, nowMs: number): string {
  const { slices, slicesEnded, rows, startedMs } = reading;
  const elapsedMs = nowMs - startedMs;
  const leftMs = slicesEnded === 0 ? 0 : (slices - slicesEnded) * (elapsedMs / slicesEnded);
  const perSecond = elapsedMs <= 0 ? 0 : Math.round((rows * 1000) / elapsedMs);
  return [
    `Reading: ${endedText(reading)}`,
    ...(leftMs > 0 ? [`about ${durationText(leftMs)} left`] : []),
    count(rows, 'row'),
    `${perSecond.toLocaleString('en-US')} rows/s`,
  ].join(', ');
}

function endedText({ accounts, accountsEnded, slices, slicesEnded }: Reading): string {
  const of = (ended: number, all: string) => `${ended.toLocaleString('en-US')} of ${all}`;
  return `${of(accountsEnded, count(accounts, 'account'))}, ${of(slicesEnded, count(slices, 'slice'))}`;
}

function durationText(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.ceil(minutes / 60)} h`;
}

const LINE_EVERY_MS = 5000;

const FRAME_EVERY_MS = 100;

const WIDTH_WITHOUT_TERMINAL = 80;

export async function openProgress(
  settings: Settings,
  clock: Clock,
  { env, output }: Process,
  isFull: boolean,
): Promise<{ readonly log: Log; readonly progress: Progress }> {
  const { elapsedMs } = systemPauses;
  const isLive = output.stderr.isTTY === true && env.TERM !== 'dumb' && settings.log.format !== 'json';
  if (!isLive) {
    const log = await openLog(output, settings, clock, isFull);
    return { log, progress: progressLines(log, elapsedMs) };
  }
  const live = await liveProgress(output, elapsedMs);
  return { log: await openLog(live.output, settings, clock, isFull), progress: live.progress };
}

/** A full log gets lines while it reads, and every log one at the end. */
export function progressLines(log: Log, elapsedMs: () => number): Progress {
  let lastMs: number | undefined;
  return watchReading(elapsedMs, {
    show(reading, nowMs) {
      if (nowMs - (lastMs ?? reading.startedMs) < LINE_EVERY_MS) return;
      lastMs = nowMs;
      log.step(renderTotal(reading, nowMs));
    },
    end(reading, nowMs) {
      lastMs = undefined;
      const time = durationText(nowMs - reading.startedMs);
      if (reading.slices > 0) log.info(`Read: ${endedText(reading)}, ${count(reading.rows, 'row')} in ${time}`);
    },
  });
}

/** Text written to `output` appears above the live line. */
export async function liveProgress(
  output: Output,
  elapsedMs: () => number,
): Promise<{ readonly progress: Progress; readonly output: Output }> {
  const { createLogUpdate } = await import('log-update');
  const { stderr } = output;
  // Safe, because log-update uses only members that our stream has.
  const update = createLogUpdate(stderr as Parameters<typeof createLogUpdate>[0], { showCursor: true });
  let frame: string | undefined;
  let lastMs = Number.NEGATIVE_INFINITY;
  const progress = watchReading(elapsedMs, {
    show(reading, nowMs) {
      if (nowMs - lastMs < FRAME_EVERY_MS) return;
      lastMs = nowMs;
      frame = cutLine(renderTotal(reading, nowMs), (stderr.columns ?? WIDTH_WITHOUT_TERMINAL) - 1, '');
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
