import { cronProblem } from '../schedule/check-cron.ts';
import type { SettingsFile } from './settings-schema.ts';

type Job = SettingsFile['schedule'][number];
type Option = keyof Job['options'];

/** The options of each job; what it does not know would be lost silently. */
const OPTIONS: { readonly [Kind in Job['job']]: readonly Option[] } = {
  report: ['query', 'customer', 'dry_run', 'no_extract'],
  extract: ['query', 'customer', 'resume'],
  publish: ['to', 'dir'],
  deliver: [],
};

const ALL_OPTIONS: ReadonlySet<string> = new Set(Object.values(OPTIONS).flat());

/** A mistake of the schedule that no schema sees. */
export interface ScheduleProblem {
  readonly path: readonly (string | number)[];
  /** A sentence that names the place. */
  readonly message: string;
}

/**
 * What is wrong with the jobs of the schedule beside what the schema says of them. Takes the file's schedule as it is written,
 * whatever it is: it is told together with the file's other mistakes.
 */
export function scheduleProblems(written: unknown): ScheduleProblem[] {
  if (!Array.isArray(written)) return [];
  const jobs = written.map((one): Record<string, unknown> => (isGroup(one) ? one : {}));
  return jobs.flatMap((job, index) => {
    const { name, cron } = job;
    const at = `schedule[${index}]`;
    const first = jobs.findIndex((other) => other.name === name);
    const taken = `${at}.name is "${name}", which schedule[${first}] is called: choose another.`;
    const wrong = typeof cron === 'string' && cron.trim() !== '' ? cronProblem(cron) : undefined;
    return [
      ...(typeof name !== 'string' || first === index ? [] : [{ path: ['schedule', index, 'name'], message: taken }]),
      ...(wrong === undefined ? [] : [{ path: ['schedule', index, 'cron'], message: `${at}.cron ${wrong}.` }]),
      ...optionProblems(job, index),
    ];
  });
}

function optionProblems({ job, options }: Record<string, unknown>, index: number): ScheduleProblem[] {
  const known = typeof job === 'string' && job in OPTIONS ? OPTIONS[job as Job['job']] : undefined;
  if (known === undefined || !isGroup(options)) return [];
  const at = `schedule[${index}]`;
  const path = ['schedule', index, 'options'];
  const foreign = Object.keys(options).filter((name) => ALL_OPTIONS.has(name) && !known.includes(name as Option));
  const expected = known.length === 0 ? 'it takes none' : `it takes ${known.join(', ')}`;
  const problems = foreign.map((name) => ({
    path: [...path, name],
    message: `${at}.options.${name} is no option of ${job}: ${expected}.`,
  }));
  if (job === 'publish' && (options.to === undefined) !== (options.dir === undefined)) {
    const words = 'has one of to and dir, expected both or none: a format and the folder for the files.';
    problems.push({ path, message: `${at}.options ${words}` });
  }
  return problems;
}

function isGroup(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
