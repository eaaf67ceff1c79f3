import stringWidth from 'string-width';
import type { Settings } from '../../config/settings.ts';
import { graphemesOf } from '../../domain/outside-text.ts';
import type { Clock, Log, Progress } from '../../domain/ports.ts';
import { systemPauses } from '../../engine/process-time.ts';
import { count, oneLine } from '../../views/text/text-layout.ts';
import { openLog } from './open-log.ts';
import type { Output, OutputStream } from './output.ts';
import type { Process } from './process.ts';

/** Times are in milliseconds. */
interface Reading {
  readonly startedMs: number;
  readonly accounts: number;
  accountsEnded: number;
  readonly slices: number;
  slicesEnded: number;
  /** The number of slices that were cut in two. */
  slicesAdded: number;
  rows: number;
  readonly open: Map<string, AccountReading>;
}

interface AccountReading {
  readonly name: string | undefined;
  readonly startedMs: number;
  slices: number;
  slicesEnded: number;
  rows: number;
  query: string | undefined;
}

/** In milliseconds. Undefined until the first slice ends. */
function leftMs({ startedMs, slices, slicesAdded, slicesEnded }: Reading, nowMs: number): number | undefined {
  const left = slices + slicesAdded - slicesEnded;
  if (slicesEnded === 0) return undefined;
  return Math.max(0, left) * ((nowMs - startedMs) / slicesEnded);
}

function watchReading(
  elapsedMs: () => number,
  shown: { show(reading: Reading, nowMs: number): void; end(): void },
): Progress {
  let reading: Reading | undefined;
  const change = (apply: (reading: Reading) => void) => {
    if (reading === undefined) return;
    apply(reading);
    shown.show(reading, elapsedMs());
  };
  return {
    begin({ accounts, slices }) {
      const startedMs = elapsedMs();
      const none = { accountsEnded: 0, slicesEnded: 0, slicesAdded: 0, rows: 0 };
      reading = { ...none, startedMs, accounts, slices, open: new Map() };
      shown.show(reading, startedMs);
    },
    account: (customerId, name, slices) =>
      change(({ open }) => {
        open.set(customerId, { name, startedMs: elapsedMs(), slices, slicesEnded: 0, rows: 0, query: undefined });
      }),
    rows: (customerId, query, rows) =>
      change((all) => {
        all.rows += rows;
        const account = all.open.get(customerId);
        if (account === undefined) return;
        account.rows += rows;
        account.query = query;
      }),
    slices: (customerId, ended) =>
      change((all) => {
        const account = all.open.get(customerId);
        if (ended >= 0) all.slicesEnded += ended;
        else all.slicesAdded -= ended;
        if (account === undefined) return;
        if (ended >= 0) account.slicesEnded += ended;
        else account.slices -= ended;
      }),
    accountEnds: (customerId) =>
      change((all) => {
        all.open.delete(customerId);
        all.accountsEnded += 1;
      }),
    end() {
      if (reading !== undefined) shown.end();
      reading = undefined;
    },
  };
}

const ACCOUNTS_SHOWN = 12;

function renderLive(reading: Reading, nowMs: number, width: number): string {
  const open = [...reading.open];
  const lines = open.slice(0, ACCOUNTS_SHOWN).map(([id, account]) => accountLine(id, account, nowMs, width));
  if (open.length > ACCOUNTS_SHOWN)
    lines.push(cutTo(`  and ${count(open.length - ACCOUNTS_SHOWN, 'account')} more`, width));
  return [...lines, cutTo(renderTotal(reading, nowMs), width)].join('\n');
}

function renderTotal(reading: Reading, nowMs: number): string {
  const { accounts, accountsEnded, slices, slicesAdded, slicesEnded, rows, startedMs } = reading;
  const left = leftMs(reading, nowMs);
  return [
    `Reading: ${accountsEnded.toLocaleString('en-US')} of ${count(accounts, 'account')}`,
    `${slicesEnded.toLocaleString('en-US')} of ${count(slices + slicesAdded, 'slice')}`,
    ...(left === undefined || left === 0 ? [] : [`about ${durationText(left)} left`]),
    count(rows, 'row'),
    rateOf(rows, nowMs - startedMs),
  ].join(', ');
}

/** The least important figure is last, because a narrow terminal cuts the end of the line. */
function accountLine(id: string, account: AccountReading, nowMs: number, width: number): string {
  const { name, query, rows, slices, slicesEnded, startedMs } = account;
  const figures = [
    `${slicesEnded} of ${count(slices, 'slice')}`,
    count(rows, 'row'),
    rateOf(rows, nowMs - startedMs),
    ...(query === undefined ? [] : [query]),
  ].join(', ');
  const plain = name === undefined ? id : oneLine(name);
  const label = name === undefined ? id : `${plain} (${id})`;
  const room = width - stringWidth(figures) - 4;
  const shown = stringWidth(label) <= room ? label : room > id.length ? cutTo(plain, room) : id;
  return cutTo(`  ${shown}: ${figures}`, width);
}

function rateOf(rows: number, elapsedMs: number): string {
  const perSecond = elapsedMs <= 0 ? 0 : Math.round((rows * 1000) / elapsedMs);
  return `${perSecond.toLocaleString('en-US')} rows/s`;
}

function durationText(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.ceil(minutes / 60)} h`;
}

/** `width` is in terminal columns. */
function cutTo(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let kept = '';
  for (const grapheme of graphemesOf(text)) {
    if (stringWidth(kept + grapheme) > width - 1) break;
    kept += grapheme;
  }
  return `${kept}…`;
}

const LINE_EVERY_MS = 5000;

const FRAME_EVERY_MS = 100;

const WIDTH_WITHOUT_TERMINAL = 80;

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
  /** Text written here appears above the live lines. */
  readonly output: Output;
}

export async function liveProgress(output: Output, elapsedMs: () => number): Promise<LiveProgress> {
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
