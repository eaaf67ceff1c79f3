import { randomUUID } from 'node:crypto';
import type { ScheduledJob, Settings } from '../../config/settings.ts';
import { instantText } from '../../domain/civil-date.ts';
import { ApiError } from '../../domain/errors.ts';
import type { Log } from '../../domain/ports.ts';
import type { Claim } from '../../engine/schedule/claim-due.ts';
import type { EndedTick } from '../../engine/schedule/daemon.ts';
import { createHttpClient } from '../../services/http/http-client.ts';
import type { WatchedSettings } from './watch-settings.ts';

export function tellMonitor(watched: WatchedSettings) {
  const keys = new Map<number, string>();
  const underWay = new Map<string, Promise<void>>();
  const send = (beat: Beat): void => {
    const { runKey } = beat;
    // The end of a run must not be reported before its beginning.
    const before = underWay.get(runKey) ?? Promise.resolve();
    const sent = before.then(() => sendHeartbeat(watched.settings, watched.log, beat));
    underWay.set(runKey, sent);
    void sent.then(() => {
      if (underWay.get(runKey) === sent) underWay.delete(runKey);
    });
  };
  return {
    begun({ tickId, job, dueMs }: Claim<ScheduledJob>): void {
      const runKey = randomUUID();
      keys.set(tickId, runKey);
      send({ event: 'start', job: job.name, runKey, facts: { due_at: instantText(dueMs) } });
    },
    /** A stopped job resumes later, so nothing is sent. */
    ended({ claim, state, exitCode, run, startedMs, endedMs }: EndedTick<ScheduledJob>): void {
      const runKey = keys.get(claim.tickId) ?? randomUUID();
      keys.delete(claim.tickId);
      if (state === 'stopped') return;
      const facts = {
        due_at: instantText(claim.dueMs),
        exit_code: exitCode,
        seconds: Math.round((endedMs - startedMs) / 1000),
        run_id: run?.id ?? null,
        ...run?.counts,
      };
      send({ event: state === 'done' ? 'success' : 'fail', job: claim.job.name, runKey, facts });
    },
    settled: () => Promise.all(underWay.values()),
  };
}

interface Beat {
  readonly event: 'start' | 'success' | 'fail';
  readonly job: string;
  readonly runKey: string;
  readonly facts: Readonly<Record<string, string | number | null>>;
}

const PATHS = { start: '/start', success: '', fail: '/fail' } as const;

/** In milliseconds. The schedule waits for the last heartbeats before it ends. */
const WAIT_MS = 4000;

/** Never throws. Never logs the address, because anyone with the address can send heartbeats. */
async function sendHeartbeat(
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
