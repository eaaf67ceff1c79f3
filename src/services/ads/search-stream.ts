import { isUtf8 } from 'node:buffer';
import * as z from 'zod';
import { ApiError } from '../../domain/errors.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { parseJson } from '../../domain/parse-json.ts';
import { BatchScanner } from '../http/batch-scanner.ts';
import { malformed, tooLarge } from '../http/classify-failure.ts';
import type { HttpAnswer } from '../http/http-client.ts';
import { withLoggedRetries } from '../http/retry.ts';
import { tellableId } from '../http/tellable.ts';
import { type AdsConnection, callAds } from './ads-connection.ts';
import { foreignRowsOf } from './foreign-rows.ts';
import { errorObject, failureFrom } from './read-failure.ts';

export interface RowsChunk {
  /** A JSON array of rows, in UTF-8. */
  readonly json: Uint8Array;
  readonly booleans: boolean;
}

export interface StreamEnd {
  readonly batches: number;
  /** Counted after decompression. */
  readonly bytes: number;
  readonly requestId: string | undefined;
}

/** How far to read on after invalid JSON. If the gzip checksum at the end is wrong, the request is repeated. */
const READ_ON_BYTES_MAX = 64 * 1024 * 1024;

const ASK_FOR_LESS = 'Check the address in the settings. In your own query, select fewer fields or rows.';

const envelope = z.object({
  error: errorObject.optional(),
  requestId: z.string().optional(),
  results: z.array(z.unknown()).max(0).optional(),
});

/** After an `ApiError`, discard all rows (B14, B15). `bytesMax` counts decompressed bytes. */
export async function* searchStream(
  ads: AdsConnection,
  customer: CustomerId,
  query: string,
  bytesMax: number,
): AsyncGenerator<RowsChunk, StreamEnd> {
  const path = `customers/${customer}/${ads.streamPath}`;
  const answer = await callAds(ads, { method: 'POST', path, customer, body: { query } });
  try {
    return yield* readBatches(ads, customer, answer, bytesMax);
  } catch (error) {
    throw error instanceof ApiError && error.transient && error.status !== EMPTY ? brokenOff(error) : error;
  }
}

/** An answer without a byte was not too large, so fewer days would not help. */
const EMPTY = 'EMPTY';

function brokenOff(error: ApiError): ApiError {
  return new ApiError(error.message, { ...error, brokeOff: true, cause: error.cause });
}

async function* readBatches(
  ads: AdsConnection,
  customer: CustomerId,
  answer: HttpAnswer,
  bytesMax: number,
): AsyncGenerator<RowsChunk, StreamEnd> {
  const scanner = new BatchScanner();
  const refuseForeignRows = foreignRowsOf(customer);
  let batches = 0;
  let bytes = 0;
  let requestId = answer.headers['request-id'];
  let damaged: { readonly error: ApiError; readonly atByte: number } | undefined;
  for await (const chunk of answer.body) {
    bytes += chunk.byteLength;
    if (damaged) {
      if (bytes - damaged.atByte > READ_ON_BYTES_MAX) break;
      continue;
    }
    if (bytes > bytesMax) throw brokenOff(tooLarge('The answer to a query', bytesMax, ASK_FOR_LESS));
    try {
      for (const event of scanner.push(chunk)) {
        if (!isUtf8(event.json)) throw malformed('MALFORMED', 'The stream holds bytes that are not UTF-8', false);
        if (event.kind === 'rows') {
          refuseForeignRows(event.json);
          yield { json: event.json, booleans: event.booleans };
          continue;
        }
        const read = readEnvelope(event.json);
        if (read.error) throw failureFrom(read.error, 200, read.requestId ?? requestId, ads.redact);
        requestId = read.requestId ?? requestId;
        batches++;
      }
    } catch (error) {
      const mayBeTheWay = answer.headers['content-encoding'] === 'gzip';
      if (!mayBeTheWay || !(error instanceof ApiError) || error.status !== 'MALFORMED') throw error;
      damaged = { error, atByte: bytes };
    }
  }
  if (damaged) throw damaged.error;
  if (bytes === 0) throw malformed(EMPTY, 'The answer is empty, expected a stream of batches', true);
  scanner.end();
  return { batches, bytes, requestId: tellableId(requestId, ads.redact) };
}

function readEnvelope(json: Uint8Array): z.infer<typeof envelope> {
  const parsed = envelope.safeParse(parseJson(Buffer.from(json).toString('utf8')));
  if (parsed.success) return parsed.data;
  throw malformed(
    'MALFORMED',
    'A batch of the stream is invalid: expected JSON with {results, fieldMask, requestId}',
    false,
  );
}

const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

/** For small answers only, because all rows stay in memory. Retries, then throws `ApiError`. */
export async function readRows<Row>(
  ads: AdsConnection,
  customer: CustomerId,
  query: string,
  row: z.ZodType<Row>,
): Promise<Row[]> {
  return withLoggedRetries(ads, 'read', `Account ${customer}`, async () => {
    const chunks: Uint8Array[] = [];
    // Check rows only after the stream ends, because a damaged answer must lead to a retry.
    for await (const { json } of searchStream(ads, customer, query, ANSWER_BYTES_MAX)) chunks.push(json);
    const rows: Row[] = [];
    for (const json of chunks) {
      const values = parseJson(Buffer.from(json).toString('utf8'));
      if (!Array.isArray(values)) throw malformed('MALFORMED', 'The rows of a batch are not valid JSON', false);
      for (const value of values) {
        const parsed = row.safeParse(value);
        if (!parsed.success) {
          const issue = parsed.error.issues[0];
          const place = issue?.path.join('.') ?? '';
          throw malformed('MALFORMED', `A row of "${query}" has an invalid ${place}: ${issue?.message}`, false);
        }
        rows.push(parsed.data);
      }
    }
    return rows;
  });
}
