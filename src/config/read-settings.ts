import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Temporal } from 'temporal-polyfill';
import { InputError } from '../domain/errors.ts';
import { type BudgetId, type CampaignId, type CustomerId, customerId, readCustomerId } from '../domain/ids.ts';
import type { Micros } from '../domain/micros.ts';
import { DEFAULT_RETRY, type RetryPolicy } from '../domain/retry-policy.ts';
import { checkUrl, type Env } from './area-problems.ts';
import type { Environment } from './environment.ts';
import { NEWEST_CATALOGUE } from './load-catalogue.ts';
import { readAlerts } from './read-alerts.ts';
import { readFaults } from './read-faults.ts';
import { ignoredNotes, readLive, secretsOf } from './read-live.ts';
import { readProxy } from './read-proxy.ts';
import { readServe } from './read-serve.ts';
import type { Paths, Settings } from './settings.ts';
import type { SettingsFile } from './settings-schema.ts';

/** The options every command takes, as they were typed. */
export interface PathOptions {
  readonly config?: string | undefined;
  readonly queries?: string | undefined;
  readonly rules?: string | undefined;
  readonly dataDir?: string | undefined;
}

/** A rule gone wrong stops here and not at the last budget of the last account. */
const CHANGES_PER_RUN = 100;
const APPROVAL_HOURS = 24;
const READ_LAG_MINUTES = 60;
const MINUTE_MS = 60_000;

/** What a file without settings says. */
export const NO_SETTINGS: SettingsFile = {
  ...{
    automation: {},
    params: {},
    ads: {},
    messages: {},
    graph: {},
    container: {},
    serve: {},
    sandbox: {},
    extract: {},
    heartbeat: {},
    log: {},
  },
  ...{ alerts: { recipients: {}, routes: [] }, schedule: [], accounts: {}, budgets: {} },
};

/**
 * Settings from `pacekeeper.yaml` and the environment, which wins. Throws `InputError` with everything that is wrong;
 * nothing has been sent or written then. What reads the file is loaded only when there is one.
 */
export async function readSettings(folder: string, options: PathOptions, environment: Environment): Promise<Settings> {
  const path = configPath(folder, options);
  if (options.config === undefined && !existsSync(path)) return settingsFrom(folder, options, environment, NO_SETTINGS);
  const { readSettingsFile } = await import('./read-settings-file.ts');
  const check = mayHaveSchedule(path) ? (await import('./read-schedule.ts')).scheduleProblems : undefined;
  return settingsFrom(folder, options, environment, readSettingsFile(path, check));
}

