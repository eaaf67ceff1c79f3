import * as z from 'zod';
import { type CampaignStatus, parseCampaignStatus } from '../../domain/campaign-status.ts';
import { type CivilDate, type DateRange, halve, isTimeZone } from '../../domain/civil-date.ts';
import { ApiError } from '../../domain/errors.ts';
import {
  type BudgetId,
  budgetId,
  type CampaignId,
  type CustomerId,
  campaignId,
  isId,
  parseBudgetResourceName,
} from '../../domain/ids.ts';
import { type Micros, parseMicros } from '../../domain/micros.ts';
import { parseCivilDate } from '../../domain/parse-civil-date.ts';
import type { UnreadableBudget } from '../../domain/unreadable-budget.ts';
import { malformed } from '../http/classify-failure.ts';
import type { Redact } from '../http/redact.ts';
import { tellableName } from '../http/tellable.ts';
import type { AdsConnection } from './ads-connection.ts';
import { readRows } from './search-stream.ts';

export interface CustomerRecord {
  readonly name: string | undefined;
  readonly currency: string | undefined;
  readonly timeZone: string | undefined;
}

const CUSTOMER_QUERY =
  'SELECT customer.id, customer.descriptive_name, customer.currency_code, customer.time_zone FROM customer';

export const accountFields = {
  descriptiveName: z.string().optional(),
  currencyCode: z.string().optional(),
  timeZone: z.string().optional(),
};

const accountShape = z.object(accountFields);
const customerRow = z.object({ customer: accountShape });

export async function readCustomer(ads: AdsConnection, customer: CustomerId): Promise<CustomerRecord | undefined> {
  return offered(async () => {
    const row = (await readRows(ads, customer, CUSTOMER_QUERY, customerRow))[0]?.customer;
    return customerRecord(row ?? {}, ads.redact);
  });
}

export function customerRecord(row: z.infer<typeof accountShape>, redact: Redact): CustomerRecord {
  const known = (text: string | undefined, test: (text: string) => boolean) => (text && test(text) ? text : undefined);
  return {
    name: tellableName(row.descriptiveName, redact),
    currency: known(row.currencyCode, (text) => /^[A-Z]{3}$/.test(text)),
    timeZone: known(row.timeZone, isTimeZone),
  };
}

const UNITS_QUERY = 'SELECT currency_constant.code, currency_constant.billable_unit_micros FROM currency_constant';

/** The smallest steps of amounts by currency, in micros. They are the same for every customer. */
export async function readCurrencyUnits(
  ads: AdsConnection,
  customer: CustomerId,
): Promise<ReadonlyMap<string, Micros> | undefined> {
  return offered(async () => {
    const rows = await readRows(ads, customer, UNITS_QUERY, unitRow);
    return new Map(
      rows.flatMap(({ currencyConstant: { code, billableUnitMicros } }): [string, Micros][] => {
        const unit = parseMicros(billableUnitMicros ?? '');
        return unit !== undefined && unit > 0n ? [[code, unit]] : [];
      }),
    );
  });
}

const LABELS_QUERY = 'SELECT label.resource_name, label.name FROM label';
const labelRow = z.object({ label: z.object({ resourceName: z.string(), name: z.string().optional() }) });

/** Resource names of the account's labels, by name. Throws if they are not offered: NOT IN would be true for all. */
export async function readLabels(
  ads: AdsConnection,
  customer: CustomerId,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const byName = Map.groupBy(await readRows(ads, customer, LABELS_QUERY, labelRow), ({ label }) => label.name ?? '');
  return new Map(Array.from(byName, ([name, own]) => [name, own.map(({ label }) => label.resourceName)]));
}

export interface CampaignBudgetRecord {
  readonly campaignId: CampaignId;
  readonly campaignName: string | undefined;
  readonly campaignStatus: CampaignStatus | undefined;
  readonly budgetId: BudgetId;
  /** Undefined if the service sends no valid daily amount, and for a total budget. */
  readonly amount: Micros | undefined;
  readonly total: UnreadableBudget['total'];
  readonly removed: boolean | undefined;
}

