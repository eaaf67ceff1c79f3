import { randomUUID } from 'node:crypto';
import type { Settings } from '../../config/settings.ts';
import { ApiError } from '../../domain/errors.ts';
import type { Log } from '../../domain/ports.ts';
import { createHttpClient } from '../../services/http/http-client.ts';
import type { CommandApp } from './command.ts';
import { describeError, EXIT } from './print-error.ts';

export interface Beat {
  readonly event: 'start' | 'success' | 'fail';
  readonly job: string;
  readonly runKey: string;
  readonly facts: Readonly<Record<string, string | number | null>>;
}

const PATHS = { start: '/start', success: '', fail: '/fail' } as const;

/** In milliseconds. Whoever sends waits for the last heartbeats before it ends. */
const WAIT_MS = 4000;

/** Never throws. Never logs the address, because anyone with the address can send heartbeats. */
export async function sendHeartbeat(
  { heartbeat, ...network }: Pick<Settings, 'heartbeat' | 'proxy' | 'authorities'>,
  log: Pick<Log, 'warn'>,
  { event, job, runKey, facts }: Beat,
): Promise<void> {
  const address = heartbeat.url;
  if (address === undefined) return;
  const http = createHttpClient({ connectMs: WAIT_MS, headersMs: WAIT_MS, bodyIdleMs: WAIT_MS }, network);
  try {
    const answer = await http.send({
      method: 'POST',
      url: `${address.replace(/\{job\}|%7Bjob%7D/gi, job)}${PATHS[event]}?rid=${runKey}`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ job, event, ...facts }),
    });
    answer.discard();
    if (answer.status >= 200 && answer.status < 300) return;
    log.warn(`The heartbeat of ${job} was refused: the monitor answered HTTP ${answer.status}.`);
  } catch (error) {
    const reason = error instanceof ApiError ? error.status : 'invalid address';
    log.warn(`The heartbeat of ${job} did not reach the monitor: ${reason}.`);
  } finally {
    await http.close();
  }
}

/** For a job without a schedule. A stopped job sends no result, as in the schedule. */
export async function withHeartbeat(
  { settings, log, clock, stop }: Pick<CommandApp, 'settings' | 'log' | 'clock' | 'stop'>,
  job: string,
  work: () => Promise<number>,
): Promise<number> {
  const runKey = randomUUID();
  const startedMs = clock.now();
  const begun = sendHeartbeat(settings, log, { event: 'start', job, runKey, facts: {} });
  const end = async (exitCode: number): Promise<void> => {
    await begun;
    if (stop.aborted) return;
    const facts = { exit_code: exitCode, seconds: Math.round((clock.now() - startedMs) / 1000) };
    await sendHeartbeat(settings, log, { event: exitCode === EXIT.done ? 'success' : 'fail', job, runKey, facts });
  };
  try {
    const exitCode = await work();
    await end(exitCode);
    return exitCode;
  } catch (error) {
    await end(describeError(error).exitCode);
    throw error;
  }
}
