import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { byChannel, CHANNELS, type ChannelAreas, type ChannelConnections } from './channels/channels.ts';
import type { AdsSettings, Areas } from './config/live-areas.ts';
import type { Settings } from './config/settings.ts';
import type { RetryPolicy } from './domain/connection-settings.ts';
import type { Clock, Log, Pauses } from './domain/ports.ts';
import type { Connections } from './engine/app.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from './sandbox/start-sandbox.ts';
import { isLoopback } from './sandbox/webhooks/webhooks.ts';
import { createTokenSource } from './services/ads/access-token.ts';
import type { AdsConnection } from './services/ads/ads-connection.ts';
import { ServiceTime } from './services/ads/service-time.ts';
import type { HttpClient, HttpTimeouts } from './services/http/http-client.ts';
import type { Redact } from './services/http/redact.ts';
import { isWritable, openCopy } from './storage/records/sqlite/open-to-look.ts';

/** Uses a fixed access token unless a fault is about tokens, so that other faults never affect a token request. */
export function sandboxAreas({ url, credentials, phonesWroteAt, faults }: Sandbox, version: string): Areas {
  const { accessToken, clientId, clientSecret, refreshToken, tokenUrl } = credentials;
  return {
    ads: {
      url,
      version,
      streamPath: 'googleAds:searchStream',
      credentials: faults.areOfTokens
        ? { kind: 'refresh_token', clientId, clientSecret, refreshToken, tokenUrl }
        : { kind: 'access_token', accessToken },
      developerToken: credentials.developerToken,
      loginCustomerId: undefined,
    },
    ...rehearsed({ url, credentials, phonesWroteAt }),
    container: { url, ...credentials.container, tokenHeader: 'Authorization' },
  };
}

/** Each channel says how the sandbox rehearses it. */
function rehearsed({
  phonesWroteAt,
  ...sandbox
}: Pick<Sandbox, 'url' | 'credentials' | 'phonesWroteAt'>): ChannelAreas {
  return Object.fromEntries(
    CHANNELS.map(({ name, rehearse }) => [name, rehearse?.(sandbox, phonesWroteAt)]),
  ) as ChannelAreas;
}

export interface Connector {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly pauses: Pauses;
  readonly log: Log;
  readonly redact: Redact;
  open(retry: RetryPolicy, timeouts?: { readonly [Wait in keyof HttpTimeouts]?: number | undefined }): HttpClient;
}

export function connectAreas(areas: Areas, { settings, clock, pauses, redact, log, open }: Connector): Connections {
  const { ads, container } = areas;
  const isLive = settings.target === 'live';
  const channels = byChannel(({ name, connect }) => {
    const area = areas[name as keyof ChannelAreas];
    const declared = settings[name as keyof ChannelAreas];
    return (
      area &&
      connect(
        area,
        { http: open(declared.retry), pauses, redact, log, isLive, authorities: settings.authorities },
        declared,
      )
    );
  }) as ChannelConnections;
  return {
    ads:
      ads && connectAds(ads, open(settings.ads.retry, settings.ads.timeouts), { settings, clock, pauses, log, redact }),
    ...channels,
    container: container && {
      ...container,
      http: open(settings.container.retry),
      pauses,
      redact,
      log,
      retry: settings.container.retry,
      clock,
    },
  };
}

function connectAds(
  ads: AdsSettings,
  http: HttpClient,
  { settings, clock, pauses, log, redact }: Pick<Connector, 'settings' | 'clock' | 'pauses' | 'log' | 'redact'>,
): AdsConnection {
  const tokens = createTokenSource(ads.credentials, { http, clock, pauses, redact });
  const fresh = { logins: new Map(), operations: { count: 0 }, time: new ServiceTime(clock) };
  const { retry, responseContentType } = settings.ads;
  return { ...ads, responseContentType, ...fresh, tokens, http, pauses, log, redact, retry };
}

/** Undefined for a live target. On close, logs requested faults that matched no request. */
export async function embedSandbox(
  settings: Settings,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
  onClose: (close: () => Promise<void>) => void,
  looksOnly = false,
): Promise<Sandbox | undefined> {
  if (settings.target !== 'sandbox') return undefined;
  const { paths, sandbox: wanted, serve, messages, graph } = settings;
  const folder = wanted.dataDir ?? paths.data;
  const file = join(folder, 'sandbox.sqlite');
  const isSealed = looksOnly && !isWritable(folder);
  if (!isSealed) mkdirSync(folder, { recursive: true, mode: 0o755 });
  const sandbox = await startSandbox({
    stateFile: isSealed ? copyOf(file) : file,
    clock,
    seed: wanted.seed,
    strict: wanted.strict,
    manager: wanted.manager,
    faults: wanted.fault,
    ...(wanted.market === undefined ? {} : { marketFile: wanted.market }),
    ...(wanted.port === undefined ? {} : { port: wanted.port }),
    // Sends delivery reports only to a `pacekeeper serve` on this machine.
    ...(serve.publicUrl !== undefined && isLoopback(serve.publicUrl) ? { webhookUrl: serve.publicUrl } : {}),
    webhookSecrets: { messages: messages.password, graph: graph.appSecret },
  });
  onClose(async () => {
    await sandbox.close();
    const unmet = sandbox.faults.unmet();
    if (unmet.length > 0)
      log.warn(`The fault${unmet.length > 1 ? 's' : ''} ${unmet.join(' and ')} matched no request.`);
  });
  return sandbox;
}

/** Another run may already use the configured port. */
export function onAnyPort(settings: Settings): Settings {
  return { ...settings, sandbox: { ...settings.sandbox, port: undefined } };
}

/** Changes of this run are not saved. */
function copyOf(file: string): SandboxOptions['stateFile'] {
  return existsSync(file) ? openCopy(file, false) : ':memory:';
}
