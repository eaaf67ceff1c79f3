import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { rootCertificates } from 'node:tls';
import type * as z from 'zod';
import type { ChannelSettings } from '../channels/channels.ts';
import { withCaFile } from '../domain/connection-settings.ts';
import type { Diagnostic } from '../domain/diagnostic.ts';
import { InputError, InvariantError } from '../domain/errors.ts';
import { expectation, openYaml } from '../language/yaml/read-yaml.ts';
import { agentProblems } from './agent-limits.ts';
import { checkAlerts } from './alert-settings.ts';
import { readAuthorities } from './authorities.ts';
import type { AccountsQueryCheck } from './check-accounts-query.ts';
import type { ScheduleCheck } from './check-schedule.ts';
import { configPath, dataInUse, inputsLeft, type PathOptions, pathsOf, refuseLostStore } from './folders.ts';
import { type From, type Given, layOver, nameAt, type Problem } from './given.ts';
import { hideValues, isHarmless, SETTINGS_QUOTING } from './hide-values.ts';
import { checkLive, incompleteAreas } from './live-areas.ts';
import { readServiceAccountKey } from './service-account-key.ts';
import { type Environment, keyOf, type Path, SECRET_SETTINGS, SETTINGS, valueAt } from './setting-tree.ts';
import {
  type DeclaredSettings,
  environmentSchema,
  type FolderNote,
  type Paths,
  type Settings,
  settingsSchema,
} from './settings.ts';

/** Includes unused secrets, the users and passwords of proxies, and the password of the database. */
export function secretsIn(tree: unknown, ...environments: readonly Environment[]): string[] {
  const inFile = SECRET_SETTINGS.map(({ at }) => valueAt(tree, at.split('.')));
  const names = SECRET_SETTINGS.flatMap(({ env }) => env);
  const named = environments.flatMap((one) => [...names.map((name) => one[name]), ...proxySecrets(one)]);
  // A secret of digits can be a number in the parsed file.
  const texts = [...named, ...inFile].flatMap(textsIn);
  return [...new Set([...texts, ...texts.flatMap(passwordIn), ...texts.flatMap(keysIn)])].filter((text) => text !== '');
}

/** A secret can be a map of names to addresses. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string' || typeof value === 'number') return [String(value).trim()];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function passwordIn(text: string): string[] {
  const password = /^postgres(?:ql)?:\/\/[^:@/]*:([^@]+)@/i.exec(text)?.[1];
  return password === undefined ? [] : [password, decoded(password)];
}

/** Long parts of an address, because services repeat them alone in their answers. Shorter ones can be usual words. */
function keysIn(text: string): string[] {
  const [, rest = ''] = /^https?:\/\/[^/]+(.*)$/i.exec(text) ?? [];
  return (rest.match(/[^/?&=]{16,}/g) ?? []).flatMap((key) => [key, decoded(key)]);
}

