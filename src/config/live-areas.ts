import type { Channel } from '../channels/channel.ts';
import { byChannel, CHANNELS, type ChannelAreas, type ChannelSettings } from '../channels/channels.ts';
import type { AdsCredentials, ServiceAccountKey } from '../domain/connection-settings.ts';
import { type Given, nameAt, type Problem } from './given.ts';
import type { KeyReading } from './service-account-key.ts';
import { type Path, SETTINGS } from './setting-tree.ts';
import type { DeclaredSettings, Settings } from './settings.ts';

type Of<Area extends 'ads' | 'container'> = DeclaredSettings[Area];

/** Interfaces that are not configured are undefined. */
export type Areas = ReturnType<typeof liveAreas>;

export type AdsSettings = NonNullable<Areas['ads']>;

type LiveSettings = Omit<DeclaredSettings, 'target'> & Partial<Pick<Settings, 'serviceAccount'>>;

export function liveAreas({ ads, container, serviceAccount, ...settings }: LiveSettings) {
  return {
    ads: adsOf(ads, serviceAccount),
    ...(byChannel(({ name, areaOf }) => areaOf(declaredIn(settings, name))) as ChannelAreas),
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

function containerOf({ url, username, password, tokenHeader }: Of<'container'>) {
  return url && username && password ? { url, username, password, tokenHeader } : undefined;
}

/** The secrets of webhooks by their variables. Without its secret, a webhook is off. */
export function webhookSecrets(settings: ChannelSettings): Readonly<Record<string, string | undefined>> {
  return Object.assign(
    {},
    ...Object.values(byChannel(({ name, webhook }) => webhook?.secretsOf(declaredIn(settings, name)))),
  );
}

function declaredIn(settings: ChannelSettings, name: string) {
  return settings[name as keyof ChannelSettings];
}

/** Problems of areas that are set only in part. Needs no values, so it also works beside wrong ones. */
export function incompleteAreas(given: Given): Problem[] {
  const hasRecipients = given.has('alerts.recipients');
  return [
    ...lacking('ads', ['url'], given),
    ...CHANNELS.flatMap(({ name, needed }) => lacking(name, needed(hasRecipients), given)),
    ...lacking('container', ['url', 'username', 'password'], given),
  ];
}

export function checkLive(settings: DeclaredSettings, keyFile: KeyReading | undefined, given: Given): Problem[] {
  const problems = credentialProblems(settings.ads, keyFile, given);
  for (const channel of CHANNELS as readonly Channel[]) {
    const [at, other] = channel.sameByMistake?.(declaredIn(settings, channel.name)) ?? [];
    if (at === undefined || other === undefined) continue;
    const says = `has the same value as ${nameAt([channel.name, other], given)}, expected two different ids.`;
    problems.push({ at: [channel.name, at], says });
  }
  problems.push(...unnamedAddresses(settings));
  const found = [...Object.values(liveAreas(settings)), ...Object.values(webhookSecrets(settings)), keyFile];
  if (problems.length === 0 && found.every((part) => part === undefined)) {
    const says = 'The target is live, but no interface is configured. Set ADS_URL, for example.';
    problems.push({ at: [], says });
  }
  return problems;
}

/** Recipients with a name that the settings of its channel lack. */
function unnamedAddresses(settings: DeclaredSettings): Problem[] {
  return (CHANNELS as readonly Channel[]).flatMap((channel) => {
    const area = channel.areaOf(declaredIn(settings, channel.name));
    const known = area === undefined ? undefined : channel.namedIn?.(area);
    if (known === undefined) return [];
    return [...settings.alerts.recipients].flatMap(([name, one]) => {
      const address = one[channel.name as keyof typeof one];
      if (address === undefined || known.names.includes(String(address))) return [];
      const says = `has ${String(address)}, expected a name from ${known.setting}: ${known.names.join(', ')}.`;
      return [{ at: ['alerts', 'recipients', name, channel.name], says }];
    });
  });
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
