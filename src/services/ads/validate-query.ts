import { ApiError, type RemoteErrorDetail } from '../../domain/errors.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { parseJson } from '../../domain/parse-json.ts';
import { malformed } from '../http/classify-failure.ts';
import { readText } from '../http/http-client.ts';
import { withRetries } from '../http/retry.ts';
import { type AdsConnection, callAds } from './ads-connection.ts';

export type QueryValidation =
  | { readonly kind: 'valid' }
  | { readonly kind: 'refused'; readonly details: readonly RemoteErrorDetail[] }
  | { readonly kind: 'not_offered' };

const OPERATION = 'googleAds:search';
const ANSWER_BYTES_MAX = 1024 * 1024;
const NOT_OFFERED = [404, 405, 501];

/** Throws `ApiError` if the service neither accepts nor refuses the query. */
export async function validateQuery(ads: AdsConnection, customer: CustomerId, query: string): Promise<QueryValidation> {
  const path = `customers/${customer}/${OPERATION}`;
  try {
    return await withRetries(ads.retry, ads.pauses, 'read', async () => {
      const body = { query, validateOnly: true };
      const answer = await callAds(ads, { method: 'POST', path, customer, body });
      if (parseJson(await readText(answer, ANSWER_BYTES_MAX)) instanceof Object) return { kind: 'valid' };
      throw malformed('MALFORMED', 'The answer to a validation is not a JSON object', false);
    });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.httpStatus !== undefined && NOT_OFFERED.includes(error.httpStatus)) return { kind: 'not_offered' };
    const { details, message } = error;
    if (error.httpStatus === 400) return { kind: 'refused', details: details.length > 0 ? details : [{ message }] };
    throw error;
  }
}
