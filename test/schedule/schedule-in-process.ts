import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CommonOptions } from '../../src/commands/cli/common-options.ts';
import type { ProcessBeside } from '../../src/commands/cli/process.ts';
import { runSchedule } from '../../src/commands/schedule/run-schedule.ts';
import { runInProcess } from '../commands/run-in-process.ts';

export const MORNING = `schedule:
  - { name: morning, cron: "30 5 * * *", job: report }
`;

/** A job that the schedule has started as another command line of the program. */
export interface StartedJob {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>> | undefined;
  readonly signals: string[];
  end(exitCode: number | null): void;
}

export interface ScheduleRun {
  /** Resolves with the exit code. */
  readonly ended: Promise<number>;
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly jobs: readonly StartedJob[];
  /** Resolves when so many jobs were started. */
  started(count: number): Promise<void>;
  /** Resolves when stdout has a whole line. */
  ready(): Promise<void>;
  /** What SIGTERM does. */
  stop(): void;
}

export function writeConfig(folder: string, text: string): void {
  writeFileSync(join(folder, 'pacekeeper.yaml'), text);
}

/** `pacekeeper schedule` in this process; each job ends with what `exitCode` says, by itself if it is real, or when the test ends it. */
export function scheduleInProcess(
  folder: string,
  now: string,
  options: {
    readonly once?: boolean;
    readonly exitCode?: number;
    /** Jobs are real commands. */
    readonly isReal?: boolean;
    readonly env?: Readonly<Record<string, string>>;
    readonly paths?: CommonOptions;
  } = {},
): ScheduleRun {
  const text = { stdout: '', stderr: '' };
  const jobs: StartedJob[] = [];
  let lastCommand: Promise<unknown> = Promise.resolve();
  let onChange = (): void => undefined;
  let onStopped = (): void => undefined;
  const until = (isSo: () => boolean) =>
    new Promise<void>((done) => {
      onChange = () => isSo() && done();
      onChange();
    });
  const stream = (name: keyof typeof text) => ({
    write: (written: string) => {
      text[name] += written;
      onChange();
    },
  });
  const runBeside = (args: readonly string[], env?: Readonly<Record<string, string>>): ProcessBeside => {
    let end = (_: number | null): void => undefined;
    const ended = new Promise<number | null>((resolve) => {
      end = resolve;
    });
    const signals: string[] = [];
    jobs.push({ args, env, signals, end });
    if (options.exitCode !== undefined) end(options.exitCode);
    onChange();
    if (options.isReal) {
      // One at a time: a command that waits for the lock of a file stops the whole process, the lock's holder included.
      const command = lastCommand.then(() => runInProcess(args, { folder, env: { ...process.env, ...env } }));
      lastCommand = command;
      return { ended: command.then(({ code }) => code ?? null), stop: () => undefined };
    }
    return { ended, stop: (signal) => void signals.push(signal) };
  };
  const process = {
    folder,
    env: { PACEKEEPER_NOW: now, PACEKEEPER_LOG: 'text', ...options.env },
    userName: undefined,
    runBeside,
    readBeside: async () => ({ exitCode: null, text: '' }),
    output: { stdout: stream('stdout'), stderr: stream('stderr'), noColor: true },
    exit: () => undefined,
    onStop: (callback: () => void) => {
      onStopped = callback;
    },
  };
  const ended = runSchedule(process, { ...options.paths, ...(options.once && { once: true }) });
  return {
    ended,
    jobs,
    stdout: () => text.stdout,
    stderr: () => text.stderr,
    started: (count) => until(() => jobs.length >= count),
    ready: () => until(() => text.stdout.endsWith('\n')),
    stop: () => onStopped(),
  };
}
