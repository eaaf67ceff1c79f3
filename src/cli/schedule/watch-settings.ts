import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readEnvironment } from '../../config/environment.ts';
import { configPath, readSettings } from '../../config/read-settings.ts';
import type { Settings } from '../../config/settings.ts';
import type { Clock } from '../../domain/clock.ts';
import { InputError } from '../../domain/errors.ts';
import type { Log } from '../../domain/log.ts';
import type { CommonOptions } from '../common-options.ts';
import { openLog } from '../open-log.ts';
import { withInstants } from '../output.ts';
import { describeError } from '../print-error.ts';
import type { Process } from '../process.ts';
import { describeChange } from './describe-schedule.ts';

/** The settings as the files say now, as long as what they say can be used. */
export interface WatchedSettings {
  readonly settings: Settings;
  readonly log: Log;
  readonly logFormat: 'text' | 'json';
  /** Reads the files anew if one of them has another text than before. Never throws: what is wrong is told once. */
  look(): Promise<void>;
}

/** Throws as `readSettings` does, and `InputError` for settings without a schedule. */
export async function watchSettings(
  options: CommonOptions,
  { folder, env, output }: Pick<Process, 'folder' | 'env' | 'output'>,
  clockOf: (settings: Settings) => Clock,
): Promise<WatchedSettings & { readonly clock: Clock }> {
  const read = () => readSettings(folder, options, readEnvironment(folder, env));
  const files = () => [configPath(folder, options), join(folder, '.env')].map(textOf);
  let seen = files();
  let settings = await read();
  if (settings.schedule.length === 0) throw withoutSchedule(settings);
  const clock = clockOf(settings);
  const secrets = new Set<string>();
  const open = async (): Promise<{ log: Log; logFormat: 'text' | 'json' }> => {
    // Where lines are kept by a program they are read by one, too.
    const logFormat = settings.log.format ?? (output.stderr.isTTY ? 'text' : 'json');
    // What was a secret once is none of a log's business later on either.
    for (const secret of settings.secrets) secrets.add(secret);
    const to = logFormat === 'json' ? output : withInstants(output, clock);
    return { logFormat, log: await openLog(to, { log: { format: logFormat }, secrets: [...secrets] }, clock) };
  };
  let opened = await open();
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
          opened.log.warn('The settings have no schedule any more: the one of before stays until they have one again.');
          return;
        }
        const change = describeChange(settings.schedule, next.schedule);
        // The time that was given to begin with runs on.
        settings = { ...next, startAtMs: settings.startAtMs };
        opened = await open();
        opened.log.info(
          change === undefined
            ? 'The settings were read anew; the schedule is as before.'
            : `The settings were read anew, ${change}.`,
        );
      } catch (error) {
        const stays = 'The schedule stays as it was; a job that begins meanwhile reads them too, and fails.';
        opened.log.warn(`The settings were changed and cannot be used. ${stays}\n${describeError(error).text}`);
      }
    },
  };
}

/** Undefined for a file that is not there, or cannot be read. */
function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function withoutSchedule({ paths }: Settings): InputError {
  return new InputError(`${paths.config} has no schedule, so nothing would ever be due.`, {
    nextStep: `Add one, for example a report every morning:\n\n${EXAMPLE}`,
  });
}

const EXAMPLE = `schedule:
  - name: morning-report
    cron: "30 5 * * *"
    time_zone: Europe/Berlin
    job: report`;
