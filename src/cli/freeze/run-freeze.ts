import type { InputError } from '../../domain/errors.ts';
import { forgottenPast } from '../../forgotten-past.ts';
import { type FreezeResult, type FreezeStatement, freeze, unfreeze } from '../../jobs/freeze.ts';
import { toJson } from '../../report/to-json.ts';
import { isBusy } from '../../store/unusable-database.ts';
import type { CommandApp } from '../command.ts';
import { terminalAsk } from '../init/ask.ts';
import { personOf, reasonOf } from '../person.ts';
import type { FreezeOptions, UnfreezeOptions } from './freeze-command.ts';

type FreezeApp = CommandApp<'stateAtOnce'>;

const NO_REASON = 'no reason given';

/**
 * The freeze command, which does not wait for a run that is on its way. Who freezes on a terminal without a reason is asked
 * for it when all is frozen.
 */
export async function runFreeze(app: FreezeApp, options: FreezeOptions): Promise<void> {
  const statement = { by: personOf(options, app), why: reasonOf(options) ?? NO_REASON };
  const nowMs = app.clock.now();
  tellResult(app, options.format, await freezeNow(app, statement, nowMs));
  if (options.why !== undefined || options.format === 'json' || !app.interactive) return;
  const why = await askReason(app);
  if (why !== undefined) await freezeNow(app, { ...statement, why }, nowMs);
}

export async function runUnfreeze(app: FreezeApp, options: UnfreezeOptions): Promise<void> {
  const { settings, clock } = app;
  const statement = { by: personOf(options, app), why: reasonOf(options) ?? NO_REASON };
  const forgotten = forgottenUnlessBusy(app);
  if (forgotten !== undefined) throw forgotten;
  const result = await app.open(({ state }) => unfreeze(state, settings.paths.data, statement, clock.now()));
  tellResult(app, options.format, result);
}

/** Where the state file does not know the past of its folder, the file FREEZE is made alone. */
async function freezeNow(app: FreezeApp, statement: FreezeStatement, nowMs: number): Promise<FreezeResult> {
  const { data } = app.settings.paths;
  if (forgottenUnlessBusy(app) !== undefined) return freeze(undefined, data, statement, nowMs);
  return app.open(({ state }) => freeze(state, data, statement, nowMs));
}

/** Undefined where nobody answers: it is frozen all the same. */
async function askReason({ makeAsk = terminalAsk }: FreezeApp): Promise<string | undefined> {
  try {
    const ask = await makeAsk();
    const why = await ask.text('Why? (Enter for no reason)', { check: () => undefined });
    return why.trim() === '' ? undefined : reasonOf({ why });
  } catch (error) {
    if ((error as Error).name === 'ExitPromptError') return undefined;
    throw error;
  }
}

/** Freezing does not wait for another program that holds the file. */
function forgottenUnlessBusy({ settings }: FreezeApp): InputError | undefined {
  try {
    return forgottenPast(settings);
  } catch (error) {
    if (isBusy(error)) return undefined;
    throw error;
  }
}

function tellResult({ output }: FreezeApp, format: 'table' | 'json', result: FreezeResult): void {
  const { frozen, recorded, file, sentences } = result;
  output.stdout.write(`${format === 'json' ? toJson({ frozen, recorded, file, sentences }) : sentences.join('\n')}\n`);
}
