import { settingsFolder } from '../../config/folders.ts';
import { type ChosenCatalogue, chooseCatalogue, loadCatalogue, SHIPPED_VERSIONS } from '../../config/load-catalogue.ts';
import { type QuerySettings, readQuerySettings } from '../../config/read-settings.ts';
import { readRefreshed, refreshedVersions } from '../../config/refreshed-catalogue.ts';
import { readEnvironment } from '../../config/setting-tree.ts';
import { InputError } from '../../domain/errors.ts';
import { createClock } from '../../engine/process-time.ts';
import { sunsetOf } from '../../language/gaql/catalogue/sunset.ts';
import type { CommonOptions } from '../cli/common-options.ts';
import { EXIT } from '../cli/print-error.ts';
import { listingIn } from '../cli/print-listing.ts';
import type { Process } from '../cli/process.ts';
import type { StatusOptions } from './catalogue-command.ts';
import { CATALOGUE_STATUS, type ListedCatalogue } from './catalogue-view.ts';
import { missingNames, queryUses } from './query-uses.ts';

/** Returns 2 if the chosen catalogue cannot be used. */
export async function runStatus(process: Process, options: StatusOptions & CommonOptions): Promise<number> {
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
