import type { RetryPolicy } from '../../domain/connection-settings.ts';
import { ApiError } from '../../domain/errors.ts';
import type { CustomerId } from '../../domain/ids.ts';
import type { Log, Pauses } from '../../domain/ports.ts';
import { type HttpAnswer, type HttpClient, jsonBody, readText } from '../../http/http-client.ts';
import type { Redact } from '../../http/redact.ts';
import type { TokenSource } from './access-token.ts';
import { readFailure } from './read-failure.ts';

/** The customer that each account is reached through: a manager, or itself. Learned when accounts are discovered. */
export class Logins {
  readonly #byCustomer = new Map<CustomerId, CustomerId>();

  of(customer: CustomerId): CustomerId | undefined {
    return this.#byCustomer.get(customer);
  }

  learn(customer: CustomerId, login: CustomerId): void {
    this.#byCustomer.set(customer, login);
  }
}

/** What counts against the quota of the day: every request for a customer, a mutate as many times as it has operations. */
export class OperationCounter {
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(operations: number): void {
    this.#count += operations;
  }
}

/** One configured advertising interface (area B). */
export interface AdsConnection {
  /** Without a trailing slash. */
  readonly url: string;
  /** `v<major>` (requirement B17). */
  readonly version: string;
  /** The operation after the customer's path, `googleAds:searchStream` unless configured. */
  readonly streamPath: string;
  readonly developerToken: string | undefined;
  /** The manager acted through, for a customer that `logins` does not name. */
  readonly loginCustomerId: CustomerId | undefined;
  readonly logins: Logins;
  readonly operations: OperationCounter;
  readonly tokens: TokenSource;
  readonly http: HttpClient;
  readonly pauses: Pauses;
  readonly log: Log;
  readonly redact: Redact;
  readonly retry: RetryPolicy;
}

const FAILURE_BYTES_MAX = 1024 * 1024;

/**
 * One request and its successful answer, body unread. The headers of B10; every POST is JSON text with a content
 * length (B9). Throws `ApiError` for any other answer. A 401 renews the token once where it can be renewed (B16); what `mayLeave`
 * was asked for is not sent again on the strength of that, and its failure is a passing one.
 */
export async function callAds(
  ads: AdsConnection,
  request:
    | { readonly method: 'GET'; readonly path: string; readonly customer?: undefined }
    | {
        readonly method: 'POST';
        readonly path: string;
        readonly customer: CustomerId;
        readonly body: unknown;
        readonly operations?: number;
        /** It changes something, so that its answer is waited for although the run is asked to stop. */
        readonly changes?: boolean;
        /** Asked once nothing but the request itself is left to do; throws what keeps it from leaving. It never leaves twice then. */
        readonly mayLeave?: (() => Promise<void>) | undefined;
      },
): Promise<HttpAnswer> {
  const { type, text: body } = jsonBody(request.method === 'POST' ? request.body : undefined);
  for (let renewed = false; ; renewed = true) {
    const token = await ads.tokens.token();
    const mayLeave = request.method === 'POST' ? request.mayLeave : undefined;
    await mayLeave?.();
    if (request.customer !== undefined) ads.operations.add(request.operations ?? 1);
    const answer = await ads.http.send({
      method: request.method,
      url: `${ads.url}/${ads.version}/${request.path}`,
      headers: { ...headersOf(ads, token, request.customer), ...type },
      body,
      ...(request.method === 'POST' && request.changes ? {} : { stop: ads.pauses.stop }),
    });
    if (answer.status >= 200 && answer.status < 300) return answer;
    const failure = readFailure(answer, await readText(answer, FAILURE_BYTES_MAX), ads.redact);
    if (answer.status === 401 && !renewed && (await ads.tokens.renew(token))) {
      if (mayLeave === undefined) continue;
      throw new ApiError(failure.message, { ...failure, transient: true, nextStep: undefined });
    }
    throw failure;
  }
}

function headersOf(ads: AdsConnection, token: string, customer: CustomerId | undefined): Record<string, string> {
  const login = customer && (ads.logins.of(customer) ?? ads.loginCustomerId);
  return {
    authorization: `Bearer ${token}`,
    ...(ads.developerToken === undefined ? {} : { 'developer-token': ads.developerToken }),
    ...(login === undefined || login === customer ? {} : { 'login-customer-id': login }),
  };
}
