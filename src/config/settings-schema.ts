import * as z from 'zod';
import { ALERT_SEVERITIES } from '../domain/channel.ts';
import { readFaultText } from '../domain/fault-text.ts';
import { budgetId, campaignId, customerId } from '../domain/ids.ts';
import { isCalendarName } from '../gaql/check/date-mark.ts';
import {
  amount,
  calendarDay,
  currencyCode,
  customerIdText,
  digits,
  hoursOfDay,
  localeName,
  mapOr,
  nonEmptyText,
  oneOrMany,
  scalar,
  timeOfDay,
  timeOfDayOrNever,
  timeZone,
  wholeNumber,
  yesOrNo,
} from '../yaml/scalars.ts';

/** What query files are checked against: the newest version of the public interface, or the specification's table. */
export const CATALOGUE_NAMES = ['v25', 'spec'] as const;

/** What can be run by the clock. */
export const SCHEDULABLE = ['report', 'extract', 'deliver', 'publish'] as const;

/** Lines for people, or one JSON object a line. */
export const LOG_FORMATS = ['text', 'json'] as const;

const DAY_MS = 86_400_000;

const retry = z
  .strictObject({
    attempts: wholeNumber(1, 20),
    first_delay_ms: wholeNumber(0, DAY_MS),
    total_ms: wholeNumber(0, DAY_MS),
  })
  .partial()
  .default({});

const timeouts = z
  .strictObject({
    connect_ms: wholeNumber(1, DAY_MS),
    headers_ms: wholeNumber(1, DAY_MS),
    body_idle_ms: wholeNumber(1, DAY_MS),
  })
  .partial()
  .default({});

const ads = z
  .strictObject({
    url: nonEmptyText,
    version: nonEmptyText,
    catalogue: z.enum(CATALOGUE_NAMES).optional(),
    access_token: nonEmptyText,
    client_id: nonEmptyText,
    client_secret: nonEmptyText,
    refresh_token: nonEmptyText,
    token_url: nonEmptyText,
    developer_token: nonEmptyText,
    login_customer_id: customerIdText,
    customer_ids: oneOrMany(customerIdText),
    exclude_customer_ids: oneOrMany(customerIdText),
    stream_path: nonEmptyText,
    retry,
    timeouts,
  })
  .partial()
  .default({});

const messages = z
  .strictObject({
    url: nonEmptyText,
    account_id: nonEmptyText,
    username: nonEmptyText,
    password: nonEmptyText,
    from: nonEmptyText,
    to: oneOrMany(nonEmptyText),
    media: z.enum(['refuse', 'link']),
    retry,
  })
  .partial()
  .default({});

const graph = z
  .strictObject({
    url: nonEmptyText,
    version: nonEmptyText,
    access_token: nonEmptyText,
    token_in: z.enum(['header', 'query']),
    business_account_id: nonEmptyText,
    phone_number_id: nonEmptyText,
    user_id: nonEmptyText,
    app_secret: nonEmptyText,
    verify_token: nonEmptyText,
    retry,
  })
  .partial()
  .default({});

const headerName = scalar('the name of a header such as Authorization', (value) =>
  /^[A-Za-z][A-Za-z0-9-]{0,63}$/.test(value) ? value : undefined,
);

const container = z
  .strictObject({ url: nonEmptyText, username: nonEmptyText, password: nonEmptyText, token_header: headerName, retry })
  .partial()
  .default({});

const serve = z
  .strictObject({ host: nonEmptyText, port: wholeNumber(0, 65_535), public_url: nonEmptyText, trust_proxy: yesOrNo })
  .partial()
  .default({});

const recipient = z
  .strictObject({ messages: nonEmptyText, graph: nonEmptyText, time_zone: timeZone, quiet_hours: hoursOfDay })
  .partial();

const route = z.strictObject({
  to: oneOrMany(nonEmptyText),
  severities: oneOrMany(z.enum(ALERT_SEVERITIES)).optional(),
  accounts: oneOrMany(customerIdText.transform(customerId)).optional(),
  rules: oneOrMany(nonEmptyText).optional(),
});

const personName = z.string().regex(/^[a-z][a-z0-9_-]{0,39}$/, 'a short name in small letters');

const alerts = z
  .strictObject({
    recipients: z.record(personName, recipient).default({}),
    routes: z.array(route).default([]),
    approvers: mapOr(z.record(personName, nonEmptyText), oneOrMany(nonEmptyText)).optional(),
    time_zone: timeZone.optional(),
    cooldown_minutes: wholeNumber(0, 7 * 24 * 60).optional(),
    repeat_hours: wholeNumber(1, 24 * 90).optional(),
    undelivered_minutes: wholeNumber(1, 24 * 60).optional(),
    digest_at: timeOfDayOrNever.optional(),
  })
  .default({ recipients: {}, routes: [] });

