import type { ScheduledJob } from '../../config/settings.ts';
import { instantText } from '../../domain/civil-date.ts';
import { nextDue } from '../../schedule/due-times.ts';

/** A job as the ready line shows it. */
export interface ShownJob {
  readonly name: string;
  readonly job: ScheduledJob['job'];
  readonly cron: string;
  readonly time_zone: string;
  /** The next due time, an instant; null for none. */
  readonly next: string | null;
}

export function showJobs(jobs: readonly ScheduledJob[], nowMs: number): ShownJob[] {
  return jobs.map(({ name, job, cron, timeZone, ...timing }) => {
    const nextMs = nextDue({ ...timing, cron, timeZone }, nowMs);
    return { name, job, cron, time_zone: timeZone, next: nextMs === undefined ? null : instantText(nextMs) };
  });
}

/** What is another than before, in the words of a log; undefined for nothing. */
export function describeChange(before: readonly ScheduledJob[], now: readonly ScheduledJob[]): string | undefined {
  const textOf = (job: ScheduledJob | undefined) => job && JSON.stringify(job);
  const find = (jobs: readonly ScheduledJob[], name: string) => jobs.find((job) => job.name === name);
  const words = (verb: string, jobs: readonly ScheduledJob[]) =>
    jobs.length === 0 ? [] : [`${verb} ${jobs.map(({ name }) => name).join(', ')}`];
  const changes = [
    ...words(
      'new:',
      now.filter(({ name }) => !find(before, name)),
    ),
    ...words(
      'changed:',
      now.filter((job) => find(before, job.name) && textOf(find(before, job.name)) !== textOf(job)),
    ),
    ...words(
      'gone:',
      before.filter(({ name }) => !find(now, name)),
    ),
  ];
  return changes.length === 0 ? undefined : changes.join('; ');
}
