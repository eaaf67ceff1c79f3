import { filesIn, nameOf, QUERY_ENDINGS } from '../../jobs/load-inputs.ts';
import { rebuildTable } from '../../jobs/rebuild-table.ts';
import { heldRows } from '../../warehouse/drop-table.ts';
import { chooseInputs } from '../choose-inputs.ts';
import type { CommandApp } from '../command.ts';
import type { RebuildOptions } from './warehouse-command.ts';

export async function runRebuild(app: CommandApp<'state'>, options: RebuildOptions): Promise<void> {
  const { name, dryRun = false } = options;
  const files = app.settings.paths.queries;
  const said = await app.open(async (opened) => {
    const hasFile = filesIn(files, QUERY_ENDINGS, 'queries').some((path) => nameOf(path) === name);
    const isLeftBehind = !hasFile && (await heldRows(opened.state, name)) !== undefined;
    const { queries } = isLeftBehind ? { queries: [] } : await chooseInputs(app, { ...options, query: [name] });
    return rebuildTable(opened, name, queries[0], dryRun);
  });
  app.output.stdout.write(`${said}\n`);
}
