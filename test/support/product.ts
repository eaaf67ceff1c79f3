import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Fault } from '../../src/sandbox/fault-modes.ts';
import type { SandboxRequest } from '../../src/sandbox/read-request.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { type ProgramOptions, type ProgramResult, runInProcess } from '../commands/run-in-process.ts';
import { fakeClock } from './fake-time.ts';
import { type FolderStore, folderStore } from './folder-store.ts';
import { freshDatabase } from './postgres-server.ts';
import { type CliOptions, type CliResult, COMPILED, PROGRAM, runCli } from './run-cli.ts';
import { byEngine } from './state.ts';
import { tempDir } from './temp-dir.ts';
import { TRIM_QUERIES, TRIM_RULES, TRIMMED } from './trim-rule.ts';
import { liveEnvironment, NOON, writeFolder } from './world.ts';

export interface ProductOptions {
  /** The mode that the settings allow; apply when absent. */
  readonly mode?: 'propose' | 'approve' | 'apply';
  /** More lines of `pacekeeper.yaml`. */
  readonly config?: string;
  /** Those of the one campaign that is trimmed when absent. */
  readonly queries?: Readonly<Record<string, string>>;
  readonly rules?: Readonly<Record<string, string>>;
  /** The account of the trimmed campaign when absent. */
  readonly customers?: string;
  /** Of all accounts; each has its own when absent. */
  readonly currency?: string;
  /** The databases and the service of another one go on here as they stood. */
  readonly left?: Left;
}

/** What a product leaves, see {@link leftBy}. */
export interface Left {
  /** Those of its data folder and of its service. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** Its database on PostgreSQL. */
  readonly database: string | undefined;
}

/** The command line in a folder of its own, against a sandbox that it takes for the live service. */
export interface Product extends Pick<FolderStore, 'place' | 'rows' | 'execute' | 'hold'> {
  readonly sandbox: Sandbox;
  readonly folder: string;
  /** The environment of its commands. */
  env(): Readonly<Record<string, string>>;
  /** How the service misbehaves from now on; undefined for not at all. */
  fault: ((request: SandboxRequest) => Fault | undefined) | undefined;
  /** Moves the clock of the product and of the service. */
  at(now: string): void;
  reconfigure(mode: NonNullable<ProductOptions['mode']>, more?: string): void;
  /** One command in this process, by a person called anna. */
  run(args: readonly string[], options?: ProgramOptions): Promise<ProgramResult>;
  /** The same with `--format json`, read. */
  // biome-ignore lint/suspicious/noExplicitAny: what a command prints is for each test to look at.
  json(args: readonly string[]): Promise<{ readonly code: number | undefined; readonly stderr: string; value: any }>;
  /** One command of the built program, in a process of its own. */
  cli(args: readonly string[], onStart?: CliOptions['onStart']): Promise<CliResult>;
  /** The same, to its end before this returns: neither this process nor its service does anything meanwhile. */
  cliNow(args: readonly string[]): { readonly status: number | null; readonly stdout: string; readonly stderr: string };
  /** The kinds of the events, oldest first. */
  events(): unknown[];
  /** Every mutate that was received, those of validation included. */
  mutates(): SandboxRequest[];
  /** The mutates that were to change something. */
  sends(): SandboxRequest[];
  /** What the service shows for the trimmed campaign's budget, micros. */
  amount(): bigint;
}

export const BUDGET = TRIMMED.budgetId;

