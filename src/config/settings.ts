import type { AdsCredentials } from '../domain/ads-credentials.ts';
import type { AlertSeverity, Channel } from '../domain/channel.ts';
import type { CivilDate } from '../domain/civil-date.ts';
import type { BusinessAccountId, GraphUserId, PhoneNumberId } from '../domain/graph-ids.ts';
import type { BudgetId, CampaignId, CustomerId } from '../domain/ids.ts';
import type { Micros } from '../domain/micros.ts';
import type { ProxySettings } from '../domain/proxy-settings.ts';
import type { RetryPolicy } from '../domain/retry-policy.ts';
import type { ParameterValues } from '../gaql/check/bind-parameters.ts';
import type { CatalogueName } from './load-catalogue.ts';
import type { LOG_FORMATS, SCHEDULABLE, SettingsFile } from './settings-schema.ts';

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
  /** Who is told where no recipients are named under `alerts`. */
  readonly to: readonly string[];
  /** What becomes of a media address that the channel would drop: refused, or written into the text. */
  readonly media: 'refuse' | 'link';
}

/** Area A. Each id is wanted by the operations that name it and by no others. */
export interface GraphSettings {
  readonly url: string;
  readonly version: string;
  readonly accessToken: string;
  /** How the token is shown: as a bearer, or as the query parameter `access_token` (requirement A10). */
  readonly tokenIn: 'header' | 'query';
  readonly businessAccountId: BusinessAccountId | undefined;
  readonly phoneNumberId: PhoneNumberId | undefined;
  readonly userId: GraphUserId | undefined;
}

/** Area D. */
export interface ContainerSettings {
  readonly url: string;
  readonly username: string;
  readonly password: string;
  /** The header that carries the token: as a bearer in `Authorization`, bare in any other (requirement D3). */
  readonly tokenHeader: string;
}

/** Where webhooks are received. */
export interface ServeSettings {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** The address at which the providers reach us, without a trailing slash; what they sign. */
  readonly publicUrl: string | undefined;
  /** Believe the proxy in front who asks, and by which protocol: its `X-Forwarded-*` headers. */
  readonly trustProxy: boolean;
  /** What proves where a webhook comes from; a route without its secret is off. */
  readonly secrets: {
    readonly graphApp: string | undefined;
    readonly graphVerify: string | undefined;
    readonly messages: string | undefined;
  };
}

/** A job that the clock starts. */
export interface ScheduledJob {
  readonly name: string;
  /** Five fields: minute, hour, day of the month, month, day of the week; on the calendar of `timeZone`. */
  readonly cron: string;
  readonly timeZone: string;
  readonly job: (typeof SCHEDULABLE)[number];
  /** Those of the command of the same name. */
  readonly options: SettingsFile['schedule'][number]['options'];
}

/** Somebody who is told. */
export interface AlertRecipient {
  readonly name: string;
  /** Area C: `<channel>:+<number>`. Area A: digits. At least one. */
  readonly addresses: ReadonlyMap<Channel, string>;
  readonly timeZone: string;
  /** `HH:MM` of the recipient's calendar; `to` may be the next day's. */
  readonly quietHours: { readonly from: string; readonly to: string } | undefined;
}

/** Which alerts go to whom; an absent part means any. */
export interface AlertRoute {
  readonly to: readonly string[];
  readonly severities: readonly AlertSeverity[] | undefined;
  readonly accounts: readonly CustomerId[] | undefined;
  /** Names of rules; `*` stands for any letters. */
  readonly rules: readonly string[] | undefined;
}

/** Somebody whose answer decides. */
export interface AlertApprover {
  /** `+<digits>`. */
  readonly number: string;
  /** As whom the audit trail knows this person, beside the masked number; undefined for by the number alone. */
  readonly name: string | undefined;
}

export interface AlertSettings {
  /** Empty: those of the messaging interface's settings. */
  readonly recipients: readonly AlertRecipient[];
  /** Every recipient of every route that matches is told; without routes, all are told everything. */
  readonly routes: readonly AlertRoute[];
  /** Whose answers decide on proposals; no two are shown alike. */
  readonly approvers: readonly AlertApprover[];
  /** For who names none. */
  readonly timeZone: string;
  /** What was resolved and comes back within this time is not told again. */
  readonly cooldownMs: number;
  /** What still is so is told again after this time. */
  readonly repeatMs: number;
  /** An accepted message that is not known to be delivered after this time goes to the next channel, too. */
  readonly undeliveredMs: number;
  /** `HH:MM` of the recipient's calendar; undefined for no digest. */
  readonly digestAt: string | undefined;
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
  /** How it misbehaves, as `--fault` takes it; the sandbox itself reads them. */
  readonly faults: readonly string[];
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
  /** Days after which what runs noted of their reading is removed where nothing needs it any more. */
  readonly keepRecordsDays: number;
}

/** What bounds automation as a whole, beside the limits of each rule. */
export interface AutomationSettings {
  /** The most budgets that one run may change. */
  readonly changesPerRun: number;
  /** How long a proposal waits for a person. */
  readonly approvalHours: number;
  /** How long a reading of budgets may lag behind a change. */
  readonly readLagMs: number;
}

/** What is known of an account beside what the interface says, and the bounds that hold for it as a whole. */
export interface AccountSettings {
  readonly currency?: string | undefined;
  readonly timeZone?: string | undefined;
  /** How its amounts are written in alerts: a BCP 47 language tag. */
  readonly locale?: string | undefined;
  /** The most that all daily budgets of the account may come to together. */
  readonly dailyTotalMax?: Micros | undefined;
  /** The most that one day may cost at worst, when every budget is spent twice. */
  readonly dailyExposureMax?: Micros | undefined;
  /** Its holidays, in place of those of the settings. */
  readonly holidays?: ReadonlySet<CivilDate> | undefined;
}

/** Where requests go. An absent area of a live target is allowed and shown. */
export type TargetSettings =
  | { readonly kind: 'sandbox' }
  | {
      readonly kind: 'live';
      readonly ads: AdsSettings | undefined;
      readonly messages: MessagesSettings | undefined;
      readonly graph: GraphSettings | undefined;
      readonly container: ContainerSettings | undefined;
    };

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
  readonly graphRetry: RetryPolicy;
  readonly containerRetry: RetryPolicy;
  readonly alerts: AlertSettings;
  readonly serve: ServeSettings;
  readonly extract: ExtractSettings;
  readonly schedule: readonly ScheduledJob[];
  /** Told when a scheduled job begins and ends; secret. Undefined for nobody. */
  readonly heartbeatUrl: string | undefined;
  readonly logFormat: (typeof LOG_FORMATS)[number] | undefined;
  /** Days that no other day is compared with. */
  readonly holidays: ReadonlySet<CivilDate>;
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
