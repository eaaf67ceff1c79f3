import { InvariantError } from './errors.ts';

/** The sender of a message: the identifier of the send path (requirement A6). */
export type PhoneNumberId = string & { readonly brand: 'PhoneNumberId' };
/** The business account: what a webhook carries, never a sender (requirement A6). */
export type BusinessAccountId = string & { readonly brand: 'BusinessAccountId' };
/** The user whose pages and permissions are asked for. */
export type GraphUserId = string & { readonly brand: 'GraphUserId' };

/** What every identifier of the interface looks like; which of them it is cannot be seen. */
export function isGraphId(text: string): boolean {
  return /^[1-9]\d{0,31}$/.test(text);
}

export function phoneNumberId(text: string): PhoneNumberId {
  return graphId(text, 'phone-number id') as PhoneNumberId;
}

export function businessAccountId(text: string): BusinessAccountId {
  return graphId(text, 'business-account id') as BusinessAccountId;
}

export function graphUserId(text: string): GraphUserId {
  return graphId(text, 'user id') as GraphUserId;
}

function graphId(text: string, what: string): string {
  if (!isGraphId(text)) throw new InvariantError(`"${text}" is not a ${what}.`);
  return text;
}
