import type * as z from 'zod';
import { ACCOUNTS, CALENDAR } from './declared/accounts.ts';
import { ADVERTISING, PROXIES, READING } from './declared/advertising.ts';
import { ALERTING } from './declared/alerting.ts';
import { CONTAINER } from './declared/container.ts';
import { group, type Section } from './declared/declare.ts';
import { GRAPH, MESSAGING, WEBHOOKS } from './declared/messaging.ts';
import { SANDBOX } from './declared/sandbox.ts';
import { SCHEDULE, WATCHING } from './declared/schedule.ts';
import { PARAMETERS, WHICH_SERVICE } from './declared/which-service.ts';

/** Every setting there is, in the order of the configuration page. */
export const SECTIONS: readonly Section[] = [
  WHICH_SERVICE,
  PARAMETERS,
  ADVERTISING,
  PROXIES,
  READING,
  MESSAGING,
  GRAPH,
  CONTAINER,
  WEBHOOKS,
  SCHEDULE,
  WATCHING,
  ALERTING,
  ACCOUNTS,
  CALENDAR,
  SANDBOX,
];

/** `pacekeeper.yaml`, with the values of the environment in their places. Every key is optional; an unknown one is refused. */
export const settingsSchema = group(
  {
    target: WHICH_SERVICE.keys.target,
    automation: WHICH_SERVICE.keys.automation,
    params: PARAMETERS.keys.params,
    ads: ADVERTISING.keys.ads,
    messages: MESSAGING.keys.messages,
    graph: GRAPH.keys.graph,
    container: CONTAINER.keys.container,
    serve: WEBHOOKS.keys.serve,
    schedule: SCHEDULE.keys.schedule,
    heartbeat: WATCHING.keys.heartbeat,
    log: WATCHING.keys.log,
    alerts: ALERTING.keys.alerts,
    sandbox: SANDBOX.keys.sandbox,
    extract: READING.keys.extract,
    holidays: CALENDAR.keys.holidays,
    accounts: ACCOUNTS.keys.accounts,
    budgets: ACCOUNTS.keys.budgets,
  },
  ({ automation, ...others }) => {
    const mode = automation.mode ?? (others.target === 'live' ? ('propose' as const) : ('apply' as const));
    return { ...others, automation: { ...automation, mode } };
  },
);

/** Settings of the environment alone. */
export const environmentSchema = group({
  start_at_ms: WHICH_SERVICE.keys.start_at_ms,
  proxy: PROXIES.keys.proxy,
});

/** The folders and files a command works on, absolute. */
export interface Paths {
  readonly config: string;
  readonly queries: string;
  readonly rules: string;
  readonly data: string;
}

export type DeclaredSettings = z.output<typeof settingsSchema> & z.output<typeof environmentSchema>;

/** Everything a command needs to know, read once, checked as a whole. */
export interface Settings extends DeclaredSettings {
  readonly paths: Paths;
  /** Every secret value, so that it can be kept out of every text. */
  readonly secrets: readonly string[];
  /** What the user should know about how the settings were read, one sentence each. */
  readonly notes: readonly string[];
}

export type ScheduledJob = Settings['schedule'][number];
