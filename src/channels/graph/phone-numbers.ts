import * as z from 'zod';
import { maskRecipient } from '../../domain/channel.ts';
import { ApiError } from '../../domain/errors.ts';
import { type BusinessAccountId, type PhoneNumberId, phoneNumberId } from '../../domain/ids.ts';
import { tellableName, tellableWord } from '../../services/http/tellable.ts';
import { type GraphConnection, graphIdText, readPages } from './call-graph.ts';

export interface PhoneNumber {
  readonly id: PhoneNumberId;
  readonly verifiedName: string | undefined;
  /** Such as `+1 555-010-0001`. */
  readonly displayNumber: string | undefined;
  readonly qualityRating: string | undefined;
}

const record = z.object({
  id: graphIdText,
  verified_name: z.string().optional().catch(undefined),
  display_phone_number: z.string().optional().catch(undefined),
  quality_rating: z.string().optional().catch(undefined),
});

/** Implements requirement A2. Throws `ApiError`. */
export async function listPhoneNumbers(graph: GraphConnection, account: BusinessAccountId): Promise<PhoneNumber[]> {
  const records = await readPages(graph, `${account}/phone_numbers`, 'phone numbers', record);
  return records.map((one) => ({
    id: phoneNumberId(one.id),
    verifiedName: tellableName(one.verified_name, graph.redact),
    displayNumber: one.display_phone_number,
    qualityRating: tellableWord(one.quality_rating, graph.redact),
  }));
}

const NAMED_MAX = 10;

/** Implements requirement A6. Without `displayNumber`, returns the only sender. Throws `ApiError`. */
export async function resolveSender(
  graph: GraphConnection,
  account: BusinessAccountId,
  displayNumber?: string,
): Promise<PhoneNumberId> {
  const numbers = await listPhoneNumbers(graph, account);
  const wanted = displayNumber === undefined ? undefined : digitsOf(displayNumber);
  const fitting = numbers.filter((one) => wanted === undefined || digitsOf(one.displayNumber ?? '') === wanted);
  const [only, ...others] = fitting;
  if (only && others.length === 0) return only.id;
  const among = wanted === undefined ? '' : ` like ${maskRecipient(`+${wanted}`)}`;
  const found = fitting.length === 0 ? `no number${among}` : `${fitting.length} numbers${among}`;
  const there = numbers.length === 0 ? '' : ` It has ${numbers.slice(0, NAMED_MAX).map(nameOf).join(', ')}.`;
  throw new ApiError(`The business account ${account} has ${found}, expected exactly one sender.${there}`, {
    status: 'NO_SENDER',
    outcome: 'not_processed',
    transient: false,
    nextStep: 'Run pacekeeper graph phone-numbers and set GRAPH_PHONE_NUMBER_ID.',
  });
}

function nameOf({ id, verifiedName, displayNumber }: PhoneNumber): string {
  const number = displayNumber === undefined ? undefined : maskRecipient(`+${digitsOf(displayNumber)}`);
  const about = [verifiedName, number].filter(Boolean).join(', ');
  return about === '' ? id : `${id} (${about})`;
}

function digitsOf(number: string): string {
  return number.replace(/\D/g, '');
}
