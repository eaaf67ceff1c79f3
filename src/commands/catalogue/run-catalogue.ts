import { existsSync } from 'node:fs';
import { settingsFolder } from '../../config/folders.ts';
import {
  type ChosenCatalogue,
  catalogueNamed,
  chooseCatalogue,
  loadCatalogue,
  SHIPPED_VERSIONS,
} from '../../config/load-catalogue.ts';
import { type QuerySettings, readQuerySettings } from '../../config/read-settings.ts';
import { readRefreshed, refreshedVersions } from '../../config/refreshed-catalogue.ts';
import { readEnvironment } from '../../config/setting-tree.ts';
import { InputError } from '../../domain/errors.ts';
import { filesIn, nameOf, QUERY_ENDINGS, readText } from '../../engine/load-inputs.ts';
import { createClock } from '../../engine/process-time.ts';
import { type Catalogue, isSelectable, ownerOf, renamedField } from '../../language/gaql/catalogue/catalogue.ts';
import { compareCatalogues } from '../../language/gaql/catalogue/compare-catalogues.ts';
import { sunsetOf } from '../../language/gaql/catalogue/sunset.ts';
import { parseQuery } from '../../language/gaql/syntax/parse-query.ts';
import type { CommonOptions, ListedOptions } from '../cli/common-options.ts';
import { EXIT } from '../cli/print-error.ts';
import { listingIn } from '../cli/print-listing.ts';
import type { Process } from '../cli/process.ts';
import type { DiffOptions } from './catalogue-command.ts';
import { CATALOGUE_DIFF, CATALOGUE_STATUS, type ListedCatalogue, type MissingName } from './catalogue-view.ts';

/** Returns 2 if the chosen catalogue cannot be used. */
export async function runStatus(process: Process, options: ListedOptions & CommonOptions): Promise<number> {
  const { folder, env, output } = process;
  const settings = readQuerySettings(folder, options, readEnvironment(settingsFolder(folder, options), env));
  const chosen = orError(() => chooseCatalogue(settings));
  const isUsable = !(chosen instanceof InputError);
  const catalogues = listed(settings, isUsable ? chosen : undefined, createClock(settings.startAtMs).now());
  const missing = isUsable ? missingNames(queryUses(settings.paths.queries), chosen.catalogue) : [];
  const problem = isUsable ? chosen.warning : chosen.message;
  const { version, catalogue } = settings.ads;
  const answer = { version, chosen: catalogue, problem, catalogues, queries: missing };
  output.stdout.write(listingIn(options.format, CATALOGUE_STATUS, answer, output));
  return isUsable ? EXIT.done : EXIT.badInput;
}

const DAY_MS = 86_400_000;

function listed(
  { paths, target }: QuerySettings,
  chosen: ChosenCatalogue | undefined,
  nowMs: number,
): readonly ListedCatalogue[] {
  const isChosen = (name: string, isRefreshed: boolean) =>
    chosen?.catalogue.name === name && (chosen.refreshed !== undefined) === isRefreshed;
  const refreshed = refreshedVersions(paths.data).map((name): ListedCatalogue => {
    const read = orError(() => readRefreshed(paths.data, name, target));
    const endsOn = sunsetOf(name, nowMs)?.day;
    const about = { name, origin: 'refreshed', isUsed: isChosen(name, true), endsOn } as const;
    if (read instanceof InputError) return { ...about, failure: read.message };
    const { origin, catalogue } = read;
    const ageDays = Math.max(0, Math.floor((nowMs - Date.parse(origin.readAt)) / DAY_MS));
    return { ...about, ...origin, ageDays, ...sizeOf(catalogue) };
  });
  const shipped = SHIPPED_VERSIONS.map((name): ListedCatalogue => {
    const about = { name, origin: 'shipped', source: 'pacekeeper', isUsed: isChosen(name, false) } as const;
    return { ...about, endsOn: sunsetOf(name, nowMs)?.day, ...sizeOf(loadCatalogue(name)) };
  });
  return [...refreshed, ...shipped];
}

function sizeOf({ resources, fields }: ChosenCatalogue['catalogue']) {
  return { resources: resources.size, fields: fields.size };
}

function orError<Value>(read: () => Value): Value | InputError {
  try {
    return read();
  } catch (error) {
    if (error instanceof InputError) return error;
    throw error;
  }
}

/** Changes that a query uses come first. Throws `InputError` for a version without a catalogue. */
export async function runDiff(process: Process, options: DiffOptions & CommonOptions): Promise<void> {
  const { folder, env, output } = process;
  const settings = readQuerySettings(folder, options, readEnvironment(settingsFolder(folder, options), env));
  const { earlier, later } = options;
  const { changes, added } = compareCatalogues(catalogueNamed(earlier, settings), catalogueNamed(later, settings));
  const uses = queryUses(settings.paths.queries);
  const used = changes
    .map((change) => ({
      ...change,
      queries: uses.filter((use) => isUsedBy(change.name, use)).map(({ query }) => query),
    }))
    .sort((a, b) => Number(b.queries.length > 0) - Number(a.queries.length > 0));
  const answer = { earlier, later, changes: used, added };
  output.stdout.write(listingIn(options.format, CATALOGUE_DIFF, answer, output));
}

export interface QueryUse {
  readonly query: string;
  readonly resource: string | undefined;
  readonly fields: readonly string[];
}

export function queryUses(folder: string): QueryUse[] {
  if (!existsSync(folder)) return [];
  return filesIn(folder, QUERY_ENDINGS, 'queries').map((path) => {
    const { select, from, where, orderBy } = parseQuery(readText(path).source).tree;
    const aliases = new Set(select.flatMap(({ alias }) => alias?.name ?? []));
    const others = [...where, ...orderBy].map(({ field }) => field.name).filter((name) => !aliases.has(name));
    const fields = [...new Set([...select.map(({ name }) => name), ...others])];
    return { query: nameOf(path), resource: from?.name, fields };
  });
}

export function isUsedBy(name: string, { resource, fields }: QueryUse): boolean {
  return name === resource || fields.some((field) => field === name || ownerOf(field) === name);
}

export function missingNames(uses: readonly QueryUse[], { resources, fields }: Catalogue): MissingName[] {
  return uses.flatMap(({ query, resource: from, fields: names }): MissingName[] => {
    const resource = from === undefined ? undefined : resources.get(from);
    if (from !== undefined && resource === undefined) {
      return [{ query, name: from, problem: 'unknown', instead: undefined }];
    }
    return names.flatMap((name): readonly MissingName[] => {
      const field = fields.get(name);
      const renamed = renamedField(name)?.name;
      const instead = renamed !== undefined && fields.has(renamed) ? renamed : undefined;
      if (!field) return [{ query, name, problem: instead === undefined ? 'unknown' : 'renamed', instead }];
      const isOffered = resource === undefined || isSelectable(resource, field);
      return isOffered ? [] : [{ query, name, problem: 'not offered', instead: undefined }];
    });
  });
}
