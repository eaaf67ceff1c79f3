import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';
import { open } from '../../src/app.ts';
import { extract, type ReadOrder } from '../../src/commands/extract/run-extract.ts';
import { chooseCatalogue } from '../../src/config/load-catalogue.ts';
import { readSettings } from '../../src/config/read-settings.ts';
import type { App } from '../../src/engine/app.ts';
import type { CrashPoints } from '../../src/engine/budgets/budget-deps.ts';
import { type Inputs, loadInputs, refuseErrors, withFixedRates } from '../../src/engine/load-inputs.ts';
import { ANSWER_WAIT_MS } from '../../src/engine/process-time.ts';
import type { SharedWork } from '../../src/engine/queue/shared-work.ts';
import { type ReportOptions, report } from '../../src/engine/report.ts';
import type { ReportResult } from '../../src/language/results/report-result.ts';
import type { Fault } from '../../src/sandbox/fault-modes.ts';
import type { SandboxRequest } from '../../src/sandbox/read-request.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { type FakeClock, type FakePauses, fakeClock, fakePauses } from './fake-time.ts';
import { folderStore, type StorePart } from './folder-store.ts';
import { tempDir } from './temp-dir.ts';
import { toldLog } from './told-log.ts';

export const NOON = '2026-11-20T12:00:00Z';

export interface WorldOptions {
  readonly now?: string;
  readonly strict?: boolean;
  /** The accounts stand below managers. */
  readonly manager?: boolean;
  /** Text of `pacekeeper.yaml`; live automation applies unless this says otherwise. */
  readonly config?: string;
  /** File name to text; the shipped files when absent. */
  readonly queries?: Readonly<Record<string, string>>;
  readonly rules?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly sliceBytesMax?: number;
}

/** The whole product against a sandbox that it treats as live: real HTTP, a real store on the engine of the project, a clock that tests move. */
export interface World {
  readonly sandbox: Sandbox;
  readonly clock: FakeClock;
  readonly pauses: FakePauses;
  readonly folder: string;
  readonly dataDir: string;
  /** Names the store to a program. */
  readonly storeEnv: Readonly<Record<string, string>>;
  /** What the product wrote to its log. */
  readonly log: readonly string[];
  /** How the service misbehaves from now on; undefined for not at all. */
  fault: ((request: SandboxRequest) => Fault | undefined) | undefined;
  /** What asks the next runs to stop; an answer on its way is then waited for as long as it takes. */
  stop: AbortSignal | undefined;
  /** Is told of each commit and request of the next runs, and may throw. */
  passes: CrashPoints | undefined;
  /** Who shares the work of the next runs. */
  worker: ((app: App, inputs: Inputs) => SharedWork) | undefined;
  /** Replaces `pacekeeper.yaml` from the next run on. */
  reconfigure(config: string): Promise<void>;
  /** One run of `pacekeeper report`. */
  report(options?: Partial<ReportOptions>): Promise<ReportResult>;
  /** One run of `pacekeeper extract`. */
  extract(options?: Partial<ReadOrder>): Promise<ReportResult>;
  /** Rows of a query on the records or on what is published. */
  rows(part: StorePart, sql: string): Record<string, unknown>[];
  /** Changes the records. */
  execute(...sql: readonly string[]): void;
}

export const APPLY = 'automation: { mode: apply }\nads: { retry: { attempts: 2, first_delay_ms: 1000 } }\n';

