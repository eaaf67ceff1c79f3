import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Temporal } from 'temporal-polyfill';
import { InputError } from '../domain/errors.ts';
import { type BudgetId, type CampaignId, type CustomerId, customerId, readCustomerId } from '../domain/ids.ts';
import type { Micros } from '../domain/micros.ts';
import type { RetryPolicy } from '../domain/retry-policy.ts';
import type { Environment } from './environment.ts';
import { NEWEST_CATALOGUE } from './load-catalogue.ts';
import { proxySecrets } from './proxy-secrets.ts';
import { LIVE_NAMES, readAds, readMessages } from './read-areas.ts';
import { readProxy } from './read-proxy.ts';
import { SECRET_NAMES } from './secret-names.ts';
import type { Paths, Settings, TargetSettings } from './settings.ts';
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

/** What a file without settings says. */
export const NO_SETTINGS: SettingsFile = {
  ...{ automation: {}, params: {}, ads: {}, messages: {}, sandbox: {}, extract: {}, accounts: {}, budgets: {} },
};

/**
 * Settings from `pacekeeper.yaml` and the environment, which wins. Throws `InputError` with everything that is wrong;
 * nothing has been sent or written then. What reads the file is loaded only when there is one.
 */
export async function readSettings(folder: string, options: PathOptions, environment: Environment): Promise<Settings> {
  const path = configPath(folder, options);
  if (options.config === undefined && !existsSync(path)) return settingsFrom(folder, options, environment, NO_SETTINGS);
  const { readSettingsFile } = await import('./read-settings-file.ts');
  return settingsFrom(folder, options, environment, readSettingsFile(path));
}

/** What queries and rules are judged by. */
export interface QuerySettings extends Pick<Settings, 'paths' | 'catalogue' | 'parameters' | 'startAtMs'> {
  readonly settleDays: ReadonlyMap<string, number>;
  /** Of the accounts that the settings name. */
  readonly currencies: readonly string[];
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
  refuseProblems(problems, paths);
  const currencies = Object.values(file.accounts).flatMap(({ currency }) => currency ?? []);
  return { paths, startAtMs, ...querySettings(file), settleDays: readExtract(file).settleDays, currencies };
}

function mayConcernQueries(path: string): boolean {
  try {
    // A backslash can spell a key in other letters.
    return /catalogue|params|settle_days|currency|\\/.test(readFileSync(path, 'utf8').replace(/^\s*#.*$/gm, ''));
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
  const ads = kind === 'live' ? readAds(file, env, problems) : undefined;
  const messages = kind === 'live' ? readMessages(file, env, problems) : undefined;
  if (kind === 'live' && problems.length === 0 && !ads && !messages) {
    problems.push('The target is live, and neither the advertising nor the messaging interface is configured.');
  }
  const target: TargetSettings = kind === 'live' ? { kind, ads, messages } : { kind };
  const settings: Settings = {
    paths,
    target,
    sandbox: readSandbox(file, env, folder, paths),
    startAtMs: readStart(env('PACEKEEPER_NOW'), problems),
    mode: file.automation.mode ?? (kind === 'live' ? 'propose' : 'apply'),
    automation: {
      changesPerRun: file.automation.changes_per_run ?? CHANGES_PER_RUN,
      approvalHours: file.automation.approval_hours ?? APPROVAL_HOURS,
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
    extract: readExtract(file),
    accounts: new Map(
      Object.entries(file.accounts).map(([id, account]) => [
        customerId(id),
        {
          ...{ currency: account.currency, timeZone: account.time_zone },
          ...{ dailyTotalMax: account.daily_total, dailyExposureMax: account.daily_exposure },
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
    nextStep: `Set them in ${config}, in .env or in the environment. No request was sent.`,
  });
}

type Env = (name: string) => string | undefined;

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

function readSandbox(file: SettingsFile, env: Env, folder: string, paths: Paths): Settings['sandbox'] {
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
  };
}

/** Delays double from the first one: 5 s, 10 s, 20 s between four tries, unless the settings say otherwise. */
function readRetry(retry: NonNullable<SettingsFile['ads']['retry']>): RetryPolicy {
  return {
    attempts: retry.attempts ?? 4,
    firstDelayMs: retry.first_delay_ms ?? 5_000,
    totalMs: retry.total_ms ?? 120_000,
  };
}

function readExtract({ extract }: SettingsFile): Settings['extract'] {
  return {
    concurrency: extract.concurrency ?? 16,
    dayClosesAt: extract.day_closes_at ?? '03:00',
    settleDays: new Map(Object.entries(extract.settle_days ?? {})),
    operationsPerDay: extract.operations_per_day,
  };
}

function readBudgets(file: SettingsFile): Settings['budgets'] {
  return new Map(
    Object.entries(file.budgets).map(([customer, budgets]) => [
      customerId(customer),
      new Map(Object.entries(budgets) as [BudgetId, { amount: Micros; campaigns: CampaignId[] }][]),
    ]),
  );
}

function secretsOf(file: SettingsFile, env: Env): string[] {
  const { ads, messages } = file;
  const values = [ads.access_token, ads.client_secret, ads.refresh_token, ads.developer_token, messages.password];
  return [...SECRET_NAMES.map(env), ...values, ...proxySecrets(env)].filter((value) => value !== undefined);
}

/** How often to try again, how long to wait, and what queries are checked against, holds for the sandbox, too. */
const FOR_BOTH_TARGETS = ['retry', 'timeouts', 'catalogue'];

/** Live settings beside the sandbox are never used, and never silently so. */
function ignoredNotes(file: SettingsFile, env: Env): string[] {
  const named = LIVE_NAMES.filter((name) => env(name) !== undefined);
  const { ads, messages } = file;
  const inFile = Object.entries({ ads, messages }).flatMap(([area, values]) =>
    Object.keys(values).flatMap((key) => (FOR_BOTH_TARGETS.includes(key) ? [] : `${area}.${key}`)),
  );
  const all = [...named, ...inFile];
  if (all.length === 0) return [];
  return [`The target is the sandbox, so live settings are not used: ${all.join(', ')}. Set target: live to use them.`];
}