function mayHaveSchedule(path: string): boolean {
  try {
    // A backslash can spell a key in other letters.
    return /schedule|\\/.test(readFileSync(path, 'utf8').replace(/^\s*#.*$/gm, ''));
  } catch {
    return false;
  }
}

/** What queries and rules are judged by. */
export interface QuerySettings extends Pick<Settings, 'paths' | 'catalogue' | 'parameters' | 'startAtMs'> {
  readonly settleDays: ReadonlyMap<string, number>;
  /** Of the accounts that the settings name. */
  readonly currencies: readonly string[];
  readonly target: Settings['target']['kind'];
  /** Whether the sandbox offers only what the specification shows. */
  readonly strict: boolean;
}

/**
 * The settings that queries are judged by, and no others: a service that is configured by half is no matter to them. A
 * file that speaks of none of them is not read further, which makes a check of one query start fast.
 */
export async function readQuerySettings(
  folder: string,
  options: PathOptions,
  environment: Environment,
): Promise<QuerySettings> {
  const paths = readPaths(folder, options);
  const concerned = options.config !== undefined || mayConcernQueries(paths.config);
  const file = concerned ? (await import('./read-settings-file.ts')).readSettingsFile(paths.config) : NO_SETTINGS;
  const problems: string[] = [];
  const startAtMs = readStart(environment.PACEKEEPER_NOW?.trim() || undefined, problems);
  const target = readTargetKind(environment.PACEKEEPER_TARGET?.trim() || undefined, file, problems);
  refuseProblems(problems, paths);
  return {
    paths,
    startAtMs,
    target,
    strict: file.sandbox.strict ?? false,
    ...querySettings(file),
    settleDays: readExtract(file).settleDays,
    currencies: Object.values(file.accounts).flatMap(({ currency }) => currency ?? []),
  };
}

function mayConcernQueries(path: string): boolean {
  try {
    // A backslash can spell a key in other letters.
    return /catalogue|params|settle_days|currency|\blive\b|strict|\\/.test(
      readFileSync(path, 'utf8').replace(/^\s*#.*$/gm, ''),
    );
  } catch (error) {
    return (error as { code?: unknown }).code !== 'ENOENT';
  }
}

function querySettings(file: SettingsFile): Pick<Settings, 'catalogue' | 'parameters'> {
  return { catalogue: file.ads.catalogue ?? NEWEST_CATALOGUE, parameters: new Map(Object.entries(file.params)) };
}

function readPaths(folder: string, options: PathOptions): Paths {
  return {
    config: configPath(folder, options),
    queries: resolve(folder, options.queries ?? 'queries'),
    rules: resolve(folder, options.rules ?? 'rules'),
    data: resolve(folder, options.dataDir ?? 'data'),
  };
}

export function configPath(folder: string, { config }: PathOptions): string {
  return resolve(folder, config ?? 'pacekeeper.yaml');
}

/** Settings from what the file says and the environment. Throws as {@link readSettings} does. */
export function settingsFrom(
  folder: string,
  options: PathOptions,
  environment: Environment,
  file: SettingsFile,
): Settings {
  const paths = readPaths(folder, options);
  const problems: string[] = [];
  const env = (name: string) => environment[name]?.trim() || undefined;

  const kind = readTargetKind(env('PACEKEEPER_TARGET'), file, problems);
  const target = kind === 'live' ? readLive(file, env, problems) : { kind };
  const settings: Settings = {
    paths,
    target,
    sandbox: readSandbox(file, env, folder, paths, problems),
    startAtMs: readStart(env('PACEKEEPER_NOW'), problems),
    mode: file.automation.mode ?? (kind === 'live' ? 'propose' : 'apply'),
    automation: {
      changesPerRun: file.automation.changes_per_run ?? CHANGES_PER_RUN,
      approvalHours: file.automation.approval_hours ?? APPROVAL_HOURS,
      readLagMs: (file.automation.read_lag_minutes ?? READ_LAG_MINUTES) * MINUTE_MS,
    },
    customerIds: kind === 'live' ? readCustomerIds('ADS_CUSTOMER_IDS', file.ads.customer_ids, env, problems) : [],
    excludeCustomerIds:
      kind === 'live' ? readCustomerIds('ADS_EXCLUDE_CUSTOMER_IDS', file.ads.exclude_customer_ids, env, problems) : [],
    ...querySettings(file),
    adsRetry: readRetry(file.ads.retry ?? {}),
    adsTimeouts: {
      connectMs: file.ads.timeouts?.connect_ms,
      headersMs: file.ads.timeouts?.headers_ms,
      bodyIdleMs: file.ads.timeouts?.body_idle_ms,
    },
    proxy: kind === 'live' ? readProxy(env, problems) : undefined,
    messagesRetry: readRetry(file.messages.retry ?? {}),
    graphRetry: readRetry(file.graph.retry ?? {}),
    containerRetry: readRetry(file.container.retry ?? {}),
    alerts: readAlerts(file, problems),
    serve: readServe(file, env, problems),
    extract: readExtract(file),
    schedule: file.schedule.map(({ time_zone: timeZone, ...job }) => ({ ...job, timeZone })),
    heartbeatUrl: readHeartbeat(file, env, problems),
    logFormat: readLogFormat(file, env, problems),
    holidays: new Set(file.holidays),
    accounts: new Map(
      Object.entries(file.accounts).map(([id, account]) => [
        customerId(id),
        {
          ...{ currency: account.currency, timeZone: account.time_zone, locale: account.locale },
          ...{ dailyTotalMax: account.daily_total, dailyExposureMax: account.daily_exposure },
          holidays: account.holidays && new Set(account.holidays),
        },
      ]),
    ),
    budgets: readBudgets(file),
    secrets: secretsOf(file, env),
    notes: kind === 'sandbox' ? ignoredNotes(file, env) : [],
  };
  refuseProblems(problems, paths);
  return settings;
}

function refuseProblems(problems: readonly string[], { config }: Paths): void {
  if (problems.length === 0) return;
  throw new InputError(`The settings cannot be used:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`, {
    nextStep: `Set or correct them in ${config}, in .env or in the environment. No request was sent.`,
  });
}

function readTargetKind(
  fromEnvironment: string | undefined,
  file: SettingsFile,
  problems: string[],
): 'sandbox' | 'live' {
  const kind = fromEnvironment ?? file.target ?? 'sandbox';
  if (kind === 'sandbox' || kind === 'live') return kind;
  problems.push(`PACEKEEPER_TARGET is "${kind}", expected sandbox or live.`);
  return 'sandbox';
}

const EARLIEST_MS = 0;
const LATEST_MS = Date.UTC(9000, 0, 1);

function readStart(text: string | undefined, problems: string[]): number | undefined {
  if (text === undefined) return undefined;
  try {
    const startMs = Temporal.Instant.from(text).epochMilliseconds;
    if (startMs >= EARLIEST_MS && startMs < LATEST_MS) return startMs;
    problems.push(`PACEKEEPER_NOW is "${text}", expected a year from 1970 to 8999.`);
    return undefined;
  } catch {
    problems.push(`PACEKEEPER_NOW is "${text}", expected an instant such as 2026-03-01T12:00:00Z.`);
    return undefined;
  }
}

function readCustomerIds(
  name: string,
  inFile: readonly CustomerId[] | undefined,
  env: Env,
  problems: string[],
): readonly CustomerId[] {
  const listed = env(name);
  if (listed === undefined) return inFile ?? [];
  return listed
    .split(',')
    .filter((text) => text.trim() !== '')
    .flatMap((text) => {
      const reading = readCustomerId(text);
      if (reading.kind === 'ok') return [reading.id];
      problems.push(`${name}: ${reading.reason}`);
      return [];
    });
}

function readSandbox(
  file: SettingsFile,
  env: Env,
  folder: string,
  paths: Paths,
  problems: string[],
): Settings['sandbox'] {
  const fromEnvironment = env('PACEKEEPER_MARKET');
  const besideConfig = (path: string | undefined) =>
    path === undefined ? undefined : resolve(dirname(paths.config), path);
  return {
    seed: file.sandbox.seed ?? 1,
    strict: file.sandbox.strict ?? false,
    manager: file.sandbox.manager ?? false,
    market: fromEnvironment === undefined ? besideConfig(file.sandbox.market) : resolve(folder, fromEnvironment),
    port: file.sandbox.port,
    dataDir: besideConfig(file.sandbox.data_dir),
    faults: readFaults(env, problems) ?? file.sandbox.fault ?? [],
  };
}

/** The default itself where nothing is said, so that it can be told from the same numbers as somebody's wish. */
function readRetry(retry: NonNullable<SettingsFile['ads']['retry']>): RetryPolicy {
  if (Object.values(retry).every((value) => value === undefined)) return DEFAULT_RETRY;
  return {
    attempts: retry.attempts ?? DEFAULT_RETRY.attempts,
    firstDelayMs: retry.first_delay_ms ?? DEFAULT_RETRY.firstDelayMs,
    totalMs: retry.total_ms ?? DEFAULT_RETRY.totalMs,
  };
}

function readExtract({ extract }: SettingsFile): Settings['extract'] {
  return {
    concurrency: extract.concurrency ?? 16,
    dayClosesAt: extract.day_closes_at ?? '03:00',
    settleDays: new Map(Object.entries(extract.settle_days ?? {})),
    operationsPerDay: extract.operations_per_day,
    keepRecordsDays: extract.keep_records_days ?? 400,
  };
}

function readHeartbeat({ heartbeat }: SettingsFile, env: Env, problems: string[]): string | undefined {
  const url = env('HEARTBEAT_URL') ?? heartbeat.url;
  return url === undefined ? undefined : checkUrl('HEARTBEAT_URL', url, problems);
}

function readLogFormat({ log }: SettingsFile, env: Env, problems: string[]): Settings['logFormat'] {
  const format = env('PACEKEEPER_LOG') ?? log.format;
  if (format === undefined || format === 'text' || format === 'json') return format;
  problems.push(`PACEKEEPER_LOG is "${format}", expected text or json.`);
  return undefined;
}

function readBudgets(file: SettingsFile): Settings['budgets'] {
  return new Map(
    Object.entries(file.budgets).map(([customer, budgets]) => [
      customerId(customer),
      new Map(Object.entries(budgets) as [BudgetId, { amount: Micros; campaigns: CampaignId[] }][]),
    ]),
  );
}
