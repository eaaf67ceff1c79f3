import type { AdsCredentials, ServiceAccountKey } from '../domain/connection-settings.ts';
import { type Given, nameAt, type Problem } from './given.ts';
import type { KeyReading } from './service-account-key.ts';
import { type Path, SETTINGS } from './setting-tree.ts';
import type { DeclaredSettings, Settings } from './settings.ts';

type Of<Area extends 'ads' | 'messages' | 'graph' | 'container'> = DeclaredSettings[Area];

/** Interfaces that are not configured are undefined. */
export type Areas = ReturnType<typeof liveAreas>;

export type AdsSettings = NonNullable<Areas['ads']>;
export type GraphSettings = NonNullable<Areas['graph']>;

type LiveSettings = Omit<DeclaredSettings, 'target'> & Partial<Pick<Settings, 'serviceAccount'>>;

export function liveAreas({ ads, messages, graph, container, serviceAccount }: LiveSettings) {
  return {
    ads: adsOf(ads, serviceAccount),
    messages: messagesOf(messages),
    graph: graphOf(graph),
    container: containerOf(container),
  };
}

function adsOf(ads: Of<'ads'>, key: ServiceAccountKey | undefined) {
  const { url, version, streamPath, developerToken, loginCustomerId } = ads;
  const credentials = credentialsOf(ads, key);
  if (!url || !credentials) return undefined;
  return { url, version, streamPath, developerToken, loginCustomerId, credentials };
}

function credentialsOf(ads: Of<'ads'>, key: ServiceAccountKey | undefined): AdsCredentials | undefined {
  const { accessToken, clientId, clientSecret, refreshToken, tokenUrl } = ads;
  if (key) return { kind: 'service_account', key, impersonatedEmail: ads.impersonatedEmail, tokenUrl };
  if (ads.machineIdentity) return { kind: 'machine', tokenUrl };
  if (accessToken !== undefined) return { kind: 'access_token', accessToken };
  if (!clientId || !clientSecret || !refreshToken) return undefined;
  return { kind: 'refresh_token', clientId, clientSecret, refreshToken, tokenUrl };
}

function messagesOf({ url, accountId, username, password, from, to, media }: Of<'messages'>) {
  if (!url || !accountId || !username || !password || !from) return undefined;
  return { url, accountId, username, password, from, to, media };
}

function graphOf(graph: Of<'graph'>) {
  const { url, accessToken, version, tokenIn, businessAccountId, phoneNumberId, userId } = graph;
  if (!url || !accessToken) return undefined;
  return { url, accessToken, version, tokenIn, businessAccountId, phoneNumberId, userId };
}

function containerOf({ url, username, password, tokenHeader }: Of<'container'>) {
  return url && username && password ? { url, username, password, tokenHeader } : undefined;
}

/** A webhook route without its secret is off. */
export function webhookSecrets({ graph, messages }: Pick<DeclaredSettings, 'graph' | 'messages'>) {
  return { graphApp: graph.appSecret, graphVerify: graph.verifyToken, messages: messages.password };
}

export function checkLive(
  settings: DeclaredSettings,
  keyFile: KeyReading | undefined,
  given: Given,
  isFaulty: boolean,
): Problem[] {
  const recipients = given.has('alerts.recipients') ? [] : ['to'];
  const problems = [
    ...lacking('ads', ['url'], given),
    ...credentialProblems(settings.ads, keyFile, given),
    ...lacking('messages', ['url', 'account_id', 'username', 'password', 'from', ...recipients], given),
    ...lacking('graph', ['url', 'access_token'], given),
    ...lacking('container', ['url', 'username', 'password'], given),
  ];
  const { businessAccountId, phoneNumberId } = settings.graph;
  if (businessAccountId !== undefined && String(businessAccountId) === String(phoneNumberId)) {
    const other = nameAt(['graph', 'business_account_id'], given);
    problems.push({
      at: ['graph', 'phone_number_id'],
      says: `has the same value as ${other}, expected two different ids.`,
    });
  }
  const found = [...Object.values(liveAreas(settings)), ...Object.values(webhookSecrets(settings)), keyFile];
  if (problems.length === 0 && !isFaulty && found.every((part) => part === undefined)) {
    const says = 'The target is live, but no interface is configured. Set ADS_URL, for example.';
    problems.push({ at: [], says });
  }
  return problems;
}

