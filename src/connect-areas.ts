import { byChannel, CHANNELS, type ChannelAreas, type ChannelConnections } from './channels/channels.ts';
import type { AdsSettings, Areas } from './config/live-areas.ts';
import type { Settings } from './config/settings.ts';
import type { RetryPolicy } from './domain/connection-settings.ts';
import type { Clock, Log, Pauses } from './domain/ports.ts';
import type { Connections } from './engine/app.ts';
import type { Sandbox } from './sandbox/start-sandbox.ts';
import { createTokenSource } from './services/ads/access-token.ts';
import { type AdsConnection, Logins, OperationCounter } from './services/ads/ads-connection.ts';
import { ServiceTime } from './services/ads/service-time.ts';
import type { HttpClient, HttpTimeouts } from './services/http/http-client.ts';
import type { Redact } from './services/http/redact.ts';

/** Uses a fixed access token unless a fault is about tokens, so that other faults never affect a token request. */
export function sandboxAreas({ url, credentials, faults }: Sandbox, version: string): Areas {
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
    ...rehearsed({ url, credentials }),
    container: { url, ...credentials.container, tokenHeader: 'Authorization' },
  };
}

/** Each channel says how the sandbox rehearses it. */
function rehearsed(sandbox: Pick<Sandbox, 'url' | 'credentials'>): ChannelAreas {
  return Object.fromEntries(CHANNELS.map(({ name, rehearse }) => [name, rehearse?.(sandbox)])) as ChannelAreas;
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
    return area && connect(area, { http: open(declared.retry), pauses, redact, log, isLive }, declared);
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
  const fresh = { logins: new Logins(), operations: new OperationCounter(), time: new ServiceTime(clock) };
  const { retry, responseContentType } = settings.ads;
  return { ...ads, responseContentType, ...fresh, tokens, http, pauses, log, redact, retry };
}
