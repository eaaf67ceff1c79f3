import { type AppDeps, type AreasApp, withAreas } from '../app.ts';
import { type Environment, readEnvironment } from '../config/environment.ts';
import { readSettings } from '../config/read-settings.ts';
import { withRetries } from '../config/with-retries.ts';
import { whileSomebodyWaits } from '../domain/retry-policy.ts';
import { createClock, systemPauses } from '../system-time.ts';
import type { CommonOptions } from './common-options.ts';
import { openLog } from './open-log.ts';
import type { Process } from './process.ts';

/** What a command that only asks or tells a service has besides the interfaces. */
export type AskDeps = AppDeps & { readonly environment: Environment };

/** Reads the settings, opens the interfaces and nothing of the databases, and answers with what `job` does. */
export async function askService<Value>(
  options: CommonOptions,
  { folder, env, output }: Process,
  job: (areas: AreasApp, deps: AskDeps) => Promise<Value>,
  looksOnly = false,
): Promise<Value> {
  const environment = readEnvironment(folder, env);
  const read = await readSettings(folder, options, environment);
  const settings = withRetries(read, whileSomebodyWaits);
  const log = await openLog(output, settings, createClock(settings.startAtMs));
  const deps = { clock: createClock(settings.startAtMs), pauses: systemPauses, log, looksOnly };
  return withAreas(settings, deps, (areas) => job(areas, { ...deps, environment }));
}