export async function createWorld(options: WorldOptions = {}): Promise<World> {
  const folder = tempDir();
  const dataDir = join(folder, 'data');
  const store = await folderStore(dataDir);
  await store.putTables();
  const clock = fakeClock(options.now ?? NOON);
  const pauses = fakePauses();
  const log: string[] = [];
  let fault: World['fault'];
  let stop: World['stop'];
  let passes: World['passes'];
  let worker: World['worker'];
  const sandbox = await startSandbox({
    stateFile: join(folder, 'service.sqlite'),
    clock,
    seed: 1,
    strict: options.strict ?? false,
    manager: options.manager ?? false,
    fault: (request) => fault?.(request),
  });
  onTestFinished(() => sandbox.close());
  const config = join(folder, 'pacekeeper.yaml');
  writeFileSync(config, options.config ?? APPLY);
  const queries = writeFolder(folder, 'queries', options.queries);
  const rules = writeFolder(folder, 'rules', options.rules);
  const env = { ...liveEnvironment(sandbox), ...store.env, ...options.env };

  const run = async (job: (app: App, inputs: Inputs) => Promise<ReportResult>): Promise<ReportResult> => {
    const settings = await readSettings(folder, { config, dataDir, queries, rules }, env);
    const read = await loadInputs(settings.paths, () => ({
      catalogue: chooseCatalogue(settings).catalogue,
      parameters: settings.params,
    }));
    const inputs = withFixedRates(read, settings);
    refuseErrors(inputs);
    // The person writes before each run, so free text arrives.
    sandbox.phoneWrites(sandbox.credentials.messages.to);
    const line = (text: string) => void log.push(text);
    const pause = (milliseconds: number, until?: AbortSignal) =>
      milliseconds === ANSWER_WAIT_MS && until ? endOf(until) : pauses.pause(milliseconds);
    const told = toldLog({ info: line, warn: line });
    const { sliceBytesMax } = options;
    const bound = sliceBytesMax === undefined ? {} : { sliceBytesMax };
    const deps = {
      clock,
      pauses: { ...pauses, pause },
      log: told,
      ...(stop && { stop }),
      ...(passes && { passes }),
      ...bound,
    };
    return open(settings, deps, { what: 'all', lock: 'a test' }, (app) => {
      const shared = worker?.(app, inputs);
      return job(shared ? { ...app, shareWork: async () => shared } : app, inputs);
    });
  };

  return {
    sandbox,
    clock,
    pauses,
    folder,
    dataDir,
    storeEnv: store.env,
    log,
    get fault() {
      return fault;
    },
    set fault(next) {
      fault = next;
    },
    get stop() {
      return stop;
    },
    set stop(next) {
      stop = next;
    },
    get passes() {
      return passes;
    },
    set passes(next) {
      passes = next;
    },
    get worker() {
      return worker;
    },
    set worker(next) {
      worker = next;
    },
    async reconfigure(text) {
      writeFileSync(config, text);
    },
    report: (chosen = {}) =>
      run((app, inputs) => report(app, inputs, { customers: [], dryRun: false, noExtract: false, ...chosen })),
    extract: (chosen = {}) =>
      run((app, inputs) => extract(app, inputs, { customers: [], scope: { kind: 'window' }, ...chosen })),
    rows: (part, sql) => store.rows(sql, part),
    execute: store.execute,
  };
}

function endOf(signal: AbortSignal): Promise<void> {
  return new Promise((over) => signal.addEventListener('abort', () => over(), { once: true }));
}

/** The environment that makes a sandbox the live service. */
export function liveEnvironment({ url, credentials }: Sandbox): Record<string, string> {
  return {
    PACEKEEPER_TARGET: 'live',
    ADS_URL: url,
    ADS_ACCESS_TOKEN: credentials.accessToken,
    MESSAGES_URL: url,
    MESSAGES_ACCOUNT_ID: credentials.messages.accountId,
    MESSAGES_USERNAME: credentials.messages.username,
    MESSAGES_PASSWORD: credentials.messages.password,
    MESSAGES_FROM: credentials.messages.from,
    MESSAGES_TO: credentials.messages.to,
  };
}

/** Writes the files into a folder of that name; the shipped folder where there are none. */
export function writeFolder(folder: string, name: string, files: Readonly<Record<string, string>> | undefined): string {
  if (files === undefined) return resolve(name);
  const path = join(folder, name);
  mkdirSync(path);
  for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), text);
  return path;
}
