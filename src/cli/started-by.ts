import type { Settings } from '../config/settings.ts';
import type { Clock, Log } from '../domain/ports.ts';
import { createClock } from '../process-time.ts';
import { TICK_VARIABLE } from '../schedule/this-process.ts';
import { type Output, withInstants } from './output.ts';
import type { Process } from './process.ts';

type Started = Pick<Process, 'env' | 'output'>;

export function withStartersOutput<Whole extends Started>(process: Whole): Whole {
  if (!isOfSchedule(process) || process.env.PACEKEEPER_LOG === 'json') return process;
  return { ...process, output: withInstants(process.output, clockOf(process)) };
}

/** Logs the failures if nobody reads the output. */
export function tellFailures(
  process: Started,
  settings: Pick<Settings, 'log'>,
  log: Log,
  failures: readonly string[],
): void {
  if (!isOfSchedule(process) && (settings.log.format !== 'json' || isTerminal(process.output))) return;
  for (const failure of failures) log.warn(failure);
}

function isOfSchedule({ env }: Started): boolean {
  return env[TICK_VARIABLE] !== undefined;
}

function isTerminal({ stdout }: Output): boolean {
  return stdout.isTTY === true;
}

function clockOf({ env }: Started): Clock {
  const startAtMs = Date.parse(env.PACEKEEPER_NOW ?? '');
  return createClock(Number.isNaN(startAtMs) ? undefined : startAtMs);
}
