import type * as z from 'zod';
import type { CustomerId } from '../../domain/ids.ts';
import { parseJson } from '../../domain/parse-json.ts';
import { malformed } from '../../http/classify-failure.ts';
import { withRetriesTold } from '../../http/retry.ts';
import type { AdsConnection } from './ads-connection.ts';
import { searchStream } from './search-stream.ts';

/** A read that is tried again as the settings say; each time is told. */
export function readWithRetries<Result>(
  ads: AdsConnection,
  what: string,
  operation: () => Promise<Result>,
): Promise<Result> {
  return withRetriesTold(ads, 'read', what, operation);
}

/** The answer is held in memory. A manager of tens of thousands of accounts has less. */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

/** The rows of a small built-in query, checked one by one. Retried as a read; throws `ApiError`. */
export async function readRows<Row>(
  ads: AdsConnection,
  customer: CustomerId,
  query: string,
  row: z.ZodType<Row>,
): Promise<Row[]> {
  return readWithRetries(ads, `Account ${customer}`, async () => {
    const pieces: Uint8Array[] = [];
    // Looked at after a clean end: until then it may be the way that is at fault, and then it is tried again.
    for await (const { json } of searchStream(ads, customer, query, ANSWER_BYTES_MAX)) pieces.push(json);
    const rows: Row[] = [];
    for (const json of pieces) {
      const values = parseJson(Buffer.from(json).toString('utf8'));
      if (!Array.isArray(values)) throw malformed('MALFORMED', 'The rows of a batch are not valid JSON', false);
      for (const value of values) {
        const parsed = row.safeParse(value);
        if (!parsed.success) {
          const issue = parsed.error.issues[0];
          const place = issue?.path.join('.') ?? '';
          throw malformed('MALFORMED', `A row of "${query}" has an unusable ${place}: ${issue?.message}`, false);
        }
        rows.push(parsed.data);
      }
    }
    return rows;
  });
}
