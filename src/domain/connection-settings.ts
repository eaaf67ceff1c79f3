/** `ads.retry` and `messages.retry` of the settings. */
export interface RetryPolicy {
  /** Includes the first try. */
  readonly attempts: number;
  /** Each further pause doubles. */
  readonly firstDelayMs: number;
  readonly totalMs: number;
  /** Undefined where the settings say how often to try. */
  readonly isDefault?: true;
}

export const DEFAULT_RETRY: RetryPolicy = { attempts: 4, firstDelayMs: 5_000, totalMs: 120_000, isDefault: true };

/** For a person who waits for a command, unless the settings say how often to try. */
export function whileSomebodyWaits(policy: RetryPolicy): RetryPolicy {
  return policy.isDefault ? { ...policy, attempts: 3, firstDelayMs: 1_000 } : policy;
}

export interface ProxySettings {
  /** For http:// addresses: `http://user:password@host:port`, user and password optional. */
  readonly http: string | undefined;
  readonly https: string | undefined;
  /** Hosts to reach directly, separated by commas: names or `.suffixes`, with an optional port; `*` for all. */
  readonly bypass: string;
}

/** Source of bearer tokens for the advertising interface (requirement B16). */
export type AdsCredentials =
  | { readonly kind: 'access_token'; readonly accessToken: string }
  | {
      readonly kind: 'refresh_token';
      readonly clientId: string;
      readonly clientSecret: string;
      readonly refreshToken: string;
      readonly tokenUrl: string;
    };