const CAMPAIGN_FIELDS =
  'campaign.id, campaign.name, campaign.campaign_budget, campaign_budget.id, campaign_budget.amount_micros';
const CAMPAIGN_QUERY = `SELECT ${CAMPAIGN_FIELDS}, campaign.status, campaign_budget.status, campaign_budget.period, campaign_budget.total_amount_micros FROM campaign`;
const SHORTER_CAMPAIGN_QUERY = `SELECT ${CAMPAIGN_FIELDS} FROM campaign`;

const int64 = z.union([z.string().regex(/^-?\d+$/), z.number().int().transform(String)]);
const id = int64.refine(isId, 'expected an id within int64');
const unitRow = z.object({ currencyConstant: z.object({ code: z.string(), billableUnitMicros: int64.optional() }) });
/** A resource name in this form must contain valid ids. Other services can use other forms. */
const budgetName = z
  .string()
  .refine(
    (name) => !/^customers\/\d+\/campaignBudgets\/\d+$/.test(name) || parseBudgetResourceName(name) !== undefined,
    'expected every number in it to be an id within int64',
  );

const campaignRow = z.object({
  campaign: z.object({
    id,
    name: z.string().optional(),
    campaignBudget: budgetName.optional(),
    status: z.string().optional(),
  }),
  campaignBudget: z
    .object({
      id: id.optional(),
      resourceName: budgetName.optional(),
      amountMicros: int64.optional(),
      status: z.string().optional(),
      period: z.string().optional(),
      totalAmountMicros: int64.optional(),
    })
    .optional(),
});

/** Omits campaigns without a budget, and campaigns whose budget belongs to another account. */
export async function readCampaignBudgets(
  ads: AdsConnection,
  customer: CustomerId,
): Promise<readonly CampaignBudgetRecord[] | undefined> {
  return offered(async () => {
    const rows = await readCampaigns(ads, customer);
    return rows.flatMap(({ campaign, campaignBudget }) => {
      const named = parseBudgetResourceName(campaign.campaignBudget ?? campaignBudget?.resourceName ?? '');
      const ownId = named?.budget ?? (campaignBudget?.id === undefined ? undefined : budgetId(campaignBudget.id));
      if (ownId === undefined || (named && named.customer !== customer)) return [];
      const total = totalOf(campaignBudget);
      return [
        {
          campaignId: campaignId(campaign.id),
          campaignName: tellableName(campaign.name, ads.redact),
          campaignStatus: parseCampaignStatus(campaign.status),
          budgetId: ownId,
          amount: total ? undefined : parseMicros(campaignBudget?.amountMicros ?? ''),
          total,
          removed: campaignBudget?.status === undefined ? undefined : campaignBudget.status === 'REMOVED',
        },
      ];
    });
  });
}

/** A service without the field `period` shows a total budget by its total. */
function totalOf({ period, totalAmountMicros = '' }: z.infer<typeof campaignRow>['campaignBudget'] = {}) {
  const amount = parseMicros(totalAmountMicros) || undefined;
  return period === 'CUSTOM_PERIOD' || amount !== undefined ? { amount } : undefined;
}

/** After a 400, tries again without the statuses, the period and the total, because some services do not have them. */
async function readCampaigns(ads: AdsConnection, customer: CustomerId): Promise<z.infer<typeof campaignRow>[]> {
  try {
    return await readRows(ads, customer, CAMPAIGN_QUERY, campaignRow);
  } catch (error) {
    if (!(error instanceof ApiError) || NO_TOKEN.includes(error.status) || error.httpStatus !== 400) throw error;
    return readRows(ads, customer, SHORTER_CAMPAIGN_QUERY, campaignRow);
  }
}

