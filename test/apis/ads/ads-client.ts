import type { RetryPolicy } from '../../../src/domain/connection-settings.ts';
import { customerId } from '../../../src/domain/ids.ts';
import type { Sandbox } from '../../../src/sandbox/start-sandbox.ts';
import { createTokenSource } from '../../../src/services/ads/access-token.ts';
import type { AdsConnection } from '../../../src/services/ads/ads-connection.ts';
import { ServiceTime } from '../../../src/services/ads/service-time.ts';
import { createRedact } from '../../../src/services/http/redact.ts';
import { testClient } from '../../http/test-client.ts';
import { type FakePauses, fakePauses } from '../../support/fake-time.ts';
import { toldLog } from '../../support/told-log.ts';

export const CUSTOMER = customerId('1234567890');
export const MANAGER = customerId('9876543210');
export const QUERY = 'SELECT campaign.id FROM campaign';
export const RETRY: RetryPolicy = { attempts: 3, firstDelayMs: 1_000, totalMs: 60_000 };

export interface TestConnection extends AdsConnection {
  readonly pauses: FakePauses;
}

/** A connection with a ready access token; everything real but the pauses. */
export function connectTo(url: string, overrides: Partial<Omit<AdsConnection, 'pauses'>> = {}): TestConnection {
  const http = testClient();
  const pauses = fakePauses();
  const redact = createRedact(['access-token-1', 'developer-token-1']);
  const deps = { http, pauses, redact, retry: RETRY };
  return {
    url,
    version: 'v21',
    streamPath: 'googleAds:searchStream',
    responseContentType: undefined,
    developerToken: undefined,
    loginCustomerId: undefined,
    logins: new Map(),
    operations: { count: 0 },
    time: new ServiceTime({ now: Date.now }),
    log: toldLog(),
    tokens: createTokenSource({ kind: 'access_token', accessToken: 'access-token-1' }, deps),
    ...deps,
    ...overrides,
  };
}

export function connectToSandbox(
  { url, credentials }: Sandbox,
  overrides: Parameters<typeof connectTo>[1] = {},
): TestConnection {
  const connection = connectTo(url, overrides);
  const { accessToken } = credentials;
  return { ...connection, tokens: createTokenSource({ kind: 'access_token', accessToken }, connection) };
}

/** The public interface's error object with one failure. */
export function errorBody(code: number, status: string, failure: object = {}, more: object = {}): object {
  const details = [{ '@type': 'type.googleapis.com/google.ads.GoogleAdsFailure', errors: [failure], ...more }];
  return { error: { code, status, message: 'Request contains an invalid argument.', details } };
}
