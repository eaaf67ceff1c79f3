/** The settings `ads.retry` and `messages.retry`. */
export interface RetryPolicy {
  /** Includes the first try. */
  readonly attempts: number;
  /** The pause after the first attempt. Each later pause is twice as long as the one before. */
  readonly firstDelayMs: number;
  readonly totalMs: number;
  /** True if the settings do not set the number of attempts. */
  readonly isDefault?: true;
}

export const DEFAULT_RETRY: RetryPolicy = { attempts: 4, firstDelayMs: 5_000, totalMs: 120_000, isDefault: true };

/** Reduces the attempts while a person waits, unless the settings set their number. */
export function whileSomebodyWaits(policy: RetryPolicy): RetryPolicy {
  return policy.isDefault ? { ...policy, attempts: 3, firstDelayMs: 1_000 } : policy;
}

export interface ProxySettings {
  /** Proxy for http:// addresses, such as `http://user:password@host:port`. */
  readonly http: string | undefined;
  readonly https: string | undefined;
  /** Hosts without a proxy, separated by commas: `example.com`, `.example.com:8080`, or `*` for all. */
  readonly bypass: string;
}

export const ADS_SCOPE = 'https://www.googleapis.com/auth/adwords';

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
      /** The user for whom the service account acts (domain-wide delegation). */
      readonly impersonatedEmail: string | undefined;
      readonly tokenUrl: string;
    }
  | { readonly kind: 'machine'; readonly tokenUrl: string };

export interface ServiceAccountKey {
  readonly file: string;
  readonly clientEmail: string;
  /** An RSA key in PEM format. */
  readonly privateKey: string;
}

/** Content of the answer to a budget change (requirement B4). */
export type ResponseContentType = 'RESOURCE_NAME_ONLY' | 'MUTABLE_RESOURCE';
