import type { ServerResponse } from 'node:http';
import type { GraphConnection } from '../../../src/channels/graph/call-graph.ts';
import { businessAccountId, graphUserId, phoneNumberId } from '../../../src/domain/ids.ts';
import { createRedact } from '../../../src/services/http/redact.ts';
import { testClient } from '../../http/test-client.ts';
import { type FakePauses, fakePauses } from '../../support/fake-time.ts';

export const TOKEN = 'EAAG graph+token/1';
export const APP_SECRET = 'app-secret-of-a-test';
export const ACCOUNT = businessAccountId('102290129340398');
export const SENDER = phoneNumberId('106540352242922');
export const USER = graphUserId('100001234567890');

/** A connection with everything real but the pauses. */
export function connectTo(
  url: string,
  overrides: Partial<Omit<GraphConnection, 'pauses'>> = {},
): GraphConnection & { readonly pauses: FakePauses } {
  return {
    url,
    version: 'v23.0',
    accessToken: TOKEN,
    tokenIn: 'header',
    appSecret: undefined,
    businessAccountId: ACCOUNT,
    phoneNumberId: SENDER,
    userId: USER,
    templates: new Map(),
    buttons: false,
    phonesWroteAt: undefined,
    http: testClient(),
    pauses: fakePauses(),
    redact: createRedact([TOKEN, APP_SECRET]),
    retry: { attempts: 3, firstDelayMs: 1_000, totalMs: 60_000 },
    ...overrides,
  };
}

export function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** The error object of section 7.1. */
export function errorOf(code: number, subcode?: number, type = 'OAuthException', message = 'Not so.') {
  const error = { message, type, code, fbtrace_id: 'AbC123' };
  return { error: subcode === undefined ? error : { ...error, error_subcode: subcode } };
}
