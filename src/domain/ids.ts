import { InvariantError } from './errors.ts';

/** Digits only, no dashes (requirement B8). */
export type CustomerId = string & { readonly brand: 'CustomerId' };
export type CampaignId = string & { readonly brand: 'CampaignId' };
export type BudgetId = string & { readonly brand: 'BudgetId' };

const INT64_MAX = 2n ** 63n - 1n;

export function isId(text: string): boolean {
  return /^[1-9]\d{0,18}$/.test(text) && BigInt(text) <= INT64_MAX;
}

export type CustomerIdReading =
  | { readonly kind: 'ok'; readonly id: CustomerId }
  | { readonly kind: 'refused'; readonly reason: string };

/** Accepts the dashes that people type (requirement B8). */
export function readCustomerId(text: string): CustomerIdReading {
  const trimmed = text.trim();
  if (/[()]/.test(trimmed)) {
    return {
      kind: 'refused',
      reason: `Invalid customer id "${trimmed}": found parentheses, expected only digits or dashes.`,
    };
  }
  const digits = trimmed.replaceAll('-', '');
  if (isId(digits)) return { kind: 'ok', id: digits as CustomerId };
  return {
    kind: 'refused',
    reason: `Invalid customer id "${trimmed}": expected digits such as 1234567890 or 123-456-7890.`,
  };
}

/** For ids from the service. Throws InvariantError for other text. */
export function customerId(text: string): CustomerId {
  return digitsOnly(text, 'customer id') as CustomerId;
}

export function campaignId(text: string): CampaignId {
  return digitsOnly(text, 'campaign id') as CampaignId;
}

export function budgetId(text: string): BudgetId {
  return digitsOnly(text, 'budget id') as BudgetId;
}

function digitsOnly(text: string, what: string, isOne = isId): string {
  if (!isOne(text)) throw new InvariantError(`"${text}" is not a ${what}.`);
  return text;
}

/** The format of requirement B3. */
export function budgetResourceName(customer: CustomerId, budget: BudgetId): string {
  return `customers/${customer}/campaignBudgets/${budget}`;
}

export function parseBudgetResourceName(text: string): { customer: CustomerId; budget: BudgetId } | undefined {
  const [, customer = '', budget = ''] = /^customers\/(\d+)\/campaignBudgets\/(\d+)$/.exec(text) ?? [];
  return isId(customer) && isId(budget) ? { customer: customerId(customer), budget: budgetId(budget) } : undefined;
}

/** The id of a sender in requests (requirement A6). */
export type PhoneNumberId = string & { readonly brand: 'PhoneNumberId' };
/** This id cannot be the sender of a message (requirement A6). */
export type BusinessAccountId = string & { readonly brand: 'BusinessAccountId' };
export type GraphUserId = string & { readonly brand: 'GraphUserId' };

export function isGraphId(text: string): boolean {
  return /^[1-9]\d{0,31}$/.test(text);
}

export function phoneNumberId(text: string): PhoneNumberId {
  return digitsOnly(text, 'phone-number id', isGraphId) as PhoneNumberId;
}

export function businessAccountId(text: string): BusinessAccountId {
  return digitsOnly(text, 'business-account id', isGraphId) as BusinessAccountId;
}

export function graphUserId(text: string): GraphUserId {
  return digitsOnly(text, 'user id', isGraphId) as GraphUserId;
}
