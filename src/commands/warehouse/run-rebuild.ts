import { overlapOf } from '../../domain/civil-date.ts';
import type { StateApp } from '../../engine/app.ts';
import { filesIn, nameOf, QUERY_ENDINGS } from '../../engine/load-inputs.ts';
import { publishFiles } from '../../engine/publish-files.ts';
import { accountToday } from '../../engine/read/day-state.ts';
import { oldestKept } from '../../language/gaql/check/check-dates.ts';
import { fixedToItsWindow } from '../../language/gaql/check/query-for-range.ts';
import type { QueryFile } from '../../language/gaql/query-file.ts';
import { dropQueryTable, ensureQueryTable, type HeldRows, heldRows } from '../../storage/warehouse/evolve-table.ts';
import { count } from '../../views/text/text-layout.ts';
import { chooseInputs } from '../cli/choose-inputs.ts';
import type { CommandApp } from '../cli/command.ts';
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

async function rebuildTable(
  app: StateApp,
  name: string,
  query: QueryFile | undefined,
  dryRun: boolean,
): Promise<string> {
  const { state } = app;
  const held = await heldRows(state, name);
  const next = held && query ? `\nnext step: ${readAgain(query, held, app.clock.now())}` : '';
  let end = 'Dry run: nothing was changed.';
  if (!dryRun) {
    await dropQueryTable(state, name);
    if (query) await ensureQueryTable(state, query);
    const { file } = await publishFiles(app);
    end = `${file === undefined ? 'The views in warehouse were' : 'warehouse.sqlite was'} published again.`;
  }
  const verb = dryRun ? 'would be' : 'was';
  const done = query
    ? `Table ${name} ${verb} rebuilt for its query`
    : `Table ${name} ${verb} dropped: its query file no longer exists`;
  const were = dryRun ? 'would be' : held?.rows === 1n ? 'was' : 'were';
  const lost = held ? `${count(Number(held.rows), 'row')} ${were} deleted` : 'the table did not exist before';
  return `${done}; ${lost}. ${end}${next}`;
}

/** From the first to the last day that is still kept. Reading a few extra days does no harm. */
function readAgain(query: QueryFile, { days }: HeldRows, nowMs: number): string {
  const command = `pacekeeper extract --query ${query.name}`;
  const last = days.at(-1)?.to;
  if (last === undefined || fixedToItsWindow(query) !== undefined) return command;
  const oldest = oldestKept(accountToday(undefined, nowMs));
  const kept = days.flatMap((range) => overlapOf(range, { from: oldest, to: last }) ?? [])[0];
  return kept === undefined ? command : `${command} --from ${kept.from} --to ${last}`;
}
