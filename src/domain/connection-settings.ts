/** The settings `ads.retry` and `messages.retry`. */
export interface RetryPolicy {
  /** Includes the first try. */
  readonly attempts: number;
  /** Each further pause is twice as long. */
  readonly firstDelayMs: number;
  readonly totalMs: number;
  /** Undefined if the settings contain the number of attempts. */
  readonly isDefault?: true;
}

export const DEFAULT_RETRY: RetryPolicy = { attempts: 4, firstDelayMs: 5_000, totalMs: 120_000, isDefault: true };

/** Makes fewer attempts while a person waits, unless the settings contain their number. */
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
  /** The identity that the machine has, such as the service account of a virtual machine. */
  | { readonly kind: 'machine'; readonly tokenUrl: string };

/** The parts of a service account's key file that are used. */
export interface ServiceAccountKey {
  readonly file: string;
  readonly clientEmail: string;
  /** RSA, in PEM. */
  readonly privateKey: string;
}
