import { withState } from '../../app.ts';
import { readEnvironment } from '../../config/environment.ts';
import { readSettings } from '../../config/read-settings.ts';
import { filesIn, nameOf, QUERY_ENDINGS } from '../../jobs/load-inputs.ts';
import { rebuildTable } from '../../jobs/rebuild-table.ts';
import { createClock } from '../../system-time.ts';
import { heldRows } from '../../warehouse/drop-table.ts';
import { chooseInputs } from '../choose-inputs.ts';
import type { CommonOptions } from '../common-options.ts';
import { openLog } from '../open-log.ts';
import type { ParameterOption } from '../parameter-option.ts';
import { EXIT } from '../print-error.ts';
import type { Process } from '../process.ts';
import { tellBusy } from '../tell-busy.ts';

export interface RebuildCommandOptions extends CommonOptions {
  readonly param?: readonly ParameterOption[];
  readonly dryRun?: boolean;
}

/** The warehouse rebuild command. Answers with the exit code. */
export async function runRebuild(
  name: string,
  options: RebuildCommandOptions,
  { folder, env, output }: Process,
): Promise<number> {
  const settings = await readSettings(folder, options, readEnvironment(folder, env));
  const clock = createClock(settings.startAtMs);
  const log = await openLog(output, settings, clock);
  const outcome = await withState(
    settings,
    { clock, log, looksOnly: options.dryRun === true },
    'pacekeeper warehouse rebuild',
    async (app) => {
      const hasFile = filesIn(settings.paths.queries, QUERY_ENDINGS, 'queries').some((path) => nameOf(path) === name);
      const isLeftBehind = !hasFile && (await heldRows(app.state, name)) !== undefined;
      const { queries } = isLeftBehind
        ? { queries: [] }
        : await chooseInputs(settings, { ...options, query: [name] }, clock, output);
      return rebuildTable(app, name, queries[0], options.dryRun ?? false);
    },
  );
  if (outcome.kind === 'busy') return tellBusy(output, settings, outcome.holder);
  output.stdout.write(`${outcome.value}\n`);
  return EXIT.done;
}