/** Returns users and passwords both as written and decoded. */
function proxySecrets(environment: Environment): string[] {
  return ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY'].flatMap((name) => {
    const account = /^(?:[a-z][a-z0-9+.-]*:\/\/)?([^/?#]*)@/i.exec(environment[name]?.trim() ?? '')?.[1];
    if (account === undefined) return [];
    const [user = '', ...rest] = account.split(':');
    return [user, rest.join(':')].filter((part) => part !== '').flatMap((part) => [part, decoded(part)]);
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Throws `InputError` with all mistakes. The environment wins over the file. */
export async function readSettings(folder: string, options: PathOptions, environment: Environment): Promise<Settings> {
  const source = textOf(folder, options);
  const opened = open(folder, options, environment, source);
  // Loads each check only when needed, because loading is slow.
  const hasSchedule = valueAt(opened.given.tree, ['schedule']) !== undefined;
  const hasQuery = valueAt(opened.given.tree, ['ads', 'accounts_query']) !== undefined;
  return settled(opened, {
    ...(hasSchedule ? { schedule: (await import('./check-schedule.ts')).scheduleProblems } : {}),
    ...(hasQuery ? { accountsQuery: (await import('./check-accounts-query.ts')).accountsQueryProblems } : {}),
  });
}

interface SlowChecks {
  readonly schedule?: ScheduleCheck;
  readonly accountsQuery?: AccountsQueryCheck;
}

/** `source` is the text of a settings file, which need not exist yet. */
export function settingsFrom(
  folder: string,
  options: PathOptions,
  environment: Environment,
  source: string,
  checks: SlowChecks = {},
): Settings {
  return settled(open(folder, options, environment, source), checks);
}

export type QuerySettings = Omit<
  Settings,
  keyof ChannelSettings | 'container' | 'proxy' | 'secrets' | 'serviceAccount' | 'authorities' | 'notes' | 'folderNotes'
>;

/** Omits the settings of live services, because queries and rules do not need them. */
export function readQuerySettings(folder: string, options: PathOptions, environment: Environment): QuerySettings {
  const opened = open(folder, options, environment, textOf(folder, options), false);
  return { ...parsed(opened, []), paths: opened.paths };
}

function textOf(folder: string, options: PathOptions): string {
  const path = configPath(folder, options);
  if (options.config === undefined && !existsSync(path)) return '';
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const found = cause instanceof Error ? cause.message : cause;
    throw new InputError(`The configuration ${path} cannot be read: ${found}.`, {
      nextStep:
        options.config === undefined
          ? 'Check that it is a file and that this user can read it.'
          : 'Name an existing file with --config, or omit the option.',
      cause,
    });
  }
}

type Opened = ReturnType<typeof open>;

function open(folder: string, options: PathOptions, environment: Environment, source: string, withLive = true) {
  const paths = pathsOf(folder, options);
  const yaml = openYaml(source, SETTINGS_QUOTING);
  if (yaml.kind === 'refused') throw refusal(paths, source, yaml.diagnostics, []);
  const target = environment.PACEKEEPER_TARGET?.trim() || valueAt(yaml.tree, ['target']);
  // An unknown target could be live, so check everything.
  const isLive = withLive && target !== undefined && target !== 'sandbox';
  const from: From = { file: dirname(paths.config), environment: folder };
  return {
    folder,
    options,
    paths,
    environment,
    source,
    yaml,
    given: layOver(yaml.tree, environment, isLive, from),
    isLive,
  };
}

function settled(opened: Opened, checks: SlowChecks): Settings {
  const { folder, options, given, yaml, environment, isLive, paths } = opened;
  const settings = parsed(opened, [
    ...(checks.schedule?.(valueAt(yaml.tree, ['schedule'])) ?? []),
    ...(isLive ? incompleteAreas(given) : []),
  ]);
  const { serviceAccountFile, accountsQuery } = settings.ads;
  const keyFile = isLive && serviceAccountFile !== undefined ? readServiceAccountKey(serviceAccountFile) : undefined;
  const { caFile } = settings.tls;
  const own = caFile === undefined ? undefined : readAuthorities(caFile);
  const problems = [
    ...(own?.kind === 'refused' ? [{ at: ['tls', 'ca_file'], says: own.says }] : []),
    ...(accountsQuery === undefined ? [] : (checks.accountsQuery?.(accountsQuery) ?? [])),
    ...(isLive ? checkLive(settings, keyFile, given) : []),
    ...checkAlerts(settings.alerts, given),
    ...agentProblems(settings),
  ];
  refuse(opened, [], problems);
  const serviceAccount = keyFile?.kind === 'ok' ? keyFile.key : undefined;
  const keys = serviceAccount === undefined ? [] : [serviceAccount.privateKey];
  const secrets = [...secretsIn(yaml.tree, environment), ...keys];
  const { url, exploreUrl } = settings.store;
  const urls = {
    store: { url: withCaFile(url, caFile), exploreUrl: withCaFile(exploreUrl, caFile) },
    publish: { postgres: { url: withCaFile(settings.publish.postgres.url, caFile) } },
  };
  const authorities = own?.kind === 'ok' ? [...rootCertificates, ...own.certificates.map(String)] : undefined;
  const notes = isLive ? [] : ignoredNotes(yaml.tree, environment);
  if (url === undefined) refuseLostStore(folder, options);
  const { data, note } = dataInUse(folder, options, paths);
  const folderNotes = [...(note ? [note] : []), ...inputsLeft(folder, options)];
  return { ...settings, ...urls, paths: { ...paths, data }, secrets, serviceAccount, authorities, notes, folderNotes };
}

/** Refuses wrong values and `problems` together. Problems between values can be found only after this. */
function parsed(opened: Opened, problems: readonly Problem[]): DeclaredSettings {
  const { given, yaml } = opened;
  const file = parse(settingsSchema, given.tree);
  const own = parse(environmentSchema, given.environmentTree);
  refuse(opened, [...issuesOf(file), ...unusedIssues(given, yaml.tree), ...issuesOf(own)], problems);
  if (file.success && own.success) return { ...file.data, ...own.data };
  throw new InvariantError('Settings with errors were not refused.');
}

/** In an unused setting, accepts any text for a secret or private value. */
function unusedIssues({ unused }: Given, file: unknown): z.core.$ZodIssue[] {
  if (unused.length === 0) return [];
  const isChecked = (path: Path) =>
    unused.some(
      ({ at, secrecy }) =>
        `${path.join('.')}.`.startsWith(`${at}.`) && (secrecy === 'shown' || typeof valueAt(file, path) !== 'string'),
    );
  return issuesOf(parse(settingsSchema, file)).filter(({ path }) => isChecked(path as Path));
}

function parse<Value>(schema: z.ZodType<Value>, tree: unknown): z.ZodSafeParseResult<Value> {
  // Without `jitless`, zod compiles the schema, which is slower for a single read.
  return schema.safeParse(tree, { jitless: true });
}

const issuesOf = ({ error }: z.ZodSafeParseResult<unknown>) => error?.issues ?? [];

function refuse(opened: Opened, issues: readonly z.core.$ZodIssue[], problems: readonly Problem[]): void {
  const { given, yaml, paths, source } = opened;
  const isInFile = (path: Path) => given.nameOf(path) === undefined;
  const diagnostics = [...yaml.findings(issues.filter(({ path }) => isInFile(path as Path)))];
  const elsewhere = issues.flatMap((issue) => (isInFile(issue.path as Path) ? [] : environmentSentence(issue, given)));
  for (const { at, says } of problems) {
    if (at.length > 0 && isInFile(at) && yaml.places.has(at)) {
      const span = yaml.places.spanOf(at);
      diagnostics.push({ code: 'BAD_VALUE', severity: 'error', span, message: `${keyOf(at)} ${says}` });
    } else elsewhere.push(at.length === 0 ? says : `${nameAt(at, given)} ${says}`);
  }
  if (diagnostics.length > 0 || elsewhere.length > 0)
    throw refusal(paths, source, diagnostics, elsewhere, inputsLeft(opened.folder, opened.options));
}

function environmentSentence(issue: z.core.$ZodIssue, given: Given): string {
  const path = issue.path as Path;
  const setting = given.settingOf(path);
  const tree = setting?.path === undefined ? given.environmentTree : given.tree;
  const value = valueAt(tree, path);
  const isShown = setting?.secrecy === 'shown' && typeof value === 'string' && isHarmless(value);
  return `Found ${isShown ? JSON.stringify(value) : 'text'} for ${given.nameOf(path)}, expected ${expectation(issue)}.`;
}

function refusal(
  { config }: Paths,
  source: string,
  found: readonly Diagnostic[],
  elsewhere: readonly string[],
  left: readonly FolderNote[] = [],
): InputError {
  const diagnostics = found.toSorted((one, other) => one.span.start.offset - other.span.start.offset);
  const findings = diagnostics.length === 0 ? [] : [{ file: config, source: hideValues(source), diagnostics }];
  if (elsewhere.length === 0) {
    return new InputError(`The configuration ${config} cannot be used.`, {
      nextStep: 'Correct the settings above; docs/configuration.md lists all of them. No request was sent.',
      findings,
    });
  }
  return new InputError(`The settings cannot be used:\n${elsewhere.map((problem) => `  - ${problem}`).join('\n')}`, {
    nextStep: [
      `Set or correct them in ${config}, in .env or in the environment. No request was sent.`,
      ...left.map((note) => `${note.found} ${note.nextStep}`),
    ].join(' '),
    findings,
  });
}

/** Reports live settings that are ignored, except proxies, which belong to the machine. */
function ignoredNotes(file: unknown, environment: Environment): string[] {
  const ofServices = SETTINGS.filter(({ isLive, path }) => isLive && path !== undefined);
  const named = ofServices.flatMap(({ env }) => env).filter((name) => environment[name]?.trim());
  const inFile = ofServices.flatMap(({ at }) => (valueAt(file, at.split('.')) === undefined ? [] : at));
  const all = [...named, ...inFile];
  if (all.length === 0) return [];
  return [
    `The target is the sandbox, so these live settings are ignored: ${all.join(', ')}. Set "target: live" to use them.`,
  ];
}