const NOT_OFFERED = [400, 404, 501];
/** An HTML page comes from a proxy, because the service answers in JSON. */
const PAGE = 'HTML';
/** An answer without an error object can come from a proxy. */
const BARE = 'MALFORMED';
/** Failures of the token endpoint say nothing about the query. */
const NO_TOKEN = ['UNAUTHENTICATED', 'TOKEN_ENDPOINT'];

/** Undefined if the service lacks the resource. If `said` is true, only an answer with an error object can say so. */
export async function offered<Value>(read: () => Promise<Value>, said = false): Promise<Value | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof ApiError) || NO_TOKEN.includes(error.status) || error.status === PAGE) throw error;
    if (said && error.status === BARE) throw error;
    if (error.httpStatus && NOT_OFFERED.includes(error.httpStatus)) return undefined;
    throw error;
  }
}

export interface BudgetChange {
  readonly budgetId: BudgetId;
  /** In the account's time zone. */
  readonly day: CivilDate;
  readonly from: Micros;
  readonly to: Micros;
}

const CHANGES_MAX = 10_000;
/** The service keeps changes of the last 30 days, with today. */
export const CHANGE_DAYS_MAX = 30;

const amounts = z.object({ campaignBudget: z.object({ amountMicros: int64 }).partial() }).partial();
const changeRow = z.object({
  changeEvent: z.object({
    changeResourceName: z.string().default(''),
    changeDateTime: z.string().default(''),
    resourceChangeOperation: z.string().optional(),
    oldResource: amounts.optional(),
    newResource: amounts.optional(),
  }),
});

/** Returns changes of the amounts of existing budgets, oldest first. Throws `ApiError` if a day has too many. */
export async function readBudgetChanges(
  ads: AdsConnection,
  customer: CustomerId,
  days: DateRange,
): Promise<readonly BudgetChange[] | undefined> {
  const rows = await offered(() => readRows(ads, customer, changesQuery(days), changeRow), true);
  if (rows !== undefined && rows.length >= CHANGES_MAX) {
    const halves = halve(days);
    if (halves === undefined) {
      throw malformed('TOO_LARGE', `The change history has at least ${CHANGES_MAX} changes on ${days.to}`, false);
    }
    const found: BudgetChange[] = [];
    for (const half of halves) {
      const part = await readBudgetChanges(ads, customer, half);
      if (part === undefined) return undefined;
      found.push(...part);
    }
    return found;
  }
  return rows?.flatMap(({ changeEvent }): BudgetChange[] => {
    const { changeResourceName, changeDateTime, resourceChangeOperation, oldResource, newResource } = changeEvent;
    const named = parseBudgetResourceName(changeResourceName);
    const to = parseMicros(newResource?.campaignBudget?.amountMicros ?? '');
    const day = parseCivilDate(changeDateTime.slice(0, 10)) ?? days.to;
    // The service omits an old amount of zero.
    const from = parseMicros(oldResource?.campaignBudget?.amountMicros ?? '0');
    if (resourceChangeOperation === 'CREATE' || named?.customer !== customer) return [];
    return to === undefined || from === undefined || from === to ? [] : [{ budgetId: named.budget, day, from, to }];
  });
}

/** The interface requires both ends of the time range and a LIMIT. */
function changesQuery({ from, to }: DateRange): string {
  const fields = [
    'change_resource_name',
    'change_date_time',
    'resource_change_operation',
    'old_resource',
    'new_resource',
  ];
  const time = 'change_event.change_date_time';
  return [
    `SELECT ${fields.map((field) => `change_event.${field}`).join(', ')} FROM change_event`,
    `WHERE ${time} BETWEEN '${from} 00:00:00' AND '${to} 23:59:59.999999'`,
    `AND change_event.change_resource_type = "CAMPAIGN_BUDGET" ORDER BY ${time} LIMIT ${CHANGES_MAX}`,
  ].join(' ');
}
