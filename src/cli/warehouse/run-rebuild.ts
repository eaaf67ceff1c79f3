import { withState } from '../../app.ts';
import { readEnvironment } from '../../config/environment.ts';
import { readSettings } from '../../config/read-settings.ts';
import { createRedact } from '../../http/redact.ts';
import { rebuildTable } from '../../jobs/rebuild-table.ts';
import { createClock } from '../../system-time.ts';
import { chooseInputs } from '../choose-inputs.ts';
import type { CommonOptions } from '../common-options.ts';
import { createLog } from '../output.ts';
import type { ParameterOption } from '../parameter-option.ts';
import { EXIT } from '../print-error.ts';
import type { Process } from '../process.ts';
import { tellBusy } from '../tell-busy.ts';

export interface RebuildCommandOptions extends CommonOptions {
  readonly param?: readonly ParameterOption[];
}

/** The warehouse rebuild command. Answers with the exit code. */
export async function runRebuild(
  name: string,
  options: RebuildCommandOptions,
  { folder, env, output }: Process,
): Promise<number> {
  const settings = await readSettings(folder, options, readEnvironment(folder, env));
  const clock = createClock(settings.startAtMs);
  const { queries } = await chooseInputs(settings, { ...options, query: [name] }, clock, output);
  const log = createLog(output, createRedact(settings.secrets));
  const outcome = await withState(settings, { clock, log }, 'pacekeeper warehouse rebuild', async (app) => {
    const told: string[] = [];
    for (const query of queries) told.push(await rebuildTable(app, query));
    return told;
  });
  if (outcome.kind === 'busy') return tellBusy(output, settings.paths.data, outcome.holder);
  output.stdout.write(outcome.value.map((text) => `${text}\n`).join(''));
  return EXIT.done;
}
