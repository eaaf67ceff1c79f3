import type * as z from 'zod';
import { CHANNEL_SETTINGS, CHANNELS } from '../channels/channels.ts';
import type { ServiceAccountKey } from '../domain/connection-settings.ts';
import { group, type Section } from '../language/settings/declare.ts';
import { ACCOUNTS, CALENDAR } from './declared/accounts.ts';
import { ADVERTISING, PROXIES, READING } from './declared/advertising.ts';
import { AGENTS } from './declared/agents.ts';
import { ALERTING } from './declared/alerting.ts';
import { CHANNEL_SECTIONS } from './declared/channels.ts';
import { CONTAINER } from './declared/container.ts';
import { ENCRYPTION } from './declared/encryption.ts';
import { MODELS } from './declared/models.ts';
import { SANDBOX } from './declared/sandbox.ts';
import { SCHEDULE, WATCHING } from './declared/schedule.ts';
import { STORE } from './declared/store.ts';
import { WEBHOOKS } from './declared/webhooks.ts';
import { PARAMETERS, WHICH_SERVICE } from './declared/which-service.ts';

/** In the order of the configuration page. */
export const SECTIONS: readonly Section[] = [
  WHICH_SERVICE,
  PARAMETERS,
  ADVERTISING,
  PROXIES,
  ENCRYPTION,
  READING,
  ...CHANNEL_SECTIONS,
  CONTAINER,
  WEBHOOKS,
  AGENTS,
  SCHEDULE,
  WATCHING,
  ALERTING,
  ACCOUNTS,
  CALENDAR,
  MODELS,
  STORE,
  SANDBOX,
];

export const settingsSchema = group(
  {
    target: WHICH_SERVICE.keys.target,
    automation: WHICH_SERVICE.keys.automation,
    params: PARAMETERS.keys.params,
    ads: ADVERTISING.keys.ads,
    ...CHANNEL_SETTINGS,
    container: CONTAINER.keys.container,
    serve: WEBHOOKS.keys.serve,
    agents: AGENTS.keys.agents,
    schedule: SCHEDULE.keys.schedule,
    watch: WATCHING.keys.watch,
    heartbeat: WATCHING.keys.heartbeat,
    log: WATCHING.keys.log,
    alerts: ALERTING.keys.alerts,
    sandbox: SANDBOX.keys.sandbox,
    extract: READING.keys.extract,
    check: READING.keys.check,
    models: MODELS.keys.models,
    store: STORE.keys.store,
    publish: STORE.keys.publish,
    tls: ENCRYPTION.keys.tls,
    holidays: CALENDAR.keys.holidays,
    accounts: ACCOUNTS.keys.accounts,
    budgets: ACCOUNTS.keys.budgets,
    exchange_rates: ACCOUNTS.keys.exchange_rates,
  },
  ({ automation, ...others }) => {
    const mode = automation.mode ?? (others.target === 'live' ? ('propose' as const) : ('apply' as const));
    return { ...others, automation: { ...automation, mode } };
  },
  CHANNELS.map(({ name }) => name),
);

export const environmentSchema = group({
  start_at_ms: WHICH_SERVICE.keys.start_at_ms,
  proxy: PROXIES.keys.proxy,
});

/** Something that earlier versions used. */
export interface FolderNote {
  readonly found: string;
  readonly nextStep: string;
}

export interface Paths {
  readonly config: string;
  readonly queries: string;
  readonly rules: string;
  readonly models: string;
  readonly targets: string;
  readonly data: string;
}

export type DeclaredSettings = z.output<typeof settingsSchema> & z.output<typeof environmentSchema>;

export interface Settings extends DeclaredSettings {
  readonly paths: Paths;
  readonly secrets: readonly string[];
  /** The key in `ads.service_account_file`, if the target is live. */
  readonly serviceAccount: ServiceAccountKey | undefined;
  /** In PEM format: all that are trusted. Undefined without `tls.ca_file`. */
  readonly authorities: readonly string[] | undefined;
  readonly notes: readonly string[];
  readonly folderNotes: readonly FolderNote[];
}

export type ScheduledJob = Settings['schedule'][number];