/** A fault as it is written; only what the sandbox can do. */
const fault = z.string({ error: 'a fault such as cut,nth=2' }).transform((text, context): string => {
  const reading = readFaultText(text);
  if (reading.kind === 'ok') return text;
  context.issues.push({ code: 'custom', message: reading.expected, input: text });
  return z.NEVER;
});

const sandbox = z
  .strictObject({
    seed: wholeNumber(0, 2 ** 31 - 1),
    strict: yesOrNo,
    manager: yesOrNo,
    market: nonEmptyText,
    port: wholeNumber(0, 65_535),
    data_dir: nonEmptyText,
    fault: oneOrMany(fault),
  })
  .partial()
  .default({});

/** A table's name, as a query file's name gives it. */
const queryName = z.string().regex(/^[a-z][a-z0-9_]{0,62}$/, 'the name of a query such as keyword_stats');

const extract = z
  .strictObject({
    concurrency: wholeNumber(1, 64),
    day_closes_at: timeOfDay,
    settle_days: z.record(queryName, wholeNumber(0, 90)),
    operations_per_day: wholeNumber(1, 1_000_000_000),
    keep_records_days: wholeNumber(31, 36_500),
  })
  .partial()
  .default({});

const automation = z
  .strictObject({
    mode: z.enum(['propose', 'approve', 'apply']),
    changes_per_run: wholeNumber(0, 1_000_000),
    approval_hours: wholeNumber(1, 24 * 90),
    read_lag_minutes: wholeNumber(0, 24 * 60),
  })
  .partial()
  .default({});

/** Days that are like no other. */
const holidays = oneOrMany(calendarDay).optional();

const account = z
  .strictObject({
    ...{ currency: currencyCode, time_zone: timeZone, locale: localeName },
    ...{ daily_total: amount, daily_exposure: amount, holidays },
  })
  .partial();
const budget = z.strictObject({ amount, campaigns: oneOrMany(digits.transform(campaignId)) });

const choice = { query: oneOrMany(queryName), customer: oneOrMany(customerIdText.transform(customerId)) };

const jobName = z.string().regex(/^[a-z][a-z0-9_-]{0,39}$/, 'a short name in small letters');

/** When a job runs. Its options are those of the command of the same name. */
const scheduledJob = z.strictObject({
  name: jobName,
  cron: nonEmptyText,
  time_zone: timeZone.default('UTC'),
  job: z.enum(SCHEDULABLE),
  options: z
    .strictObject({
      ...choice,
      ...{ dry_run: yesOrNo, no_extract: yesOrNo, resume: yesOrNo, to: z.enum(['csv', 'json']), dir: nonEmptyText },
    })
    .partial()
    .default({}),
});

const heartbeat = z.strictObject({ url: nonEmptyText }).partial().default({});

const log = z
  .strictObject({ format: z.enum(LOG_FORMATS) })
  .partial()
  .default({});

/** A name that stands in queries behind a colon. */
const parameterName = z
  .string()
  .regex(/^[a-zA-Z_]\w*$/, 'letters, digits and underscores, as in :campaigns')
  .refine((name) => !isCalendarName(name), 'another name: this one is a day of the calendar');

/** A value that queries compare with. Scalars are read as text, so what means "nothing" in YAML is still written out. */
const parameterValue = z
  .string({ error: 'a text, a number or a date' })
  .refine((text) => !/^\s*(?:~|null)?\s*$/i.test(text), 'a text, a number or a date, neither empty nor null');

/** Maps keyed by ids: the id's spelling is checked, and dashes in a customer id are taken away. */
const byCustomer = <Schema extends z.ZodType>(schema: Schema) =>
  z.record(customerIdText.transform(customerId), schema).default({});

/** `pacekeeper.yaml`. Every key is optional; an unknown one is refused. */
export const settingsSchema = z.strictObject({
  target: z.enum(['sandbox', 'live']).optional(),
  automation,
  params: z.record(parameterName, oneOrMany(parameterValue)).default({}),
  ads,
  messages,
  graph,
  container,
  serve,
  schedule: z.array(scheduledJob).default([]),
  heartbeat,
  log,
  alerts,
  sandbox,
  extract,
  holidays,
  accounts: byCustomer(account),
  budgets: byCustomer(z.record(digits.transform(budgetId), budget)),
});

export type SettingsFile = z.output<typeof settingsSchema>;
