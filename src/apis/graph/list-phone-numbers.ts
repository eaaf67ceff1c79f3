import * as z from 'zod';
import { type BusinessAccountId, type PhoneNumberId, phoneNumberId } from '../../domain/ids.ts';
import { tellableName, tellableWord } from '../../http/tellable.ts';
import { type GraphConnection, graphIdText } from './graph-connection.ts';
import { readPages } from './read-pages.ts';

/** A number that messages can be sent from. */
export interface PhoneNumber {
  readonly id: PhoneNumberId;
  /** The business's name as recipients see it. */
  readonly verifiedName: string | undefined;
  /** As people write it: `+1 555-010-0001`. */
  readonly displayNumber: string | undefined;
  /** GREEN, YELLOW, RED, NA, UNKNOWN, or a word to come. */
  readonly qualityRating: string | undefined;
}

const record = z.object({
  id: graphIdText,
  verified_name: z.string().optional().catch(undefined),
  display_phone_number: z.string().optional().catch(undefined),
  quality_rating: z.string().optional().catch(undefined),
});

/** The phone numbers of a business account (requirement A2). Throws `ApiError`. */
export async function listPhoneNumbers(graph: GraphConnection, account: BusinessAccountId): Promise<PhoneNumber[]> {
  const records = await readPages(graph, `${account}/phone_numbers`, 'phone numbers', record);
  return records.map((one) => ({
    id: phoneNumberId(one.id),
    verifiedName: tellableName(one.verified_name, graph.redact),
    displayNumber: one.display_phone_number,
    qualityRating: tellableWord(one.quality_rating, graph.redact),
  }));
}
