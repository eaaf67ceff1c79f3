import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { configPath, settingsFolder } from '../../config/folders.ts';
import { readSettings } from '../../config/read-settings.ts';
import { readEnvironment } from '../../config/setting-tree.ts';
import type { ScheduledJob, Settings } from '../../config/settings.ts';
import { instantText } from '../../domain/civil-date.ts';
import { InputError } from '../../domain/errors.ts';
import type { Clock, Log } from '../../domain/ports.ts';
import { nextDue } from '../../language/due-times.ts';
import type { CommonOptions } from '../cli/common-options.ts';
import { openLog } from '../cli/open-log.ts';
import { withInstants } from '../cli/output.ts';
import { describeError } from '../cli/print-error.ts';
import type { Process } from '../cli/process.ts';

export interface WatchedSettings {
  readonly settings: Settings;
  readonly log: Log;
  readonly logFormat: 'text' | 'json';
  /** Never throws. */
  look(): Promise<void>;
}

/** Throws the errors of `readSettings`, and `InputError` for settings without a schedule. */
export async function watchSettings(
  options: CommonOptions,
  { folder, env, output }: Pick<Process, 'folder' | 'env' | 'output'>,
  clockOf: (settings: Settings) => Clock,
): Promise<WatchedSettings & { readonly clock: Clock }> {
  const read = () => readSettings(folder, options, readEnvironment(settingsFolder(folder, options), env));
  const files = () => [configPath(folder, options), join(settingsFolder(folder, options), '.env')].map(textOf);
  let seen = files();
  let settings = await read();
  if (settings.schedule.length === 0) throw withoutSchedule(settings);
  const clock = clockOf(settings);
  const secrets = new Set<string>();
  const open = async (): Promise<{ log: Log; logFormat: 'text' | 'json' }> => {
    // If stderr is not a terminal, a program reads the log, so the log is JSON.
    const logFormat = settings.log.format ?? (output.stderr.isTTY ? 'text' : 'json');
    // The log must not show secrets of earlier settings either.
    for (const secret of settings.secrets) secrets.add(secret);
    const to = logFormat === 'json' ? output : withInstants(output, clock);
    return {
      logFormat,
      log: await openLog(to, { log: { ...settings.log, format: logFormat }, secrets: [...secrets] }, clock),
    };
  };
  let opened = await open();
  for (const { found, nextStep } of settings.folderNotes) opened.log.warn(`${found} ${nextStep}`);
  return {
    clock,
    get settings() {
      return settings;
    },
    get log() {
      return opened.log;
    },
    get logFormat() {
      return opened.logFormat;
    },
    async look() {
      const found = files();
      if (found.every((text, index) => text === seen[index])) return;
      seen = found;
      try {
        const next = await read();
        if (next.schedule.length === 0) {
          opened.log.warn('The settings have no schedule now. The previous schedule stays active until you add one.');
          return;
        }
        // Changed settings do not change the start time of the clock.
        settings = { ...next, startAtMs: settings.startAtMs };
        opened = await open();
        const names = next.schedule.map(({ name }) => name).join(', ');
        opened.log.info(`The settings were read again. Jobs: ${names}.`);
      } catch (error) {
        const stays = 'The schedule is unchanged. Jobs that start now read the invalid settings and fail.';
        opened.log.warn(`The changed settings are invalid. ${stays}\n${describeError(error).text}`);
      }
    },
  };
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function withoutSchedule({ paths }: Settings): InputError {
  return new InputError(`No schedule in ${paths.config}, so no job is ever due.`, {
    nextStep: `Add one, for example a report every morning:\n\n${EXAMPLE}`,
  });
}

const EXAMPLE = `schedule:
  - name: morning-report
    cron: "30 5 * * *"
    time_zone: Europe/Berlin
    job: report`;

export function showJobs(jobs: readonly ScheduledJob[], nowMs: number) {
  return jobs.map((planned) => {
    const { name, job, cron, timeZone } = planned;
    const nextMs = nextDue(planned, nowMs);
    return { name, job, cron, time_zone: timeZone, next: nextMs === undefined ? null : instantText(nextMs) };
  });
}
