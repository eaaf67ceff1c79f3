import { platform } from 'node:os';
import { type AppDeps, open } from '../../app.ts';
import { configPath, settingsFolder } from '../../config/folders.ts';
import { readSettings } from '../../config/read-settings.ts';
import { type Environment, readEnvFile, readEnvironment } from '../../config/setting-tree.ts';
import type { Settings } from '../../config/settings.ts';
import { withRetries } from '../../config/with-retries.ts';
import { ApiError, InputError } from '../../domain/errors.ts';
import { firstLineOf } from '../../domain/outside-text.ts';
import { engineOf } from '../../engine/folder/engine.ts';
import { checksOf } from '../../engine/folder/store-check.ts';
import { createClock } from '../../engine/process-time.ts';
import { createRedact } from '../../services/http/redact.ts';
import { count } from '../../views/text/text-layout.ts';
import type { CommonOptions } from '../cli/common-options.ts';
import { openLog } from '../cli/open-log.ts';
import { harmless } from '../cli/output.ts';
import { describeError, EXIT } from '../cli/print-error.ts';
import { listingIn } from '../cli/print-listing.ts';
import type { Process } from '../cli/process.ts';
import { checkDataFolder } from './check-data-folder.ts';
import { checkOperations } from './check-operations.ts';
import { checkServices } from './check-services.ts';
import {
  checkAuthorities,
  checkInputs,
  checkNames,
  checkSecretFiles,
  checkSettingsFile,
  checkVersion,
} from './check-settings.ts';
import { checkRuns, checkSchedule } from './check-work.ts';
import type { DoctorOptions } from './doctor-command.ts';
import { type Check, DOCTOR, PART_KEYS } from './doctor-view.ts';

type DoctorCommandOptions = DoctorOptions & CommonOptions;

/** Returns 1 if a check failed, 2 if the settings are unusable. */
export async function runDoctor(process: Process, options: DoctorCommandOptions): Promise<number> {
  const { folder, env, output } = process;
  const environment = readEnvironment(settingsFolder(folder, options), env);
  const before = [
    ...(await guarded('settings', '.env', () => checkSecretFiles(configPath(folder, options), platform()))),
    ...checkNames(readEnvFile(settingsFolder(folder, options)), env),
  ];
  const settings = await settingsOrError(options, folder, environment);
  const usable = !(settings instanceof InputError);
  const rest = usable ? await checkRest(settings, options, process) : [unusable(settings)];
  const checks = inOrder([...before, ...rest]);
  const text = listingIn(options.format, DOCTOR, checks, output);
  output.stdout.write(createRedact(usable ? settings.secrets : [])(text));
  if (!usable) output.stderr.write(`${harmless(describeError(settings).text)}\n`);
  if (!usable) return EXIT.badInput;
  return checks.some(({ state }) => state === 'failed') ? EXIT.failed : EXIT.done;
}

async function settingsOrError(
  options: DoctorCommandOptions,
  folder: string,
  environment: Environment,
): Promise<Settings | InputError> {
  try {
    return await readSettings(folder, options, environment);
  } catch (error) {
    if (error instanceof InputError) return error;
    throw error;
  }
}

function unusable({ message, findings }: InputError): Check {
  const wrong = findings.flatMap(({ diagnostics }) => diagnostics).length;
  return checksOf('settings').failed('pacekeeper.yaml', {
    found: wrong === 0 ? firstLineOf(message).replace(/:$/, '') : `${count(wrong, 'error')} in it`,
    expected: 'valid settings',
    nextStep: 'Fix the errors below. Other checks were skipped.',
  });
}

async function checkRest(
  settings: Settings,
  { offline = false }: DoctorCommandOptions,
  { output }: Process,
): Promise<Check[]> {
  const clock = createClock(settings.startAtMs);
  const log = await openLog(output, settings, clock);
  const deps = { clock, log };
  const store = await guarded('data_folder', 'store', async () => (await engineOf(settings)).checks());
  // Older tables of a database are not read before their upgrade.
  const isUsable = store.every(({ name, state }) => state !== 'failed' && (name !== 'records' || state !== 'warning'));
  return [
    ...(await guarded('settings', 'settings file', () => [
      ...checkSettingsFile(settings),
      ...checkAuthorities(settings, clock.now()),
      ...checkVersion(settings, clock.now()),
    ])),
    ...(await guarded('settings', 'queries, rules', () => checkInputs(settings, clock.now()))),
    ...(await guarded('data_folder', 'folder', () => checkDataFolder(settings, platform(), store))),
    ...(await guarded('services', 'services', () => services(settings, offline, log))),
    ...(await guarded('work', 'schedule', () => [checkSchedule(settings, clock.now())])),
    ...(await guarded('work', 'operations', () => (isUsable ? operations(settings, offline, deps) : []))),
    ...(await guarded('work', 'last report', () => (isUsable ? checkRuns(settings, deps) : []))),
  ];
}

async function guarded(
  part: Check['part'],
  name: string,
  look: () => readonly Check[] | Promise<readonly Check[]>,
): Promise<readonly Check[]> {
  try {
    return await look();
  } catch (error) {
    const { message, nextStep = 'Fix any other problem first, then run pacekeeper doctor again.' } =
      describeError(error);
    const found = firstLineOf(message);
    return [checksOf(part).failed(name, { found, expected: 'a check that completes', nextStep })];
  }
}

const ONCE = { attempts: 1, firstDelayMs: 0, totalMs: 15_000 };

async function services(read: Settings, offline: boolean, log: Awaited<ReturnType<typeof openLog>>): Promise<Check[]> {
  if (read.target === 'sandbox') {
    const found = 'the embedded sandbox: nothing leaves this machine';
    return [checksOf('services').ok('target', { found, expected: 'the sandbox, or live services' })];
  }
  const settings = withRetries(read, () => ONCE);
  // doctor checks the machine's own clock, even if PACEKEEPER_NOW sets another time.
  const clock = createClock(undefined);
  return open(settings, { clock, log }, { what: 'areas' }, (areas) => checkServices(areas, offline, clock.now));
}

/** Before the first run, only the service knows the accounts. Its failures are in its own check. */
async function operations(read: Settings, offline: boolean, deps: Pick<AppDeps, 'clock' | 'log'>): Promise<Check[]> {
  if (offline || read.target === 'sandbox') return checkOperations(read, deps, undefined);
  const settings = withRetries(read, () => ONCE);
  try {
    return await open(settings, deps, { what: 'areas' }, ({ ads }) => checkOperations(read, deps, ads));
  } catch (error) {
    if (error instanceof ApiError || error instanceof InputError) return [];
    throw error;
  }
}

function inOrder(checks: readonly Check[]): Check[] {
  return PART_KEYS.flatMap((part) => checks.filter((check) => check.part === part));
}
