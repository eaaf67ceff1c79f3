import { readEnvironment } from '../../config/environment.ts';
import { readSettings } from '../../config/read-settings.ts';
import { type AdoptResult, adoptFolder } from '../../jobs/adopt-folder.ts';
import { count } from '../../report/text-layout.ts';
import { createClock, systemPauses } from '../../system-time.ts';
import { takeFolder } from '../../take-folder.ts';
import { tellSentences } from '../backup/run-backup.ts';
import type { CommonOptions } from '../common-options.ts';
import { openLog } from '../open-log.ts';
import { type PersonOptions, personOf, reasonOf } from '../person.ts';
import { EXIT } from '../print-error.ts';
import type { Process } from '../process.ts';
import { shownPath } from '../shown-path.ts';
import { tellBusy } from '../tell-busy.ts';
import type { WaitOptions } from '../wait-option.ts';

export interface AdoptCommandOptions extends CommonOptions, PersonOptions, WaitOptions {}

/** The adopt command. Answers with the exit code. */
export async function runAdopt(options: AdoptCommandOptions, process: Process): Promise<number> {
  const { folder, env, output } = process;
  const settings = await readSettings(folder, options, readEnvironment(folder, env));
  const person = { by: personOf(options, process), why: reasonOf(options) };
  const clock = createClock(settings.startAtMs);
  const log = await openLog(output, settings, clock);
  const deps = { clock, log, pauses: systemPauses, waitMs: options.wait };
  const lock = await takeFolder(settings, deps, 'pacekeeper adopt');
  if (lock.kind === 'held') return tellBusy(output, settings, lock.holder);
  try {
    const result = await adoptFolder(settings, clock, person);
    tellSentences(
      output,
      sentencesOf(result, (path) => shownPath(folder, path)),
    );
    return EXIT.done;
  } finally {
    lock.release();
  }
}

function sentencesOf(result: AdoptResult, shown: (path: string) => string): string[] {
  const { path, events, lastRun, frozenUntil, keptAs, published } = result;
  return [
    events === undefined
      ? `${shown(path)} begins anew: no published file says what was changed.`
      : `${shown(path)} has the record of warehouse.sqlite: ${count(events, 'event')} in one unbroken chain.`,
    ...(keptAs === undefined ? [] : [`The state file of before is kept as ${shown(keptAs)}.`]),
    ...(published === undefined ? [] : [`The published file of before is kept as ${shown(published)}.`]),
    `The next run has the number ${lastRun + 1n}.`,
    `No budget is changed until ${frozenUntil}: every day that is open now has ended then.`,
    'next step: Run pacekeeper extract, which reads the days again, and pacekeeper audit verify.',
  ];
}
