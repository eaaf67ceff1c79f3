import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isTimeZone } from '../../domain/civil-date.ts';
import { InputError } from '../../domain/errors.ts';
import { smallestUnit } from '../../domain/micros.ts';
import type { Ask } from '../cli/ask.ts';
import type { Process } from '../cli/process.ts';
import { credentialsInEnvironment, type FoundCredentials, readCredentialsFile } from './found-credentials.ts';
import type { InitOptions } from './init-command.ts';
import { queriesNamed, type ReadyQuery, readyQueries } from './ready-queries.ts';

export interface Answers {
  readonly target: 'sandbox' | 'live';
  /** The keys are names of environment variables. Secrets go to `.env`. */
  readonly values: ReadonlyMap<string, string>;
  readonly currency: string;
  readonly timeZone: string;
  readonly queries: readonly ReadyQuery[];
  readonly notes: readonly string[];
}

const LIBRARY_FILE = 'google-ads.yaml';

const notTimeZone = (text: string) => (isTimeZone(text) ? undefined : 'Expected a time zone such as Europe/Berlin.');
const notCurrency = (text: string) =>
  smallestUnit(text) === undefined ? 'Expected a currency code such as EUR.' : undefined;
const notAddress = (text: string) =>
  URL.canParse(text) && /^https?:/.test(text) ? undefined : 'Expected an address such as https://ads.example.com.';

/** Throws `InputError` for invalid options. */
export async function gatherAnswers(options: InitOptions, process: Process, ask: Ask | undefined): Promise<Answers> {
  const machineZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const flags = { currency: options.currency ?? 'EUR', timeZone: options.timeZone ?? machineZone };
  refuse(notTimeZone(flags.timeZone), `Invalid --time-zone: found "${flags.timeZone}".`);
  refuse(notCurrency(flags.currency), `Invalid --currency: found "${flags.currency}".`);
  const named = options.query && queriesNamed(options.query);
  const target = options.target ?? (await chooseTarget(options, ask));
  const found = target === 'live' ? await findCredentials(options, process, ask) : NOTHING;
  const ownUrl = options.url === undefined ? [] : [['ADS_URL', options.url] as const];
  return {
    target,
    values: new Map([...found.values, ...(target === 'live' ? ownUrl : [])]),
    notes: [...found.notes, ...(target === 'sandbox' ? unusedNotes(process) : [])],
    currency:
      options.currency ??
      (await ask?.text('Which currency do the accounts use?', { proposed: 'EUR', check: notCurrency })) ??
      flags.currency,
    timeZone:
      options.timeZone ??
      (await ask?.text('Which time zone are you in?', { proposed: machineZone, check: notTimeZone })) ??
      flags.timeZone,
    queries: named ?? (await chooseQueries(ask)),
  };
}

export const FIRST_QUERIES = ['keyword_stats', 'campaign_spend', 'campaign', 'campaign_budget'];

async function chooseQueries(ask: Ask | undefined): Promise<readonly ReadyQuery[]> {
  if (ask === undefined) return [];
  const offered = readyQueries().filter(({ name }) => !FIRST_QUERIES.includes(name));
  const longest = Math.max(...offered.map(({ name }) => name.length));
  const choices = offered.map(({ name, answers }) => ({ value: name, name: `${name.padEnd(longest)}  ${answers}` }));
  return queriesNamed(
    await ask.chooseSome(`Which queries do you want in addition to ${FIRST_QUERIES.join(', ')}?`, choices),
  );
}

const NOTHING: FoundCredentials = { values: new Map(), notes: [] };

function refuse(expected: string | undefined, found: string): void {
  if (expected !== undefined) throw new InputError(`${found} ${expected}`, { nextStep: 'Nothing was written.' });
}

async function chooseTarget({ from, url }: InitOptions, ask: Ask | undefined): Promise<'sandbox' | 'live'> {
  if (from !== undefined || url !== undefined) return 'live';
  if (ask === undefined) return 'sandbox';
  return ask.choose('Where do the numbers come from?', [
    { value: 'sandbox', name: 'the sandbox: a simulated market on this machine' },
    { value: 'live', name: 'a live service: you have credentials for its advertising interface' },
  ]);
}

