import { platform } from 'node:os';
import { open } from '../../app.ts';
import { configPath, settingsFolder } from '../../config/folders.ts';
import { readSettings } from '../../config/read-settings.ts';
import { readEnvFile, readEnvironment } from '../../config/setting-tree.ts';
import type { Settings } from '../../config/settings.ts';
import { withRetries } from '../../config/with-retries.ts';
import { ApiError, InputError } from '../../domain/errors.ts';
import { firstLineOf } from '../../domain/outside-text.ts';
import { engineOf } from '../../engine/folder/engine.ts';
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
import { checkServices } from './check-services.ts';
import { checkInputs, checkNames, checkSecretFiles, checkSettings } from './check-settings.ts';
import { checkOperations, checkRuns, checkSchedule } from './check-work.ts';
import type { DoctorOptions } from './doctor-command.ts';
import { type Check, checkIn, DOCTOR, inOrder, type Part } from './doctor-view.ts';

/** Returns 1 if a check failed, 2 if the settings are unusable. */
export async function runDoctor(process: Process, options: DoctorOptions & CommonOptions): Promise<number> {
  const { folder, env, output } = process;
  const home = settingsFolder(folder, options);
  const before = [
    ...(await guarded('settings', '.env', () => checkSecretFiles(configPath(folder, options), platform()))),
    ...checkNames(readEnvFile(home), env),
  ];
  const settings = await readSettings(folder, options, readEnvironment(home, env)).catch((error: unknown) => {
    if (error instanceof InputError) return error;
    throw error;
  });
  const isUsable = !(settings instanceof InputError);
  const rest = isUsable ? await checkRest(settings, options.offline ?? false, process) : [unusable(settings)];
  const checks = inOrder([...before, ...rest]);
  const redact = createRedact(isUsable ? settings.secrets : []);
  output.stdout.write(listingIn(options.format, DOCTOR, checks, output, redact));
  if (isUsable) return checks.some(({ state }) => state === 'failed') ? EXIT.failed : EXIT.done;
  output.stderr.write(`${harmless(describeError(settings).text)}\n`);
  return EXIT.badInput;
}

function unusable({ message, findings }: InputError): Check {
  const wrong = findings.flatMap(({ diagnostics }) => diagnostics).length;
  return checkIn('settings')('pacekeeper.yaml', {
    found: wrong === 0 ? firstLineOf(message).replace(/:$/, '') : `${count(wrong, 'error')} in it`,
    expected: 'valid settings',
    advice: 'Fix the errors below. Other checks were skipped.',
    as: 'failed',
  });
}

interface Looked {
  readonly part: Part;
  readonly name: string;
  look(): readonly Check[] | Promise<readonly Check[]>;
}

/** All that doctor looks at. A look that fails is a check that failed, and the others go on. */
async function checkRest(settings: Settings, offline: boolean, { output }: Process): Promise<Check[]> {
  const clock = createClock(settings.startAtMs);
  const deps = { clock, log: await openLog(output, settings, clock) };
  const nowMs = clock.now();
  const store = await guarded('data_folder', 'store', async () => (await engineOf(settings)).checks());
  // Older tables of a database are not read before their upgrade.
  const isUsable = store.every(({ name, state }) => state !== 'failed' && (name !== 'records' || state !== 'warning'));
  const all: readonly Looked[] = [
    { part: 'settings', name: 'settings file', look: () => checkSettings(settings, nowMs) },
    { part: 'settings', name: 'queries, rules', look: () => checkInputs(settings, nowMs) },
    { part: 'data_folder', name: 'folder', look: () => checkDataFolder(settings, platform(), store) },
    { part: 'services', name: 'services', look: () => services(settings, offline, deps.log) },
    { part: 'work', name: 'schedule', look: () => [checkSchedule(settings, nowMs)] },
    { part: 'work', name: 'operations', look: () => (isUsable ? operations(settings, offline, deps) : []) },
    { part: 'work', name: 'last report', look: () => (isUsable ? checkRuns(settings, deps) : []) },
  ];
  const checks: Check[] = [];
  for (const { part, name, look } of all) checks.push(...(await guarded(part, name, look)));
  return checks;
}

async function guarded(part: Part, name: string, look: Looked['look']): Promise<readonly Check[]> {
  try {
    return await look();
  } catch (error) {
    const { message, nextStep = 'Fix any other problem first, then run pacekeeper doctor again.' } =
      describeError(error);
    const found = firstLineOf(message);
    return [checkIn(part)(name, { found, expected: 'a check that completes', advice: nextStep, as: 'failed' })];
  }
}

type Deps = Parameters<typeof checkRuns>[1];

const ONCE = { attempts: 1, firstDelayMs: 0, totalMs: 15_000 };

async function services(read: Settings, offline: boolean, log: Deps['log']): Promise<Check[]> {
  if (read.target === 'sandbox') {
    const found = 'the embedded sandbox: nothing leaves this machine';
    return [checkIn('services')('target', { found, expected: 'the sandbox, or live services' })];
  }
  // doctor checks the machine's own clock, even if PACEKEEPER_NOW sets another time.
  const clock = createClock(undefined);
  return open(
    withRetries(read, () => ONCE),
    { clock, log },
    { what: 'areas' },
    (areas) => checkServices(areas, offline, clock.now),
  );
}

/** Before the first run, only the service knows the accounts. Its failures are in its own check. */
async function operations(read: Settings, offline: boolean, deps: Deps): Promise<Check[]> {
  if (offline || read.target === 'sandbox') return checkOperations(read, deps, undefined);
  try {
    return await open(
      withRetries(read, () => ONCE),
      deps,
      { what: 'areas' },
      ({ ads }) => checkOperations(read, deps, ads),
    );
  } catch (error) {
    if (error instanceof ApiError || error instanceof InputError) return [];
    throw error;
  }
}
