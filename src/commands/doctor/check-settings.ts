import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { readAuthorities } from '../../config/authorities.ts';
import { SETTINGS_QUOTING } from '../../config/hide-values.ts';
import { type Environment, SECRET_SETTINGS, VARIABLES } from '../../config/setting-tree.ts';
import type { Settings } from '../../config/settings.ts';
import { SCHEMA_FILE, settingsJsonSchema } from '../../config/settings-json-schema.ts';
import { namesIn, unknownVariables } from '../../config/unknown-variables.ts';
import { InputError } from '../../domain/errors.ts';
import { inputsNow } from '../../engine/load-inputs.ts';
import { isSunsetNear, sunsetOf, sunsetWords, UPGRADE_STEP } from '../../language/gaql/catalogue/sunset.ts';
import { nearestNames } from '../../language/gaql/check/suggest.ts';
import { openYaml } from '../../language/yaml/read-yaml.ts';
import { count } from '../../views/text/text-layout.ts';
import { type Check, checkIn } from './doctor-view.ts';
import { scheduledQueryFindings } from './scheduled-queries.ts';

const check = checkIn('settings');

const FILE = 'pacekeeper.yaml';

export function checkSettings(settings: Settings, nowMs: number): Check[] {
  return [
    ...checkSettingsFile(settings),
    ...checkSchemaFile(settings.paths.config),
    ...checkAuthorities(settings, nowMs),
    ...checkVersion(settings, nowMs),
  ];
}

/** Nothing without `tls.ca_file`. */
function checkAuthorities({ tls: { caFile } }: Settings, nowMs: number): Check[] {
  const read = caFile === undefined ? undefined : readAuthorities(caFile);
  if (read?.kind !== 'ok') return [];
  const expired = read.certificates.filter(({ validToDate }) => validToDate.getTime() < nowMs).length;
  const found = `${caFile}: ${count(read.certificates.length, 'certificate')}`;
  const advice = 'Ask for the new certificates, and remove the old ones from the file.';
  return [
    check('authorities', {
      found: expired === 0 ? found : `${found}, ${expired} of them expired`,
      expected: 'certificates of your authorities that have not expired',
      advice: expired === 0 ? undefined : advice,
    }),
  ];
}

/** Nothing for a version whose last day is unknown. */
function checkVersion({ ads }: Settings, nowMs: number): Check[] {
  const sunset = sunsetOf(ads.version, nowMs);
  if (sunset === undefined) return [];
  const expected = 'a version that the service offers for two more months';
  const advice = isSunsetNear(sunset) ? UPGRADE_STEP : undefined;
  return [check('version', { found: sunsetWords(sunset), expected, advice })];
}

function checkSettingsFile({ paths, target, notes, folderNotes }: Settings): Check[] {
  const isThere = existsSync(paths.config);
  return [
    check(FILE, {
      found: isThere ? `${paths.config}, target ${target}` : `no ${paths.config}, so defaults apply: target ${target}`,
      expected: 'valid settings',
      advice: isThere ? undefined : 'Run pacekeeper init.',
      as: 'missing',
    }),
    ...notes.map((found) =>
      check('target', {
        found,
        expected: 'only settings of services in use',
        advice: `Set "target: live" in ${FILE}, or remove these settings.`,
      }),
    ),
    ...folderNotes.map(({ found, nextStep: advice }) =>
      check('folders', { found, advice, expected: 'all folders beside the settings file' }),
    ),
  ];
}

/** With an outdated schema, an editor marks correct settings as wrong. */
function checkSchemaFile(config: string): Check[] {
  const path = join(dirname(config), SCHEMA_FILE);
  if (!existsSync(path)) return [];
  const isOurs = readFileSync(path, 'utf8') === settingsJsonSchema();
  return [
    check('editor schema', {
      found: isOurs ? SCHEMA_FILE : `${SCHEMA_FILE} of another version`,
      expected: 'the schema of this version',
      advice: isOurs ? undefined : `Run pacekeeper config schema > ${SCHEMA_FILE}`,
    }),
  ];
}

/** Empty on Windows, which has no file modes. */
export function checkSecretFiles(config: string, platform: string): Check[] {
  if (platform === 'win32') return [];
  const path = join(dirname(config), '.env');
  const holding = [...(existsSync(path) ? [path] : []), ...(holdsSecret(config) ? [config] : [])];
  return holding.map((file) => checkMode(file, check));
}

export function checkMode(file: string, make: typeof check): Check {
  const { mode } = statSync(file);
  const advice = (mode & 0o077) === 0 ? undefined : `Run chmod 600 ${file}`;
  return make(`${basename(file)} mode`, { found: modeText(mode), expected: 'readable by its owner only', advice });
}

export function modeText(mode: number): string {
  return `mode ${(mode & 0o777).toString(8).padStart(3, '0')}`;
}

function holdsSecret(config: string): boolean {
  if (!existsSync(config)) return false;
  const opened = openYaml(readFileSync(config, 'utf8'), SETTINGS_QUOTING);
  return opened.kind === 'ok' && SECRET_SETTINGS.some(({ at }) => opened.places.has(at.split('.')));
}

/** The process environment also has names of other programs, so only names like ours count. */
export function checkNames(envFile: Environment, processEnv: Environment): Check[] {
  const inFile = namesIn(envFile).filter((name) => !name.startsWith('GOOGLE_ADS_'));
  return [...new Set([...inFile, ...unknownVariables(processEnv)])].map((name) => {
    const [nearest] = nearestNames(name, VARIABLES);
    const where = name in envFile ? '.env' : 'the environment';
    return check('environment', {
      found: `unknown name ${name} in ${where}`,
      expected: nearest === undefined ? 'names listed in docs/configuration.md' : `a known name, such as ${nearest}`,
      advice: nearest === undefined ? `Remove it from ${where}.` : `Rename it to ${nearest} if you meant that.`,
    });
  });
}

export async function checkInputs(settings: Settings, nowMs: number): Promise<Check[]> {
  const of = (found: string, advice?: string, expected = 'no errors') => [
    check('queries, rules', { found, expected, advice, as: 'failed' }),
  ];
  try {
    const { queries, rules, findings } = await inputsNow(settings, nowMs);
    const errors = findings.flatMap(({ diagnostics }) => diagnostics.filter(({ severity }) => severity === 'error'));
    const found = `${count(queries.length, 'query', 'queries')}, ${count(rules.length, 'rule')}`;
    if (errors.length > 0) return of(`${found}, ${count(errors.length, 'error')}`, 'Run pacekeeper check.');
    const [scheduled] = scheduledQueryFindings(settings).flatMap(({ diagnostics }) => diagnostics);
    if (scheduled === undefined) return of(found);
    const advice = `${scheduled.hint ?? 'Correct options.query.'} Run pacekeeper check to see where.`;
    return of(`schedule: ${scheduled.message}`, advice, 'names of query files');
  } catch (error) {
    const advice = error instanceof InputError ? error.nextStep : undefined;
    const found = error instanceof Error ? error.message : String(error);
    return of(found, advice ?? 'Name existing folders with --queries and --rules.');
  }
}
