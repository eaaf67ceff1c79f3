import { z } from 'zod';
import { budgetId, campaignId, customerId } from '../domain/ids.ts';
import {
  amount,
  currencyCode,
  customerIdText,
  digits,
  nonEmptyText,
  oneOrMany,
  timeZone,
  wholeNumber,
  yesOrNo,
} from '../yaml/scalars.ts';

const DAY_MS = 86_400_000;

const retry = z
  .strictObject({
    attempts: wholeNumber(1, 20),
    first_delay_ms: wholeNumber(0, DAY_MS),
    total_ms: wholeNumber(0, DAY_MS),
  })
  .partial()
  .default({});

const ads = z
  .strictObject({
    url: nonEmptyText,
    version: nonEmptyText,
    access_token: nonEmptyText,
    client_id: nonEmptyText,
    client_secret: nonEmptyText,
    refresh_token: nonEmptyText,
    token_url: nonEmptyText,
    developer_token: nonEmptyText,
    login_customer_id: customerIdText,
    customer_ids: oneOrMany(customerIdText),
    stream_path: nonEmptyText,
    retry,
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
    retry,
  })
  .partial()
  .default({});

const sandbox = z
  .strictObject({
    seed: wholeNumber(0, 2 ** 31 - 1),
    strict: yesOrNo,
    market: nonEmptyText,
    port: wholeNumber(0, 65_535),
    data_dir: nonEmptyText,
  })
  .partial()
  .default({});

const account = z.strictObject({ currency: currencyCode, time_zone: timeZone }).partial();
const budget = z.strictObject({ amount, campaigns: oneOrMany(digits.transform(campaignId)) });

/** Maps keyed by ids: the id's spelling is checked, and dashes in a customer id are taken away. */
const byCustomer = <Schema extends z.ZodType>(schema: Schema) =>
  z.record(customerIdText.transform(customerId), schema).default({});

/** `pacekeeper.yaml`. Every key is optional; an unknown one is refused. */
export const settingsSchema = z.strictObject({
  target: z.enum(['sandbox', 'live']).optional(),
  automation: z.strictObject({ mode: z.enum(['propose', 'approve', 'apply']).optional() }).default({}),
  ads,
  messages,
  sandbox,
  accounts: byCustomer(account),
  budgets: byCustomer(z.record(digits.transform(budgetId), budget)),
});

export type SettingsFile = z.output<typeof settingsSchema>;
