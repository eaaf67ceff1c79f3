import { withUnlockedState } from '../../app.ts';
import { readEnvironment } from '../../config/environment.ts';
import { readSettings } from '../../config/read-settings.ts';
import { type FreezeResult, freeze, unfreeze } from '../../jobs/freeze.ts';
import { toJson } from '../../report/to-json.ts';
import { createClock } from '../../system-time.ts';
import type { CommonOptions } from '../common-options.ts';
import { type PersonOptions, personOf, reasonOf } from '../person.ts';
import { EXIT } from '../print-error.ts';
import type { Process } from '../process.ts';

export interface FreezeCommandOptions extends CommonOptions, PersonOptions {
  readonly format: 'table' | 'json';
}

/** The freeze and unfreeze commands, which do not wait for a run that is on its way. Answers with the exit code. */
export async function runFreeze(
  command: 'freeze' | 'unfreeze',
  options: FreezeCommandOptions,
  process: Process,
): Promise<number> {
  const { folder, env, output } = process;
  const settings = await readSettings(folder, options, readEnvironment(folder, env));
  const statement = { by: personOf(options, process), why: reasonOf(options) ?? '' };
  const nowMs = createClock(settings.startAtMs).now();
  const result = await withUnlockedState(settings, (state) =>
    (command === 'freeze' ? freeze : unfreeze)(state, settings.paths.data, statement, nowMs),
  );
  output.stdout.write(options.format === 'json' ? `${json(result)}\n` : `${result.sentences.join('\n')}\n`);
  return EXIT.done;
}

function json({ frozen, recorded, file, sentences }: FreezeResult): string {
  return toJson({ frozen, recorded, file, sentences });
}
