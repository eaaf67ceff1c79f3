import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { open } from '../../src/app.ts';
import { extract, type ReadOrder } from '../../src/commands/extract/run-extract.ts';
import { chooseCatalogue } from '../../src/config/load-catalogue.ts';
import { readSettings } from '../../src/config/read-settings.ts';
import type { Clock, Pauses } from '../../src/domain/ports.ts';
import { loadInputs, refuseErrors } from '../../src/engine/load-inputs.ts';
import type { ReportResult } from '../../src/language/results/report-result.ts';
import { putUnusedState } from './state.ts';
import { toldLog } from './told-log.ts';

/** A folder with what a run needs, and the service it reads from. */
export interface Place {
  /** With `pacekeeper.yaml`; the shipped queries and rules where it has none. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly pauses: Pauses;
  /** Called with each line of the log. */
  readonly onLog?: (line: string) => void;
}

/** One run of `pacekeeper extract`, in the place's folder `data`. */
export async function extractIn(place: Place, options: Partial<ReadOrder> = {}): Promise<ReportResult> {
  const { folder, env, clock, pauses, onLog = () => undefined } = place;
  const own = (name: string) => (existsSync(join(folder, name)) ? join(folder, name) : resolve(name));
  const folders = { dataDir: join(folder, 'data'), queries: own('queries'), rules: own('rules') };
  await putUnusedState(folders.dataDir);
  const settings = await readSettings(folder, folders, env);
  const inputs = await loadInputs(settings.paths, () => ({
    catalogue: chooseCatalogue(settings).catalogue,
    parameters: settings.params,
  }));
  refuseErrors(inputs);
  const deps = { clock, pauses, log: toldLog({ info: onLog, warn: onLog }) };
  const job: ReadOrder = { customers: [], scope: { kind: 'window' }, ...options };
  return open(settings, deps, { what: 'all', lock: 'a test' }, (app) => extract(app, inputs, job));
}
