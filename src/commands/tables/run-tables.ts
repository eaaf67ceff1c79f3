import { InputError } from '../../domain/errors.ts';
import { readByModel, readersOf } from '../../engine/lineage.ts';
import { type Inputs, inputsNow, nameOf, refuseErrors } from '../../engine/load-inputs.ts';
import { didYouMean } from '../../language/gaql/check/suggest.ts';
import { readersIn } from '../../storage/warehouse/publish/lineage.ts';
import { tablesFrom } from '../../storage/warehouse/publish/publication-plan.ts';
import { questionsOn } from '../../storage/warehouse/publish/questions.ts';
import { SQLITE_NAMES } from '../../storage/warehouse/sqlite/sqlite-names.ts';
import type { CommandApp } from '../cli/command.ts';
import { listingIn } from '../cli/print-listing.ts';
import { shownPath } from '../cli/shown-path.ts';
import type { TablesOptions } from './tables-command.ts';
import { TABLES, type TableLineage } from './tables-view.ts';

export async function runTables(app: CommandApp, { name, format }: TablesOptions): Promise<void> {
  const { folder, settings, clock, output } = app;
  const inputs = await inputsNow(settings, clock.now());
  refuseErrors(inputs);
  const tables = lineageOf(inputs, (path) => shownPath(folder, path));
  const shown = name === undefined ? tables : [tableNamed(name, tables)];
  output.stdout.write(listingIn(format, TABLES, shown, output));
}

/** Both engines publish the same tables. */
function lineageOf(inputs: Inputs, shown: (path: string) => string): readonly TableLineage[] {
  const { queries, models, findings } = inputs;
  const published = tablesFrom(queries, SQLITE_NAMES);
  // A rule can have the name of a table. The findings of queries and models are the first.
  const files = new Map(findings.toReversed().map(({ path }) => [nameOf(path), shown(path)]));
  const isQuery = new Set(queries.map(({ name }) => name));
  const made = published.filter(({ name }) => !isQuery.has(name));
  const tables: readonly Omit<TableLineage, 'readBy'>[] = [
    ...queries.map(({ name }) => ({ name, kind: 'query' as const, file: files.get(name), reads: [] })),
    ...models.map(({ name, ...model }) => ({
      name,
      kind: 'model' as const,
      file: files.get(name),
      reads: readByModel(model),
    })),
    ...made.map(({ name, group, sources = [] }) => ({ name, kind: group, file: undefined, reads: sources })),
  ];
  const readers = [...readersOf(inputs), ...questionsOn(published)];
  return tables.map((table) => ({ ...table, readBy: readersIn(readers, table.name) }));
}

function tableNamed(name: string, tables: readonly TableLineage[]): TableLineage {
  const found = tables.find((table) => table.name === name);
  if (found) return found;
  const names = tables.map((table) => table.name);
  throw new InputError(`No such table: found ${name}, expected one that pacekeeper tables lists.`, {
    nextStep: didYouMean(name, names) ?? 'Run pacekeeper tables.',
  });
}
