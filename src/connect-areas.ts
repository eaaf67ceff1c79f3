import type { AdsSettings, Areas } from './config/live-areas.ts';
import type { Settings } from './config/settings.ts';
import type { RetryPolicy } from './domain/connection-settings.ts';
import { businessAccountId, graphUserId, phoneNumberId } from './domain/ids.ts';
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
  const { graph, accessToken, clientId, clientSecret, refreshToken, tokenUrl } = credentials;
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
    messages: { url, ...credentials.messages, to: [credentials.messages.to], media: 'refuse' },
    graph: {
      url,
      version: 'v23.0',
      accessToken: graph.accessToken,
      tokenIn: 'header',
      businessAccountId: businessAccountId(graph.businessAccountId),
      phoneNumberId: phoneNumberId(graph.phoneNumberId),
      userId: graphUserId(graph.userId),
    },
    container: { url, ...credentials.container, tokenHeader: 'Authorization' },
  };
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
  const { ads, messages, graph, container } = areas;
  const appSecret = settings.target === 'live' ? settings.graph.appSecret : undefined;
  const retrying = (retry: RetryPolicy) => ({ http: open(retry), pauses, redact, log, retry });
  return {
    ads:
      ads && connectAds(ads, open(settings.ads.retry, settings.ads.timeouts), { settings, clock, pauses, log, redact }),
    messages: messages && { ...messages, http: open(settings.messages.retry), redact },
    graph: graph && { ...graph, ...retrying(settings.graph.retry), appSecret },
    container: container && { ...container, ...retrying(settings.container.retry), clock },
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
