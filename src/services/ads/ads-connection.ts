import type { ResponseContentType } from '../../domain/connection-settings.ts';
import { ApiError } from '../../domain/errors.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { type HttpAnswer, isSuccess, jsonBody, readText } from '../http/http-client.ts';
import type { Connection } from '../http/retry.ts';
import type { TokenSource } from './access-token.ts';
import { readFailure } from './read-failure.ts';
import type { ServiceTime } from './service-time.ts';

export interface AdsConnection extends Connection {
  /** Without a trailing slash. */
  readonly url: string;
  /** Such as `v21` (requirement B17). */
  readonly version: string;
  /** The last part of the URL path. Default: `googleAds:searchStream`. */
  readonly streamPath: string;
  /** Content of the answer to a budget change (requirement B4). Undefined: the service decides. */
  readonly responseContentType: ResponseContentType | undefined;
  readonly developerToken: string | undefined;
  /** Used for accounts that `logins` does not have. */
  readonly loginCustomerId: CustomerId | undefined;
  /** For each account the customer to log in as: a manager, or the account itself. */
  readonly logins: Map<CustomerId, CustomerId>;
  /** For the daily quota: one per request for an account, or one per budget of a mutate request. */
  readonly operations: { count: number };
  readonly time: ServiceTime;
  readonly tokens: TokenSource;
}

const FAILURE_BYTES_MAX = 1024 * 1024;

/** Throws `ApiError` unless the answer is a success (B9, B10). After a 401, renews the token once (B16). */
export async function callAds(
  ads: AdsConnection,
  request:
    | { readonly method: 'GET'; readonly path: string; readonly customer?: undefined }
    | {
        readonly method: 'POST';
        readonly path: string;
        /** Undefined for the field service, which belongs to no customer. */
        readonly customer: CustomerId | undefined;
        readonly body: unknown;
        readonly operations?: number;
        /** If true, a stop of the run still waits for the answer. */
        readonly changes?: boolean;
        /** If `mayLeave` throws, the request is not sent. After a 401, only the caller may repeat this request. */
        readonly mayLeave?: (() => Promise<void>) | undefined;
      },
): Promise<HttpAnswer> {
  const { type, text: body } = jsonBody(request.method === 'POST' ? request.body : undefined);
  for (let renewed = false; ; renewed = true) {
    const token = await ads.tokens.token();
    const mayLeave = request.method === 'POST' ? request.mayLeave : undefined;
    await mayLeave?.();
    if (request.customer !== undefined) ads.operations.count += request.operations ?? 1;
    const askedMs = ads.time.now();
    const answer = await ads.http.send({
      method: request.method,
      url: `${ads.url}/${ads.version}/${request.path}`,
      headers: { ...headersOf(ads, token, request.customer), ...type },
      body,
      ...(request.method === 'POST' && request.changes ? {} : { stop: ads.pauses.stop }),
    });
    if (isSuccess(answer)) {
      ads.time.hear(answer, askedMs);
      return answer;
    }
    const failure = readFailure(answer, await readText(answer, FAILURE_BYTES_MAX), ads.redact);
    if (answer.status === 401 && !renewed && (await ads.tokens.renew(token))) {
      if (mayLeave === undefined) continue;
      throw new ApiError(failure.message, { ...failure, transient: true, nextStep: undefined });
    }
    throw failure;
  }
}

function headersOf(ads: AdsConnection, token: string, customer: CustomerId | undefined): Record<string, string> {
  const login = customer && (ads.logins.get(customer) ?? ads.loginCustomerId);
  return {
    authorization: `Bearer ${token}`,
    ...(ads.developerToken === undefined ? {} : { 'developer-token': ads.developerToken }),
    ...(login === undefined || login === customer ? {} : { 'login-customer-id': login }),
  };
}
