import { minuteText } from '../../domain/civil-date.ts';
import type { FailedTask, TaskState, WorkersStanding } from '../../domain/workers.ts';
import { count } from './text-layout.ts';

const SHOWN_MAX = 3;

export function workerLines(standing: WorkersStanding): string[] {
  const { failed } = standing;
  const line = `Workers: ${liveWorkers(standing)} live, ${count(countTasks(standing, 'waiting'), 'task')} waiting, ${countTasks(standing, 'in_work')} in work`;
  if (failed.length === 0) return [line];
  return [
    `${line}, ${countTasks(standing, 'failed')} failed in the last day`,
    ...failed.slice(0, SHOWN_MAX).map(failedLine),
    'A run does its failed tasks itself. If it died, run pacekeeper report, or extract --resume.',
  ];
}

export function liveWorkers({ workers }: WorkersStanding): number {
  return workers.filter(({ isLive }) => isLive).length;
}

export function countTasks({ tasks }: WorkersStanding, wanted: TaskState): number {
  return tasks.filter(({ state }) => state === wanted).reduce((sum, one) => sum + one.count, 0);
}

function failedLine({ kind, customerId, failedAt, worker, reason = 'its worker died or hung' }: FailedTask): string {
  const where = worker === undefined ? '' : ` on ${worker}`;
  return `Failed: ${kind} account ${customerId}${where}, ${minuteText(failedAt)}: ${reason}`;
}
