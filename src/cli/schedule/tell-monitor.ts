import { randomUUID } from 'node:crypto';
import type { ScheduledJob } from '../../config/settings.ts';
import { instantText } from '../../domain/civil-date.ts';
import { type Beat, sendHeartbeat } from '../../jobs/heartbeat.ts';
import type { Claim } from '../../schedule/claim-due.ts';
import type { EndedTick } from '../../schedule/left-behind.ts';
import type { WatchedSettings } from './watch-settings.ts';

/** Tells the monitor of the settings when a job begins and what became of it; nothing waits for it but the end. */
export interface Monitor {
  begun(claim: Claim<ScheduledJob>): void;
  /** One that was stopped is told nothing of: it is taken up again, and a monitor misses it if it is not. */
  ended(tick: EndedTick<ScheduledJob>): void;
  settled(): Promise<unknown>;
}

export function tellMonitor(watched: WatchedSettings): Monitor {
  const keys = new Map<number, string>();
  const underWay = new Map<string, Promise<void>>();
  const send = (beat: Beat): void => {
    const { runKey } = beat;
    // The end of a run never overtakes its beginning.
    const before = underWay.get(runKey) ?? Promise.resolve();
    const sent = before.then(() => sendHeartbeat(watched.settings, watched.log, beat));
    underWay.set(runKey, sent);
    void sent.then(() => {
      if (underWay.get(runKey) === sent) underWay.delete(runKey);
    });
  };
  return {
    begun({ tickId, job, dueMs }) {
      const runKey = randomUUID();
      keys.set(tickId, runKey);
      send({ event: 'start', job: job.name, runKey, facts: { due_at: instantText(dueMs) } });
    },
    ended({ claim, state, exitCode, run, startedMs, endedMs }) {
      const runKey = keys.get(claim.tickId) ?? randomUUID();
      keys.delete(claim.tickId);
      if (state === 'stopped') return;
      const facts = {
        ...{ due_at: instantText(claim.dueMs), exit_code: exitCode },
        ...{ seconds: Math.round((endedMs - startedMs) / 1000), run_id: run?.id ?? null, ...run?.counts },
      };
      send({ event: state === 'done' ? 'success' : 'fail', job: claim.job.name, runKey, facts });
    },
    settled: () => Promise.all(underWay.values()),
  };
}
