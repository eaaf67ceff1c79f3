/** The settings `ads.retry` and `messages.retry`. */
export interface RetryPolicy {
  /** Includes the first try. */
  readonly attempts: number;
  /** Each later pause is twice as long as the one before. */
  readonly firstDelayMs: number;
  readonly totalMs: number;
  /** True if the settings do not set the number of attempts. */
  readonly isDefault?: true;
}

export const DEFAULT_RETRY: RetryPolicy = { attempts: 4, firstDelayMs: 5_000, totalMs: 120_000, isDefault: true };

/** While a person waits, fewer attempts are made. A number of attempts in the settings stays. */
export function whileSomebodyWaits(policy: RetryPolicy): RetryPolicy {
  return policy.isDefault ? { ...policy, attempts: 3, firstDelayMs: 1_000 } : policy;
}

export interface ProxySettings {
  /** Proxy for http:// addresses: `http://user:password@host:port`, with or without user and password. */
  readonly http: string | undefined;
  readonly https: string | undefined;
  /** Hosts reached without a proxy, separated by commas: names or `.suffixes`, with an optional port. `*` means all. */
  readonly bypass: string;
}

/** Tokens must have this scope. */
export const ADS_SCOPE = 'https://www.googleapis.com/auth/adwords';

/** Source of bearer tokens for the advertising interface (requirement B16). */
export type AdsCredentials =
  | { readonly kind: 'access_token'; readonly accessToken: string }
  | {
      readonly kind: 'refresh_token';
      readonly clientId: string;
      readonly clientSecret: string;
      readonly refreshToken: string;
      readonly tokenUrl: string;
    }
  | {
      readonly kind: 'service_account';
      readonly key: ServiceAccountKey;
      /** The user to act for, by domain-wide delegation. */
      readonly impersonatedEmail: string | undefined;
      readonly tokenUrl: string;
    }
  /** The identity of the machine, such as the service account of a virtual machine. */
  | { readonly kind: 'machine'; readonly tokenUrl: string };

/** The values of a service account's key file that pacekeeper needs. */
export interface ServiceAccountKey {
  readonly file: string;
  readonly clientEmail: string;
  /** RSA, in PEM. */
  readonly privateKey: string;
}
