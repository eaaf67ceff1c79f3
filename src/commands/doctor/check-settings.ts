import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { readAuthorities } from '../../config/authorities.ts';
import { SETTINGS_QUOTING } from '../../config/hide-values.ts';
import { type Environment, SECRET_SETTINGS, VARIABLES } from '../../config/setting-tree.ts';
import type { Settings } from '../../config/settings.ts';
import { SCHEMA_FILE, settingsJsonSchema } from '../../config/settings-json-schema.ts';
import { namesIn, unknownVariables } from '../../config/unknown-variables.ts';
import { InputError } from '../../domain/errors.ts';
import { checksOf } from '../../engine/folder/store-check.ts';
import { inputsNow } from '../../engine/load-inputs.ts';
import { isSunsetNear, sunsetOf, sunsetWords, UPGRADE_STEP } from '../../language/gaql/catalogue/sunset.ts';
import { nearestNames } from '../../language/gaql/check/suggest.ts';
import { openYaml } from '../../language/yaml/read-yaml.ts';
import { count } from '../../views/text/text-layout.ts';
import type { Check } from './doctor-view.ts';
import { scheduledQueryFindings } from './scheduled-queries.ts';

const { ok, warning, missing, failed } = checksOf('settings');

const FILE = 'pacekeeper.yaml';

/** Nothing without `tls.ca_file`. */
export function checkAuthorities({ tls: { caFile } }: Settings, nowMs: number): Check[] {
  const read = caFile === undefined ? undefined : readAuthorities(caFile);
  if (read?.kind !== 'ok') return [];
  const expired = read.certificates.filter(({ validToDate }) => validToDate.getTime() < nowMs).length;
  const found = `${caFile}: ${count(read.certificates.length, 'certificate')}`;
  const facts = { expected: 'certificates of your authorities that have not expired' };
  if (expired === 0) return [ok('authorities', { ...facts, found })];
  const nextStep = 'Ask for the new certificates, and remove the old ones from the file.';
  return [warning('authorities', { ...facts, found: `${found}, ${expired} of them expired`, nextStep })];
}

/** Nothing for a version whose last day is unknown. */
export function checkVersion({ ads }: Settings, nowMs: number): Check[] {
  const sunset = sunsetOf(ads.version, nowMs);
  if (sunset === undefined) return [];
  const facts = { found: sunsetWords(sunset), expected: 'a version that the service offers for two more months' };
  return [isSunsetNear(sunset) ? warning('version', { ...facts, nextStep: UPGRADE_STEP }) : ok('version', facts)];
}

export function checkSettingsFile({ paths, target, notes, folderNotes }: Settings): Check[] {
  const file = { expected: 'valid settings' };
  const kind = `target ${target}`;
  return [
    existsSync(paths.config)
      ? ok(FILE, { ...file, found: `${paths.config}, ${kind}` })
      : missing(FILE, {
          ...file,
          found: `no ${paths.config}, so defaults apply: ${kind}`,
          nextStep: 'Run pacekeeper init.',
        }),
    ...notes.map((found) =>
      warning('target', {
        found,
        expected: 'only settings of services in use',
        nextStep: `Set "target: live" in ${FILE}, or remove these settings.`,
      }),
    ),
    ...folderNotes.map((note) => warning('folders', { ...note, expected: 'all folders beside the settings file' })),
    ...checkSchemaFile(paths.config),
  ];
}

/** With an outdated schema, an editor marks correct settings as wrong. */
function checkSchemaFile(config: string): Check[] {
  const path = join(dirname(config), SCHEMA_FILE);
  if (!existsSync(path)) return [];
  const expected = 'the schema of this version';
  if (readFileSync(path, 'utf8') === settingsJsonSchema())
    return [ok('editor schema', { found: SCHEMA_FILE, expected })];
  return [
    warning('editor schema', {
      found: `${SCHEMA_FILE} of another version`,
      expected,
      nextStep: `Run pacekeeper config schema > ${SCHEMA_FILE}`,
    }),
  ];
}

/** Empty on Windows, which has no file modes. */
export function checkSecretFiles(config: string, platform: string): Check[] {
  if (platform === 'win32') return [];
  const path = join(dirname(config), '.env');
  const holding = [...(existsSync(path) ? [path] : []), ...(holdsSecret(config) ? [config] : [])];
  return holding.map((file) => checkMode(file, checksOf('settings')));
}

export function checkMode(file: string, { ok, warning }: ReturnType<typeof checksOf<Check['part']>>): Check {
  const mode = statSync(file).mode & 0o777;
  const facts = { found: `mode ${mode.toString(8).padStart(3, '0')}`, expected: 'readable by its owner only' };
  const name = `${basename(file)} mode`;
  return (mode & 0o077) === 0 ? ok(name, facts) : warning(name, { ...facts, nextStep: `Run chmod 600 ${file}` });
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
    return warning('environment', {
      found: `unknown name ${name} in ${where}`,
      expected: nearest === undefined ? 'names listed in docs/configuration.md' : `a known name, such as ${nearest}`,
      nextStep: nearest === undefined ? `Remove it from ${where}.` : `Rename it to ${nearest} if you meant that.`,
    });
  });
}

export async function checkInputs(settings: Settings, nowMs: number): Promise<Check[]> {
  const name = 'queries, rules';
  const expected = 'no errors';
  try {
    const { queries, rules, findings } = await inputsNow(settings, nowMs);
    const errors = findings.flatMap(({ diagnostics }) => diagnostics.filter(({ severity }) => severity === 'error'));
    const found = `${count(queries.length, 'query', 'queries')}, ${count(rules.length, 'rule')}`;
    if (errors.length > 0) {
      const counted = `${found}, ${count(errors.length, 'error')}`;
      return [failed(name, { found: counted, expected, nextStep: 'Run pacekeeper check.' })];
    }
    const [scheduled] = scheduledQueryFindings(settings).flatMap(({ diagnostics }) => diagnostics);
    if (scheduled === undefined) return [ok(name, { found, expected })];
    const nextStep = `${scheduled.hint ?? 'Correct options.query.'} Run pacekeeper check to see where.`;
    return [failed(name, { found: `schedule: ${scheduled.message}`, expected: 'names of query files', nextStep })];
  } catch (error) {
    const found = error instanceof Error ? error.message : String(error);
    const advice = error instanceof InputError ? error.nextStep : undefined;
    const nextStep = advice ?? 'Name existing folders with --queries and --rules.';
    return [failed(name, { found, expected, nextStep })];
  }
}
