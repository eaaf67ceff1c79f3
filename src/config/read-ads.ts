import type { AdsCredentials } from '../domain/ads-credentials.ts';
import { readCustomerId } from '../domain/ids.ts';
import { checkUrl, type Env, missing } from './area-problems.ts';
import type { AdsSettings } from './settings.ts';
import type { SettingsFile } from './settings-schema.ts';

const DEFAULT_VERSION = 'v25';
const DEFAULT_STREAM_PATH = 'googleAds:searchStream';
const DEFAULT_TOKEN_URL = 'https://oauth2.googleapis.com/token';

/** Area B; undefined when nothing of it is set. What is missing or malformed goes to `problems`. */
export function readAds(file: SettingsFile, env: Env, problems: string[]): AdsSettings | undefined {
  const { ads } = file;
  const value = {
    ADS_URL: env('ADS_URL') ?? ads.url,
    ADS_ACCESS_TOKEN: env('ADS_ACCESS_TOKEN') ?? ads.access_token,
    ADS_CLIENT_ID: env('ADS_CLIENT_ID') ?? ads.client_id,
    ADS_CLIENT_SECRET: env('ADS_CLIENT_SECRET') ?? ads.client_secret,
    ADS_REFRESH_TOKEN: env('ADS_REFRESH_TOKEN') ?? ads.refresh_token,
    ADS_DEVELOPER_TOKEN: env('ADS_DEVELOPER_TOKEN') ?? ads.developer_token,
    ADS_LOGIN_CUSTOMER_ID: env('ADS_LOGIN_CUSTOMER_ID') ?? ads.login_customer_id,
    ADS_VERSION: env('ADS_VERSION') ?? ads.version,
    ADS_STREAM_PATH: env('ADS_STREAM_PATH') ?? ads.stream_path,
    ADS_TOKEN_URL: env('ADS_TOKEN_URL') ?? ads.token_url,
    ADS_CUSTOMER_IDS: env('ADS_CUSTOMER_IDS') ?? ads.customer_ids?.join(','),
    ADS_EXCLUDE_CUSTOMER_IDS: env('ADS_EXCLUDE_CUSTOMER_IDS') ?? ads.exclude_customer_ids?.join(','),
  };
  const present = Object.entries(value).flatMap(([name, text]) => (text === undefined ? [] : [name]));
  if (present.length === 0) return undefined;
  const url = value.ADS_URL === undefined ? undefined : checkUrl('ADS_URL', value.ADS_URL, problems);
  if (value.ADS_URL === undefined) problems.push(missing('ADS_URL', present));
  const credentials = readCredentials(value, value.ADS_TOKEN_URL ?? DEFAULT_TOKEN_URL, problems);
  const version = value.ADS_VERSION ?? DEFAULT_VERSION;
  if (!/^v[1-9]\d*$/.test(version)) problems.push(`ADS_VERSION is "${version}", expected v and a number such as v25.`);
  const streamPath = value.ADS_STREAM_PATH ?? DEFAULT_STREAM_PATH;
  if (!/^[A-Za-z0-9][A-Za-z0-9:._/-]*$/.test(streamPath)) {
    problems.push(`ADS_STREAM_PATH is "${streamPath}", expected a path such as ${DEFAULT_STREAM_PATH}.`);
  }
  const login = value.ADS_LOGIN_CUSTOMER_ID === undefined ? undefined : readCustomerId(value.ADS_LOGIN_CUSTOMER_ID);
  if (login?.kind === 'refused') problems.push(`ADS_LOGIN_CUSTOMER_ID: ${login.reason}`);
  if (!url || !credentials) return undefined;
  return {
    url,
    version,
    streamPath,
    credentials,
    developerToken: value.ADS_DEVELOPER_TOKEN,
    loginCustomerId: login?.kind === 'ok' ? login.id : undefined,
  };
}

function readCredentials(
  value: Readonly<
    Record<`ADS_${'ACCESS_TOKEN' | 'CLIENT_ID' | 'CLIENT_SECRET' | 'REFRESH_TOKEN'}`, string | undefined>
  >,
  tokenUrl: string,
  problems: string[],
): AdsCredentials | undefined {
  const { ADS_ACCESS_TOKEN: accessToken, ADS_CLIENT_ID: clientId } = value;
  const { ADS_CLIENT_SECRET: clientSecret, ADS_REFRESH_TOKEN: refreshToken } = value;
  if (accessToken !== undefined) {
    const mistaken = mistakenToken(accessToken, clientSecret, refreshToken);
    if (mistaken) problems.push(`ADS_ACCESS_TOKEN holds ${mistaken}, expected an OAuth 2.0 access token.`);
    return mistaken ? undefined : { kind: 'access_token', accessToken };
  }
  const parts = { ADS_CLIENT_ID: clientId, ADS_CLIENT_SECRET: clientSecret, ADS_REFRESH_TOKEN: refreshToken };
  const present = Object.entries(parts).filter(([, text]) => text !== undefined);
  if (present.length === 0) {
    problems.push(
      'ADS_ACCESS_TOKEN is missing, or ADS_CLIENT_ID, ADS_CLIENT_SECRET and ADS_REFRESH_TOKEN in its place.',
    );
    return undefined;
  }
  for (const [name, text] of Object.entries(parts)) {
    if (text === undefined)
      problems.push(
        missing(
          name,
          present.map(([known]) => known),
        ),
      );
  }
  const url = checkUrl('ADS_TOKEN_URL', tokenUrl, problems);
  if (!clientId || !clientSecret || !refreshToken || !url) return undefined;
  return { kind: 'refresh_token', clientId, clientSecret, refreshToken, tokenUrl: url };
}

/** Client secrets and refresh tokens of the public service have forms of their own (requirement B11). */
function mistakenToken(
  token: string,
  clientSecret: string | undefined,
  refreshToken: string | undefined,
): string | undefined {
  if (token === clientSecret || token.startsWith('GOCSPX-')) return 'a client secret';
  if (token === refreshToken || token.startsWith('1//')) return 'a refresh token';
  return /[\s"']/.test(token) ? 'a value with spaces or quotes' : undefined;
}
