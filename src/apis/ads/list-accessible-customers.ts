import * as z from 'zod';
import { type CustomerId, customerId, isId } from '../../domain/ids.ts';
import { parseJson } from '../../domain/parse-json.ts';
import { malformed } from '../../http/classify-failure.ts';
import { readText } from '../../http/http-client.ts';
import { tellable } from '../../http/tellable.ts';
import { type AdsConnection, callAds } from './ads-connection.ts';
import { readWithRetries } from './read-rows.ts';

const SHOWN_MAX = 30;
const ANSWER_BYTES_MAX = 4 * 1024 * 1024;

const answerShape = z.object({
  resourceNames: z.array(z.string().regex(/^customers\/[1-9]\d*$/)).default([]),
});

export interface AccessibleCustomers {
  /** In ascending order, each once. */
  readonly customers: readonly CustomerId[];
  /** Numbers that are beyond int64, which no account's is. */
  readonly unusable: readonly string[];
}

/** The accounts the credentials reach (requirement B7). */
export async function listAccessibleCustomers(ads: AdsConnection): Promise<AccessibleCustomers> {
  return readWithRetries(ads, 'The list of accounts', async () => {
    const answer = await callAds(ads, { method: 'GET', path: 'customers:listAccessibleCustomers' });
    const parsed = answerShape.safeParse(parseJson(await readText(answer, ANSWER_BYTES_MAX)));
    if (!parsed.success) {
      throw malformed('MALFORMED', 'The list of accounts is not JSON with resourceNames of customers', false);
    }
    const numbers = [...new Set(parsed.data.resourceNames.map((name) => name.slice('customers/'.length)))];
    numbers.sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
    return {
      customers: numbers.filter(isId).map(customerId),
      unusable: numbers.filter((number) => !isId(number)).map((number) => tellable(number, ads.redact, SHOWN_MAX)),
    };
  });
}