/** Does not count settings that only webhooks need, such as `graph.app_secret`. */
function lacking(area: string, needed: readonly string[], given: Given): Problem[] {
  const present = SETTINGS.filter(
    ({ at, env, isLive }) =>
      at.startsWith(`${area}.`) && env.length > 0 && (isLive || needed.includes(at.slice(area.length + 1))),
  ).filter(({ at }) => given.has(at));
  if (present.length === 0) return [];
  return needed.filter((key) => !given.has(`${area}.${key}`)).map((key) => missing([area, key], present, given));
}

function missing(at: Path, present: readonly { readonly at: string }[], given: Given): Problem {
  const names = present.map((one) => nameAt(one.at.split('.'), given)).join(', ');
  const verb = present.length === 1 ? 'is' : 'are';
  return { at, says: `is missing, but ${names} ${verb} set. Set all settings of this interface, or remove them all.` };
}

const CLIENT = ['client_id', 'client_secret', 'refresh_token'];

function credentialProblems(ads: Of<'ads'>, keyFile: KeyReading | undefined, given: Given): Problem[] {
  if (!SETTINGS.some(({ at, isLive }) => isLive && at.startsWith('ads.') && given.has(at))) return [];
  if (keyFile !== undefined || ads.machineIdentity) return accountProblems(ads, keyFile, given);
  if (ads.impersonatedEmail !== undefined) {
    return [
      {
        at: ['ads', 'impersonated_email'],
        says: 'needs a key file. Set ADS_SERVICE_ACCOUNT_FILE, or remove this setting.',
      },
    ];
  }
  const at = ['ads', 'access_token'];
  if (given.has('ads.access_token')) {
    const mistaken = ads.accessToken === undefined ? undefined : mistakenToken(ads.accessToken, ads);
    return mistaken ? [{ at, says: `is ${mistaken}, expected an OAuth 2.0 access token.` }] : [];
  }
  const present = CLIENT.map((key) => ({ at: `ads.${key}` })).filter((one) => given.has(one.at));
  if (present.length === 0) {
    return [
      {
        at,
        says: 'is missing. Set it, ADS_SERVICE_ACCOUNT_FILE, or ADS_CLIENT_ID, ADS_CLIENT_SECRET and ADS_REFRESH_TOKEN.',
      },
    ];
  }
  return CLIENT.filter((key) => !given.has(`ads.${key}`)).map((key) => missing(['ads', key], present, given));
}

/** Checks a login with a service account's key or the machine's identity. */
function accountProblems({ impersonatedEmail }: Of<'ads'>, keyFile: KeyReading | undefined, given: Given): Problem[] {
  const own = keyFile === undefined ? 'machine_identity' : 'service_account_file';
  const at = ['ads', own];
  const others = ['machine_identity', 'access_token', ...CLIENT].filter(
    (key) => key !== own && given.has(`ads.${key}`),
  );
  const names = others.map((key) => nameAt(['ads', key], given)).join(', ');
  return [
    ...(keyFile?.kind === 'refused' ? [{ at, says: keyFile.says }] : []),
    ...(names === '' ? [] : [{ at, says: `is set beside ${names}. Keep one way to log in, and remove the others.` }]),
    ...(impersonatedEmail !== undefined && keyFile === undefined
      ? [
          {
            at: ['ads', 'impersonated_email'],
            says: 'needs a key file. ads.machine_identity cannot act for users: set ADS_SERVICE_ACCOUNT_FILE instead.',
          },
        ]
      : []),
  ];
}

/** Recognises a wrong credential by its value or a known prefix (requirement B11). */
function mistakenToken(token: string, { clientSecret, refreshToken }: Of<'ads'>): string | undefined {
  if (token === clientSecret || token.startsWith('GOCSPX-')) return 'a client secret';
  return token === refreshToken || token.startsWith('1//') ? 'a refresh token' : undefined;
}