export async function createProduct(options: ProductOptions = {}): Promise<Product> {
  const folder = tempDir();
  const clock = fakeClock(NOON);
  let now = NOON;
  let fault: Product['fault'];
  const { left } = options;
  for (const [name, bytes] of left?.files ?? []) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), bytes);
  }
  if (left?.database) mkdirSync(join(folder, 'data'));
  const store = await folderStore(join(folder, 'data'), left?.database);
  const sandbox = await startSandbox({
    stateFile: join(folder, 'service.sqlite'),
    clock,
    seed: 1,
    strict: false,
    ...(options.currency && { currency: options.currency }),
    fault: (request) => fault?.(request),
  });
  onTestFinished(() => sandbox.close());
  const reconfigure: Product['reconfigure'] = (mode, more = options.config ?? '') =>
    writeFileSync(
      join(folder, 'pacekeeper.yaml'),
      `automation: { mode: ${mode} }\nads: { retry: { attempts: 1, first_delay_ms: 0 } }\n${more}`,
    );
  reconfigure(options.mode ?? 'apply');
  writeFolder(folder, 'queries', options.queries ?? TRIM_QUERIES);
  writeFolder(folder, 'rules', options.rules ?? TRIM_RULES);
  const env = () => ({
    ...liveEnvironment(sandbox),
    ...store.env,
    ADS_CUSTOMER_IDS: options.customers ?? TRIMMED.customerId,
    PACEKEEPER_NOW: now,
  });
  const run: Product['run'] = async (args, more = {}) => {
    if (args[0] === 'report') await store.putTables();
    return runInProcess(args, { folder, userName: 'anna', ...more, env: { ...env(), ...more.env } });
  };
  const mutates = () => sandbox.requests.filter(({ kind }) => kind === 'mutate');
  const { place, rows, execute, hold } = store;
  // The same service under another port.
  if (left?.database || left?.files.has('data/state.sqlite')) {
    execute(`UPDATE target SET identity = 'live (${sandbox.url})'`);
  }
  return {
    sandbox,
    folder,
    env,
    reconfigure,
    run,
    place,
    rows,
    execute,
    hold,
    mutates,
    get fault() {
      return fault;
    },
    set fault(next) {
      fault = next;
    },
    at(later) {
      now = later;
      clock.set(later);
      // The person writes each time, so free text arrives. For what happens otherwise, see test/alerts/templates.test.ts.
      sandbox.phoneWrites(sandbox.credentials.messages.to);
    },
    async json(args) {
      const { code, stdout, stderr } = await run([...args, '--format', 'json']);
      return { code, stderr, value: stdout === '' ? undefined : JSON.parse(stdout) };
    },
    cli: (args, onStart) => runCli(args, { cwd: folder, env: env(), ...(onStart ? { onStart } : {}) }),
    cliNow: (args) =>
      spawnSync(process.execPath, [PROGRAM, ...args], {
        cwd: folder,
        encoding: 'utf8',
        env: { PATH: process.env.PATH ?? '', NODE_COMPILE_CACHE: COMPILED, ...env() },
      }),
    events: () => rows('SELECT kind FROM budget_event ORDER BY id').map(({ kind }) => kind),
    sends: () => mutates().filter(({ validateOnly }) => !validateOnly),
    amount: () => sandbox.budgetAmount(TRIMMED.customerId, BUDGET),
  };
}

/** Products that stand where the first one of the file was left: what was run before them need not run again. */
export function copiesOf(
  first: () => Promise<Product>,
  options: Omit<ProductOptions, 'left'> = {},
): () => Promise<Product> {
  let left: ReturnType<typeof leftBy> | undefined;
  return async () => {
    left ??= first().then(leftBy);
    return createProduct({ ...options, left: await left });
  };
}

export const isChange = ({ kind, validateOnly }: SandboxRequest) => kind === 'mutate' && validateOnly === false;
export const isValidation = ({ kind, validateOnly }: SandboxRequest) => kind === 'mutate' && validateOnly === true;

/** The service says that the trimmed campaign spends from another budget now, and another campaign from its old one. */
export function giveAnotherBudget(product: Product): void {
  const { customerId, campaignId } = TRIMMED;
  const row = (id: string, budget: string) => ({
    campaign: { id, campaignBudget: `customers/${customerId}/campaignBudgets/${budget}`, status: 'ENABLED' },
    campaignBudget: { amountMicros: '60000000' },
  });
  const body = JSON.stringify([{ results: [row(campaignId, '909'), row('9', BUDGET)] }]);
  product.fault = ({ query }) =>
    query?.includes('campaign_budget.amount_micros') ? { kind: 'replace', body } : undefined;
}

/** Ends the product's service. A database is kept until the server ends. */
export async function leftBy({ folder, place, sandbox }: Product): Promise<Left> {
  await sandbox.close();
  const data = readdirSync(join(folder, 'data'))
    .filter((name) => name.endsWith('.sqlite'))
    .map((name) => join('data', name));
  const files = new Map([...data, 'service.sqlite'].map((name) => [name, readFileSync(join(folder, name))]));
  const database = byEngine({ sqlite: undefined, postgres: place });
  return { files, database: database && (await freshDatabase(database)) };
}
