import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { InputError } from '../domain/errors.ts';
import { FILE_SUFFIX, readEnvFile, SETTINGS } from './setting-tree.ts';
import type { FolderNote, Paths } from './settings.ts';

export interface PathOptions {
  readonly config?: string | undefined;
  readonly queries?: string | undefined;
  readonly rules?: string | undefined;
  readonly models?: string | undefined;
  readonly targets?: string | undefined;
  readonly dataDir?: string | undefined;
}

export function configPath(folder: string, { config }: PathOptions): string {
  return resolve(folder, config ?? 'pacekeeper.yaml');
}

/** Queries, rules, models, data and `.env` are beside the settings file, unless an option names another place. */
export function settingsFolder(folder: string, options: PathOptions): string {
  return dirname(configPath(folder, options));
}

/** An option is relative to the current folder. */
export function pathsOf(folder: string, options: PathOptions): Paths {
  const beside = settingsFolder(folder, options);
  const place = (option: string | undefined, name: string) =>
    option === undefined ? join(beside, name) : resolve(folder, option);
  return {
    config: configPath(folder, options),
    queries: place(options.queries, 'queries'),
    rules: place(options.rules, 'rules'),
    models: place(options.models, 'models'),
    targets: place(options.targets, 'targets'),
    data: place(options.dataDir, 'data'),
  };
}

const INPUTS = [
  ['queries', '--queries'],
  ['rules', '--rules'],
  ['models', '--models'],
  ['targets', '--targets'],
] as const;

/** Names what earlier versions used in the current folder, and this version does not use. */
export function inputsLeft(folder: string, options: PathOptions): FolderNote[] {
  const beside = settingsFolder(folder, options);
  const isLeft = (name: string) =>
    beside !== folder && !existsSync(join(beside, name)) && existsSync(join(folder, name));
  const noteOf = (name: string, nextStep: string): FolderNote => ({
    found: `${join(folder, name)} is not used, because it is not beside the settings file ${configPath(folder, options)}.`,
    nextStep,
  });
  const inputs = INPUTS.filter(([name]) => options[name] === undefined && isLeft(name));
  return [
    ...inputs.map(([name, option]) => noteOf(name, `Move it there, or name it with ${option}.`)),
    ...(isLeft('.env') && setsOurs(folder) ? [noteOf('.env', ENV_STEP)] : []),
  ];
}

const ENV_STEP = 'Move it there, or set its variables in the environment.';

/** Many programs use a file of this name. */
function setsOurs(folder: string): boolean {
  const inFile = readEnvFile(folder);
  return SETTINGS.some(({ env }) => env.some((name) => inFile[name]?.trim() || inFile[name + FILE_SUFFIX]?.trim()));
}

const STORE_URL = 'PACEKEEPER_STORE_URL';

/** Without the database that earlier versions used, the records would begin anew in files. */
export function refuseLostStore(folder: string, options: PathOptions): void {
  const beside = settingsFolder(folder, options);
  if (beside === folder || existsSync(join(beside, '.env'))) return;
  const inFile = readEnvFile(folder);
  if (!inFile[STORE_URL]?.trim() && !inFile[STORE_URL + FILE_SUFFIX]?.trim()) return;
  throw new InputError(`${join(folder, '.env')} names a database, but is not beside ${configPath(folder, options)}.`, {
    nextStep: `${ENV_STEP} If it belongs to other settings, create an empty ${join(beside, '.env')}.`,
  });
}

/** A used data folder has one of these files. Also without the records, the others show that there were some. */
const RECORDS = ['state.sqlite', 'store.txt', 'warehouse.sqlite', 'schedule.sqlite', 'runs', 'FREEZE'];

const isUsed = (data: string) => RECORDS.some((name) => existsSync(join(data, name)));

/**
 * Earlier versions used the data folder in the current folder. A second, empty data folder would not know their budget
 * changes. So the records found there go on, unless they can belong to other settings: then a person chooses.
 */
export function dataInUse(
  folder: string,
  options: PathOptions,
  { config, data }: Paths,
): { readonly data: string; readonly note: FolderNote | undefined } {
  const earlier = join(folder, 'data');
  const hasOwnSettings = existsSync(join(folder, 'pacekeeper.yaml'));
  if (options.dataDir !== undefined || !isUsed(earlier) || isSame(earlier, data)) return { data, note: undefined };
  if (isUsed(data) && hasOwnSettings) return { data, note: undefined };
  if (isUsed(data) || hasOwnSettings) {
    throw new InputError(`Two data folders are possible for ${config}: ${data} and ${earlier}, which has records.`, {
      nextStep: 'Name one with --data-dir. Earlier versions used the second one.',
    });
  }
  const found = `The data folder is ${earlier}, as in earlier versions, and not beside the settings file ${config}.`;
  return { data: earlier, note: { found, nextStep: `Move it to ${data}, or name it with --data-dir.` } };
}

function isSame(one: string, other: string): boolean {
  return existsSync(other) ? realpathSync(one) === realpathSync(other) : one === other;
}
