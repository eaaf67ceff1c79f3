import type { AdsCredentials } from '../domain/ads-credentials.ts';
import type { BudgetId, CampaignId, CustomerId } from '../domain/ids.ts';
import type { Micros } from '../domain/micros.ts';
import type { ProxySettings } from '../domain/proxy-settings.ts';
import type { RetryPolicy } from '../domain/retry-policy.ts';
import type { ParameterValues } from '../gaql/check/bind-parameters.ts';
import type { CatalogueName } from './load-catalogue.ts';

/** The folders and files a command works on, absolute. */
export interface Paths {
  readonly config: string;
  readonly queries: string;
  readonly rules: string;
  readonly data: string;
}

export interface AdsSettings {
  readonly url: string;
  readonly version: string;
  readonly streamPath: string;
  readonly credentials: AdsCredentials;
  readonly developerToken: string | undefined;
  readonly loginCustomerId: CustomerId | undefined;
}

export interface MessagesSettings {
  readonly url: string;
  readonly accountId: string;
  readonly username: string;
  readonly password: string;
  readonly from: string;
  readonly to: readonly string[];
}

export interface SandboxSettings {
  readonly seed: number;
  readonly strict: boolean;
  /** The accounts stand below managers, of which the credentials reach one. */
  readonly manager: boolean;
  /** Absolute; undefined for the seeded market. */
  readonly market: string | undefined;
  readonly port: number | undefined;
  /** Absolute; undefined for the command's own data folder. */
  readonly dataDir: string | undefined;
}

/** How much is read at a time, and when a day's numbers count as final. */
export interface ExtractSettings {
  /** Accounts that are read at the same time. */
  readonly concurrency: number;
  /** `HH:MM` on the account's own calendar: from then on the day before is closed. */
  readonly dayClosesAt: string;
  /** Days after which a closed day is settled, by query; 0 for a query that is not named. */
  readonly settleDays: ReadonlyMap<string, number>;
  /** How many operations 24 hours may cost; undefined for no bound. */
  readonly operationsPerDay: number | undefined;
}

/** What bounds automation as a whole, beside the limits of each rule. */
export interface AutomationSettings {
  /** The most budgets that one run may change. */
  readonly changesPerRun: number;
  /** How long a proposal waits for a person. */
  readonly approvalHours: number;
}

/** What is known of an account beside what the interface says, and the bounds that hold for it as a whole. */
export interface AccountSettings {
  readonly currency?: string | undefined;
  readonly timeZone?: string | undefined;
  /** The most that all daily budgets of the account may come to together. */
  readonly dailyTotalMax?: Micros | undefined;
  /** The most that one day may cost at worst, when every budget is spent twice. */
  readonly dailyExposureMax?: Micros | undefined;
}

/** Where requests go. An absent area of a live target is allowed and shown. */
export type TargetSettings =
  | { readonly kind: 'sandbox' }
  | { readonly kind: 'live'; readonly ads: AdsSettings | undefined; readonly messages: MessagesSettings | undefined };

/** Everything a command needs to know, read once, checked as a whole. */
export interface Settings {
  readonly paths: Paths;
  readonly target: TargetSettings;
  readonly sandbox: SandboxSettings;
  /** The instant the clock starts at, milliseconds; undefined for the machine's own time. */
  readonly startAtMs: number | undefined;
  readonly mode: 'propose' | 'approve' | 'apply';
  readonly automation: AutomationSettings;
  /** Read these accounts, and those below the managers among them, instead of all accessible ones; empty for all. */
  readonly customerIds: readonly CustomerId[];
  /** Leave these out, and what stands below those of them that are managers. */
  readonly excludeCustomerIds: readonly CustomerId[];
  /** What query files are checked against. */
  readonly catalogue: CatalogueName;
  /** Values for the parameters of queries, as text. */
  readonly parameters: ParameterValues;
  readonly adsRetry: RetryPolicy;
  /** How long an answer of the advertising interface is waited for, milliseconds; undefined for the usual wait. */
  readonly adsTimeouts: {
    readonly connectMs: number | undefined;
    readonly headersMs: number | undefined;
    readonly bodyIdleMs: number | undefined;
  };
  /** Never for the sandbox. */
  readonly proxy: ProxySettings | undefined;
  readonly messagesRetry: RetryPolicy;
  readonly extract: ExtractSettings;
  readonly accounts: ReadonlyMap<CustomerId, AccountSettings>;
  readonly budgets: ReadonlyMap<
    CustomerId,
    ReadonlyMap<BudgetId, { readonly amount: Micros; readonly campaigns: readonly CampaignId[] }>
  >;
  /** Every secret value, so that it can be kept out of every text. */
  readonly secrets: readonly string[];
  /** What the user should know about how the settings were read, one sentence each. */
  readonly notes: readonly string[];
}
