import { randomUUID } from 'node:crypto';
import type { ScheduledJob } from '../../config/settings.ts';
import { instantText } from '../../domain/civil-date.ts';
import type { Claim } from '../../engine/schedule/claim-due.ts';
import type { EndedTick } from '../../engine/schedule/daemon.ts';
import { type Beat, sendHeartbeat } from '../cli/heartbeat.ts';
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
