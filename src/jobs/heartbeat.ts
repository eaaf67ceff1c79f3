import type { Settings } from '../config/settings.ts';
import { ApiError } from '../domain/errors.ts';
import type { Log } from '../domain/log.ts';
import { createHttpClient } from '../http/http-client.ts';

/** What a monitor is told of a job. */
export interface Beat {
  readonly event: 'start' | 'success' | 'fail';
  readonly job: string;
  /** The same for the beginning and the end of one run. */
  readonly runKey: string;
  /** Sent as JSON. */
  readonly facts: Readonly<Record<string, string | number | null>>;
}

const PATHS = { start: '/start', success: '', fail: '/fail' } as const;

/** To connect, and as long again until the answer: one that is sent while the schedule ends does not hold it up for long. */
const WAIT_MS = 4000;

/**
 * Tells the monitor of the settings, if there is one. Never throws: that it was not told is a warning and nothing else. The
 * address stands in no log, because who has it can send a heartbeat.
 */
export async function sendHeartbeat(
  { heartbeat, proxy }: Pick<Settings, 'heartbeat' | 'proxy'>,
  log: Pick<Log, 'warn'>,
  { event, job, runKey, facts }: Beat,
): Promise<void> {
  const address = heartbeat.url;
  if (address === undefined) return;
  const http = createHttpClient({ connectMs: WAIT_MS, headersMs: WAIT_MS, bodyIdleMs: WAIT_MS }, proxy);
  try {
    const answer = await http.send({
      method: 'POST',
      // An address that was read once has its braces encoded.
      url: `${address.replace(/\{job\}|%7Bjob%7D/gi, job)}${PATHS[event]}?rid=${runKey}`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ job, event, ...facts }),
    });
    answer.discard();
    if (answer.status >= 200 && answer.status < 300) return;
    log.warn(`The heartbeat of ${job} was not taken: the monitor answered HTTP ${answer.status}.`);
  } catch (error) {
    const reason = error instanceof ApiError ? error.status : 'an address that cannot be asked';
    log.warn(`The heartbeat of ${job} did not reach the monitor: ${reason}.`);
  } finally {
    await http.close();
  }
}
