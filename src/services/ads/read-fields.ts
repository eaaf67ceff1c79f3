import * as z from 'zod';
import { parseJson } from '../../domain/parse-json.ts';
import type { ServiceField } from '../../language/gaql/catalogue/encode-fields.ts';
import { malformed, tooLarge } from '../http/classify-failure.ts';
import { readText } from '../http/http-client.ts';
import { withLoggedRetries } from '../http/retry.ts';
import { type AdsConnection, callAds } from './ads-connection.ts';

const WHAT = 'The list of fields';
const QUERY =
  'SELECT name, category, data_type, selectable, filterable, sortable, selectable_with, metrics, segments, ' +
  'is_repeated, type_url, enum_values, attribute_resources';

/** Pages are small, so that a retry is cheap. */
const PAGE_ROWS = 500;
const PAGE_BYTES_MAX = 32 * 1024 * 1024;
const PAGES_MAX = 200;

const names = z.array(z.string()).default([]);

const fieldShape = z.object({
  name: z.string().default(''),
  category: z.string().default(''),
  dataType: z.string().default(''),
  selectable: z.boolean().default(false),
  filterable: z.boolean().default(false),
  sortable: z.boolean().default(false),
  isRepeated: z.boolean().default(false),
  typeUrl: z.string().default(''),
  enumValues: names,
  selectableWith: names,
  attributeResources: names,
  metrics: names,
  segments: names,
});

const pageShape = z.object({
  results: z.array(fieldShape).default([]),
  nextPageToken: z.string().default(''),
  totalResultsCount: z
    .union([z.string(), z.number()])
    .transform(Number)
    .pipe(z.number().int().nonnegative())
    .optional(),
});

/** Throws `ApiError`, also for an incomplete list. */
export async function readFields(ads: AdsConnection): Promise<readonly ServiceField[]> {
  const fields: ServiceField[] = [];
  const tokens = new Set<string>();
  for (let pageToken = ''; ; ) {
    const page = await readPage(ads, pageToken);
    fields.push(...page.results);
    const { nextPageToken, totalResultsCount = fields.length } = page;
    if (nextPageToken === '') {
      if (totalResultsCount === fields.length) return fields;
      throw broken(`has ${fields.length} fields, but announces ${totalResultsCount}`);
    }
    if (tokens.has(nextPageToken)) throw broken('repeats a page');
    if (tokens.add(nextPageToken).size >= PAGES_MAX) throw broken(`has more than ${PAGES_MAX} pages`);
    pageToken = nextPageToken;
  }
}

function broken(what: string) {
  return malformed('WRONG_ANSWER', `${WHAT} ${what}`, false);
}

async function readPage(ads: AdsConnection, pageToken: string): Promise<z.output<typeof pageShape>> {
  const body = { query: QUERY, pageSize: PAGE_ROWS, ...(pageToken === '' ? {} : { pageToken }) };
  return withLoggedRetries(ads, 'read', WHAT, async () => {
    const request = { method: 'POST', path: 'googleAdsFields:search', customer: undefined, body } as const;
    const text = await readText(await callAds(ads, request), PAGE_BYTES_MAX + 1);
    if (Buffer.byteLength(text) > PAGE_BYTES_MAX) throw tooLarge(`A page of ${WHAT.toLowerCase()}`, PAGE_BYTES_MAX);
    const parsed = pageShape.safeParse(parseJson(text));
    if (parsed.success) return parsed.data;
    throw malformed('MALFORMED', `${WHAT} is invalid: expected JSON with fields`, false);
  });
}