function unusedNotes({ folder, env }: Process): string[] {
  const found = libraryFile(folder, env);
  return found === undefined
    ? []
    : [`Credentials in ${found} were not read. Use --target live --from ${found} to read them.`];
}

function libraryFile(folder: string, env: Process['env']): string | undefined {
  const places = [
    env.GOOGLE_ADS_CONFIGURATION_FILE_PATH,
    join(folder, LIBRARY_FILE),
    env.HOME && join(env.HOME, LIBRARY_FILE),
  ];
  return places.find((path) => path !== undefined && path !== '' && existsSync(path));
}

async function findCredentials(
  options: InitOptions,
  { folder, env }: Process,
  ask: Ask | undefined,
): Promise<FoundCredentials> {
  if (options.from !== undefined) return readFile(resolve(folder, options.from));
  const inEnvironment = credentialsInEnvironment(env, folder);
  if (inEnvironment.values.size > 0) return inEnvironment;
  const file = libraryFile(folder, env);
  if (ask === undefined) {
    throw new InputError(
      'No credentials for a live service: expected --from, or variables such as GOOGLE_ADS_CLIENT_ID or ADS_URL.',
      {
        nextStep: `${file === undefined ? 'Name a google-ads.yaml with --from' : `Use --from ${file}`}, or start with --target sandbox. Nothing was written.`,
      },
    );
  }
  if (file !== undefined && (await ask.confirm(`Use the credentials in ${file}?`))) return readFile(file);
  return { values: await askCredentials(options, folder, ask), notes: [] };
}

function readFile(path: string): FoundCredentials {
  let source: string;
  try {
    source = readFileSync(path, 'utf8');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const words = code === 'ENOENT' ? 'no such file' : code === 'EISDIR' ? 'it is a folder' : String(code);
    throw new InputError(`Cannot read ${path}: ${words}.`, {
      nextStep: 'Name a google-ads.yaml, or a file with the output of pacekeeper sandbox. Nothing was written.',
      cause,
    });
  }
  return readCredentialsFile(path, source);
}

async function askCredentials({ url }: InitOptions, folder: string, ask: Ask): Promise<ReadonlyMap<string, string>> {
  const values = new Map<string, string>();
  const given = (text: string) => (text === '' ? 'Expected a value.' : undefined);
  const proposed = 'https://googleads.googleapis.com';
  values.set(
    'ADS_URL',
    url ?? (await ask.text('What is the address of the advertising interface?', { proposed, check: notAddress })),
  );
  const kind = await ask.choose('How do you log in?', [
    { value: 'refresh', name: 'with an OAuth client and a refresh token' },
    { value: 'access', name: 'with an access token' },
    { value: 'account', name: 'with the key file of a service account' },
    { value: 'machine', name: 'with the identity of this machine' },
  ]);
  if (kind === 'access') values.set('ADS_ACCESS_TOKEN', await ask.secret('Access token:'));
  else if (kind === 'account') {
    const file = await ask.text('Where is the key file?', { check: given });
    values.set('ADS_SERVICE_ACCOUNT_FILE', resolve(folder, file));
  } else if (kind === 'machine') values.set('ADS_MACHINE_IDENTITY', 'true');
  else {
    values.set('ADS_CLIENT_ID', await ask.text('Client id:', { check: given }));
    values.set('ADS_CLIENT_SECRET', await ask.secret('Client secret:'));
    values.set('ADS_REFRESH_TOKEN', await ask.secret('Refresh token:'));
  }
  if (await ask.confirm('Do you have a developer token? It is optional.')) {
    values.set('ADS_DEVELOPER_TOKEN', await ask.secret('Developer token:'));
  }
  return new Map([...values].map(([name, value]) => [name, value.trim()]));
}
