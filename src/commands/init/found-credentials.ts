import { dirname, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import * as z from 'zod';
import { type Environment, SETTINGS } from '../../config/setting-tree.ts';
import { InputError } from '../../domain/errors.ts';
import { didYouMean } from '../../language/gaql/check/suggest.ts';
import type { Quoting } from '../../language/yaml/parsing.ts';
import { readYaml } from '../../language/yaml/read-yaml.ts';

export interface FoundCredentials {
  readonly values: ReadonlyMap<string, string>;
  /** The sentences never contain values, because values can be secrets. */
  readonly notes: readonly string[];
}

const PUBLIC_URL = 'https://googleads.googleapis.com';

/** A Map instead of an object, because a file can have a key such as `constructor`. */
const TAKEN: ReadonlyMap<string, string> = new Map([
  ['developer_token', 'ADS_DEVELOPER_TOKEN'],
  ['client_id', 'ADS_CLIENT_ID'],
  ['client_secret', 'ADS_CLIENT_SECRET'],
  ['refresh_token', 'ADS_REFRESH_TOKEN'],
  ['login_customer_id', 'ADS_LOGIN_CUSTOMER_ID'],
  ['endpoint', 'ADS_URL'],
  ['json_key_file_path', 'ADS_SERVICE_ACCOUNT_FILE'],
  ['path_to_private_key_file', 'ADS_SERVICE_ACCOUNT_FILE'],
  ['impersonated_email', 'ADS_IMPERSONATED_EMAIL'],
  ['delegated_account', 'ADS_IMPERSONATED_EMAIL'],
  ['use_application_default_credentials', 'ADS_MACHINE_IDENTITY'],
]);

const IGNORED_KEYS = ['use_proto_plus', 'logging', 'use_cloud_org_for_api_access', 'configuration_file_path'];

const CLIENT = ['ADS_CLIENT_ID', 'ADS_CLIENT_SECRET', 'ADS_REFRESH_TOKEN'];
const OF_ACCOUNTS = ['ADS_SERVICE_ACCOUNT_FILE', 'ADS_IMPERSONATED_EMAIL', 'ADS_MACHINE_IDENTITY'];

const NOT_TAKEN: ReadonlyMap<string, string> = new Map([
  ['linked_customer_id', 'linked_customer_id is ignored. Accounts are reached through login_customer_id.'],
  ['http_proxy', 'http_proxy is ignored. Set HTTPS_PROXY in the environment or in .env.'],
]);

const EXPECTED = 'client_id, client_secret and refresh_token, or json_key_file_path';

/** Messages never quote values. */
const QUOTING: Quoting = {
  key: (path) => path.length === 1 && TAKEN.has(String(path[0])),
  value: () => false,
  hint: () => undefined,
};

/** Throws `InputError` for an unusable file. Messages never contain values. */
export function readCredentialsFile(path: string, source: string): FoundCredentials {
  const folder = dirname(path);
  if (!/\.ya?ml$/i.test(path)) return fromNames(parseEnv(source.replace(/^\uFEFF/, '')), path, folder);
  const reading = readYaml(source, z.record(z.string(), z.unknown()), QUOTING);
  if (reading.kind === 'refused') {
    const places = reading.diagnostics.map(({ span, message }) => `line ${span.start.line}: ${message}`);
    throw new InputError(`Cannot read ${path}: ${places.join(' ')}`, {
      nextStep: 'Correct the file, or copy it again from its source. Nothing was written.',
    });
  }
  return withWholePath(fromClientLibrary(reading.value, path), folder);
}

/** Our own names override the client library's `GOOGLE_ADS_*`. */
export function credentialsInEnvironment(env: Environment, folder: string): FoundCredentials {
  const theirs = Object.entries(env).flatMap(([name, value]) =>
    name.startsWith('GOOGLE_ADS_') && value?.trim() ? [[name.slice('GOOGLE_ADS_'.length).toLowerCase(), value]] : [],
  );
  const ours = Object.entries(env).filter(([name, value]) => OURS.has(name) && value?.trim());
  const library =
    theirs.length === 0 ? NOTHING : fromClientLibrary(Object.fromEntries(theirs), 'The environment (GOOGLE_ADS_*)');
  const named = ours.map(([name, value = '']) => [name, value.trim()] as const);
  return withWholePath({ values: new Map([...library.values, ...named]), notes: library.notes }, folder);
}

/** The new settings can be in another folder, so the path of the key file must be absolute. */
function withWholePath({ values, notes }: FoundCredentials, folder: string): FoundCredentials {
  const file = values.get('ADS_SERVICE_ACCOUNT_FILE');
  if (file === undefined) return { values, notes };
  return { values: new Map([...values, ['ADS_SERVICE_ACCOUNT_FILE', resolve(folder, file)]]), notes };
}

const NOTHING: FoundCredentials = { values: new Map(), notes: [] };

/** Without proxies and the clock, because they belong to the machine, and without the sandbox. */
const OURS: ReadonlySet<string> = new Set(
  SETTINGS.flatMap(({ path, env }) => (path === undefined || path.startsWith('sandbox.') ? [] : env)),
);

function fromNames(given: Environment, path: string, folder: string): FoundCredentials {
  const { values, notes } = credentialsInEnvironment(given, folder);
  const unknown = Object.keys(given).filter((name) => !OURS.has(name) && !name.startsWith('GOOGLE_ADS_'));
  if (values.size === 0) {
    throw new InputError(`No known setting in ${path}: expected lines such as ADS_URL=https://….`, {
      nextStep: 'Name a google-ads.yaml, or a file with the output of pacekeeper sandbox. Nothing was written.',
    });
  }
  const told = unknown.filter((name) => /^[A-Z][A-Z_]*$/.test(name));
  return { values, notes: [...notes, ...told.map((name) => `Unknown setting ${name} is ignored.`)] };
}

function fromClientLibrary(given: Readonly<Record<string, unknown>>, where: string): FoundCredentials {
  const values = new Map<string, string>();
  const notes: string[] = [];
  for (const [key, value] of Object.entries(given)) {
    const name = TAKEN.get(key);
    const notTaken = NOT_TAKEN.get(key);
    if (name !== undefined && typeof value === 'string' && value.trim() !== '') values.set(name, value.trim());
    else if (notTaken !== undefined) notes.push(notTaken);
    else if (name === undefined && !IGNORED_KEYS.includes(key)) {
      const nearest = didYouMean(key, [...TAKEN.keys()]);
      notes.push([`${where} has an unknown key, which is ignored.`, nearest].filter(Boolean).join(' '));
    }
  }
  const template = [...TAKEN].find(([, name]) => /^INSERT_/.test(values.get(name) ?? ''));
  if (template) {
    throw new InputError(`${where} still has the template text for ${template[0]}, expected the value itself.`, {
      nextStep: 'Fill in the value and run the command again. Nothing was written.',
    });
  }
  if (values.get('ADS_MACHINE_IDENTITY')?.toLowerCase() !== 'true') values.delete('ADS_MACHINE_IDENTITY');
  const lacking = [...TAKEN].flatMap(([key, name]) => (CLIENT.includes(name) && !values.has(name) ? key : []));
  const isAccount = values.has('ADS_SERVICE_ACCOUNT_FILE') || values.has('ADS_MACHINE_IDENTITY');
  if (lacking.length > 0 && !isAccount) {
    throw new InputError(`${where} lacks ${lacking.join(' and ')}, expected ${EXPECTED}.`, {
      nextStep: 'Add the missing values and run the command again. Nothing was written.',
    });
  }
  // The client library also prefers a refresh token to a service account.
  const unused = lacking.length > 0 ? CLIENT : OF_ACCOUNTS;
  if (isAccount && lacking.length === 0) {
    notes.push('The service account is ignored, because the refresh token is used.');
  }
  for (const name of unused) values.delete(name);
  const endpoint = values.get('ADS_URL');
  values.set('ADS_URL', endpoint === undefined ? PUBLIC_URL : endpoint.replace(/^(?!https?:\/\/)/, 'https://'));
  return { values, notes };
}
