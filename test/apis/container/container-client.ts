import type { ServerResponse } from 'node:http';
import type { ContainerConnection } from '../../../src/services/container/session.ts';
import { createRedact } from '../../../src/services/http/redact.ts';
import { testClient } from '../../http/test-client.ts';
import { type FakeClock, type FakePauses, fakeClock, fakePauses } from '../../support/fake-time.ts';

export const PASSWORD = 'S3cret: pass+word!';

export interface TestContainer extends ContainerConnection {
  readonly clock: FakeClock;
  readonly pauses: FakePauses;
}

/** A connection with everything real but the time. */
export function connectTo(
  url: string,
  overrides: Partial<Pick<ContainerConnection, 'tokenHeader'>> = {},
): TestContainer {
  return {
    url,
    username: 'admin',
    password: PASSWORD,
    tokenHeader: 'Authorization',
    clock: fakeClock('2021-09-14T12:00:00Z'),
    pauses: fakePauses(),
    http: testClient(),
    redact: createRedact([PASSWORD]),
    retry: { attempts: 3, firstDelayMs: 1_000, totalMs: 60_000 },
    ...overrides,
  };
}

export function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** The answer to a login as the specification shows it. */
export function loginOf(token: string, expiresAfter = '2021-09-14 15:29:26+00:00') {
  return {
    users: [{ token, expires_after: expiresAfter }],
    meta: { version: 'v2.35.4', api_status: 'stable' },
  };
}
