import * as z from 'zod';
import { type CustomerId, customerId } from '../../domain/ids.ts';
import { parseJson } from '../../domain/parse-json.ts';
import { malformed } from '../../http/classify-failure.ts';
import { readText } from '../../http/http-client.ts';
import { type AdsConnection, callAds } from './ads-connection.ts';
import { readWithRetries } from './read-with-retries.ts';

const ANSWER_BYTES_MAX = 4 * 1024 * 1024;

const answerShape = z.object({
  resourceNames: z.array(z.string().regex(/^customers\/[1-9]\d{0,18}$/)).default([]),
});

/** The accounts the credentials reach (requirement B7), in ascending order, each once. */
export async function listAccessibleCustomers(ads: AdsConnection): Promise<CustomerId[]> {
  return readWithRetries(ads, 'The list of accounts', async () => {
    const answer = await callAds(ads, { method: 'GET', path: 'customers:listAccessibleCustomers' });
    const parsed = answerShape.safeParse(parseJson(await readText(answer, ANSWER_BYTES_MAX)));
    if (!parsed.success) {
      throw malformed('MALFORMED', 'The list of accounts is not JSON with resourceNames of customers', false);
    }
    const ids = parsed.data.resourceNames.map((name) => customerId(name.slice('customers/'.length)));
    return [...new Set(ids)].sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
  });
}
