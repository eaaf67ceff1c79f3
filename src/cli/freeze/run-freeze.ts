import { withUnlockedState } from '../../app.ts';
import { readEnvironment } from '../../config/environment.ts';
import { readSettings } from '../../config/read-settings.ts';
import type { Settings } from '../../config/settings.ts';
import type { InputError } from '../../domain/errors.ts';
import { forgottenPast } from '../../forgotten-past.ts';
import { type FreezeResult, type FreezeStatement, freeze, unfreeze } from '../../jobs/freeze.ts';
import { toJson } from '../../report/to-json.ts';
import { isBusy } from '../../store/unusable-database.ts';
import { createClock } from '../../system-time.ts';
import type { CommonOptions } from '../common-options.ts';
import { type Ask, terminalAsk } from '../init/ask.ts';
import { type PersonOptions, personOf, reasonOf } from '../person.ts';
import { EXIT } from '../print-error.ts';
import type { Process } from '../process.ts';

export interface FreezeCommandOptions extends CommonOptions, PersonOptions {
  readonly format: 'table' | 'json';
}

const NO_REASON = 'no reason given';

/**
 * The freeze and unfreeze commands, which do not wait for a run that is on its way. Who freezes on a terminal without a reason
 * is asked for it by `makeAsk` when all is frozen. Answers with the exit code.
 */
export async function runFreeze(
  command: 'freeze' | 'unfreeze',
  options: FreezeCommandOptions,
  process: Process,
  makeAsk: () => Promise<Pick<Ask, 'text'>> = terminalAsk,
): Promise<number> {
  const { folder, env, output } = process;
  const settings = await readSettings(folder, options, readEnvironment(folder, env));
  const statement = { by: personOf(options, process), why: reasonOf(options) ?? NO_REASON };
  const nowMs = createClock(settings.startAtMs).now();
  const result = await change(command, settings, statement, nowMs);
  output.stdout.write(options.format === 'json' ? `${json(result)}\n` : `${result.sentences.join('\n')}\n`);
  if (options.why !== undefined || options.format === 'json' || !process.interactive) return EXIT.done;
  const why = await askReason(await makeAsk());
  if (why !== undefined) await change(command, settings, { ...statement, why }, nowMs);
  return EXIT.done;
}

/** Undefined where nobody answers: it is frozen all the same. */
async function askReason(ask: Pick<Ask, 'text'>): Promise<string | undefined> {
  try {
    const why = await ask.text('Why? (Enter for no reason)', { check: () => undefined });
    return why.trim() === '' ? undefined : reasonOf({ why });
  } catch (error) {
    if ((error as Error).name === 'ExitPromptError') return undefined;
    throw error;
  }
}

async function change(
  command: 'freeze' | 'unfreeze',
  settings: Settings,
  statement: FreezeStatement,
  nowMs: number,
): Promise<FreezeResult> {
  const { data } = settings.paths;
  const forgotten = forgottenUnlessBusy(settings);
  if (forgotten === undefined) {
    return withUnlockedState(settings, (state) =>
      (command === 'freeze' ? freeze : unfreeze)(state, data, statement, nowMs),
    );
  }
  if (command === 'unfreeze') throw forgotten;
  return freeze(undefined, data, statement, nowMs);
}

/** Freezing does not wait for another program that holds the file. */
function forgottenUnlessBusy(settings: Settings): InputError | undefined {
  try {
    return forgottenPast(settings);
  } catch (error) {
    if (isBusy(error)) return undefined;
    throw error;
  }
}

function json({ frozen, recorded, file, sentences }: FreezeResult): string {
  return toJson({ frozen, recorded, file, sentences });
}
