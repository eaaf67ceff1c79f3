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

/** Operations in 24 hours by the access level of a cloud project. The service reviews `standard` and gives no number. */
export const ACCESS_LEVELS = { explorer: 2_880, basic: 15_000, standard: undefined } as const;

export type AccessLevel = keyof typeof ACCESS_LEVELS;

/** A level, or the user's own limit. */
export type Access = AccessLevel | number;

/** Undefined if there is no limit. */
export function dailyOperations(access: Access | undefined): number | undefined {
  return typeof access === 'string' ? ACCESS_LEVELS[access] : access;
}

/** True for an address that no other machine can read. */
export function isOnThisMachine({ hostname }: URL): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

/** In the address of a database, names a file of authorities that are trusted beside those of Node. */
export const CA_FILE_PARAMETER = 'pacekeeper_ca_file';

export function withCaFile<Url extends string | undefined>(url: Url, file: string | undefined): Url {
  if (url === undefined || file === undefined) return url;
  const value = encodeURIComponent(file).replaceAll('%2F', '/');
  return `${url}${url.includes('?') ? '&' : '?'}${CA_FILE_PARAMETER}=${value}` as Url;
}
