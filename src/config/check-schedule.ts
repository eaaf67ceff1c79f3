import { cronProblem } from '../language/due-times.ts';
import type { Problem } from './given.ts';
import { isGroup } from './setting-tree.ts';
import type { ScheduledJob } from './settings.ts';

/** A job refuses other options, because other options would have no effect. */
const OPTIONS: Readonly<Record<ScheduledJob['job'], readonly string[]>> = {
  report: ['query', 'customer', 'dry_run', 'no_extract'],
  extract: ['query', 'customer', 'resume'],
  publish: ['to', 'dir'],
  deliver: [],
};

const ALL_OPTIONS: ReadonlySet<string> = new Set(Object.values(OPTIONS).flat());

export type ScheduleCheck = (written: unknown) => readonly Problem[];

/** Reads the unparsed schedule, so that all mistakes are reported together. */
export function scheduleProblems(written: unknown): Problem[] {
  if (!Array.isArray(written)) return [];
  const jobs = written.map((one): Record<string, unknown> => (isGroup(one) ? one : {}));
  return jobs.flatMap((job, index) => {
    const { name, cron } = job;
    const first = jobs.findIndex((other) => other.name === name);
    const taken = `is "${name}", but schedule[${first}] already has this name. Choose another name.`;
    const wrong = typeof cron === 'string' && cron.trim() !== '' ? cronProblem(cron) : undefined;
    return [
      ...(typeof name !== 'string' || first === index ? [] : [{ at: ['schedule', index, 'name'], says: taken }]),
      ...(wrong === undefined ? [] : [{ at: ['schedule', index, 'cron'], says: `${wrong}.` }]),
      ...optionProblems(job, index),
    ];
  });
}

function optionProblems({ job, options }: Record<string, unknown>, index: number): Problem[] {
  const known =
    typeof job === 'string' && Object.hasOwn(OPTIONS, job) ? OPTIONS[job as ScheduledJob['job']] : undefined;
  if (known === undefined || !isGroup(options)) return [];
  const at = ['schedule', index, 'options'];
  const foreign = Object.keys(options).filter((name) => ALL_OPTIONS.has(name) && !known.includes(name));
  const expected = known.length === 0 ? 'expected no options' : `expected ${known.join(', ')}`;
  const problems = foreign.map((name) => ({
    at: [...at, name],
    says: `is not an option of ${job}: ${expected}.`,
  }));
  if (job === 'publish' && (options.to === undefined) !== (options.dir === undefined)) {
    const words = 'sets only one of to and dir. Set both (a format and a folder), or remove both.';
    problems.push({ at, says: words });
  }
  return problems;
}
