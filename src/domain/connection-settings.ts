/** How often a failed request is tried again: `ads.retry` and `messages.retry` of the settings. */
export interface RetryPolicy {
  /** Tries in all, the first one included. */
  readonly attempts: number;
  /** Pause after the first failure, milliseconds; each further pause is twice the one before. */
  readonly firstDelayMs: number;
  /** Bound on tries and pauses together, milliseconds. */
  readonly totalMs: number;
}

/** Where the settings say nothing: 5 s, 10 s, 20 s between four tries. */
export const DEFAULT_RETRY: RetryPolicy = { attempts: 4, firstDelayMs: 5_000, totalMs: 120_000 };

/** For a person who typed a command and waits: two tries more, at once, unless the settings say how many. */
export function whileSomebodyWaits(policy: RetryPolicy): RetryPolicy {
  return policy === DEFAULT_RETRY ? { ...policy, attempts: 3, firstDelayMs: 1_000 } : policy;
}

/** The proxies that requests leave through: HTTP_PROXY, HTTPS_PROXY and NO_PROXY. */
export interface ProxySettings {
  /** For addresses that begin with http://: `http://user:password@host:port`, user and password where it wants them. */
  readonly http: string | undefined;
  /** For addresses that begin with https://. */
  readonly https: string | undefined;
  /** Hosts that are reached without: names, `.suffixes`, each with a port if need be, separated by commas; `*` for all. */
  readonly bypass: string;
}

/** What bearer tokens of the advertising interface come from (requirement B16). */
export type AdsCredentials =
  | { readonly kind: 'access_token'; readonly accessToken: string }
  | {
      readonly kind: 'refresh_token';
      readonly clientId: string;
      readonly clientSecret: string;
      readonly refreshToken: string;
      readonly tokenUrl: string;
    };
