import * as z from 'zod';
import type { CustomerId } from '../../domain/ids.ts';
import { numberAsWritten, parseAsWritten } from '../../domain/parse-json.ts';
import { malformed, tooLarge } from '../http/classify-failure.ts';
import { readText } from '../http/http-client.ts';
import { withLoggedRetries } from '../http/retry.ts';
import { type AdsConnection, callAds } from './ads-connection.ts';

/** These fields come from the public API, because the specification does not describe the answer. */
export interface KeywordIdea {
  readonly text: string;
  readonly avgMonthlySearches: bigint | undefined;
  readonly competition: string | undefined;
  /** Amounts in micros. The keys are field names, such as `lowTopOfPageBidMicros`. */
  readonly micros: ReadonlyMap<string, bigint>;
}

export interface KeywordIdeas {
  /** The JSON answer of the first page, with the results of all pages. */
  readonly answer: Readonly<Record<string, unknown>>;
  /** Undefined if the answer does not have the expected fields. */
  readonly ideas: readonly KeywordIdea[] | undefined;
}

const WHAT = 'The answer with keyword ideas';
/** The limit for all pages together. */
const ANSWER_BYTES_MAX = 32 * 1024 * 1024;
const PAGES_MAX = 100;

const answerShape = z.looseObject({ results: z.array(z.unknown()).optional(), nextPageToken: z.string().optional() });

const int64 = z
  .preprocess(
    numberAsWritten,
    z
      .string()
      .regex(/^-?\d{1,19}$/)
      .transform(BigInt),
  )
  .optional()
  .catch(undefined);

const ideaShape = z.object({
  text: z.string(),
  keywordIdeaMetrics: z
    .looseObject({ avgMonthlySearches: int64, competition: z.string().optional().catch(undefined) })
    .catch({ avgMonthlySearches: undefined, competition: undefined }),
});

/** Implements requirement B6. Throws `ApiError`. */
export async function generateKeywordIdeas(
  ads: AdsConnection,
  customer: CustomerId,
  keywords: readonly string[],
): Promise<KeywordIdeas> {
  const path = `customers/${customer}:generateKeywordIdeas`;
  const pages: z.output<typeof answerShape>[] = [];
  let leftBytes = ANSWER_BYTES_MAX;
  for (let pageToken: string | undefined; ; ) {
    const body = { keywordSeed: { keywords }, ...(pageToken === undefined ? {} : { pageToken }) };
    const page = await withLoggedRetries(ads, 'read', 'Keyword ideas', async () => {
      const answer = await callAds(ads, { method: 'POST', path, customer, body });
      const text = await readText(answer, leftBytes + 1);
      const bytes = Buffer.byteLength(text);
      if (bytes > leftBytes) throw tooLarge(WHAT, ANSWER_BYTES_MAX);
      const parsed = answerShape.safeParse(parseAsWritten(text));
      if (!parsed.success) throw malformed('MALFORMED', `${WHAT} is not a JSON object`, false);
      leftBytes -= bytes;
      return parsed.data;
    });
    pages.push(page);
    pageToken = page.nextPageToken || undefined;
    if (pageToken === undefined) return ideasOf(pages);
    if (pages.length >= PAGES_MAX)
      throw malformed('WRONG_ANSWER', `The keyword ideas have more than ${PAGES_MAX} pages`, false);
  }
}

function ideasOf([first = {}, ...others]: readonly z.output<typeof answerShape>[]): KeywordIdeas {
  const { nextPageToken: _, ...answer } = first;
  const results = [first, ...others].flatMap((page) => page.results ?? []);
  const whole = others.length === 0 ? answer : { ...answer, results };
  const read = z.array(ideaShape).safeParse(results);
  return { answer: whole, ideas: read.success && first.results ? read.data.map(ideaOf) : undefined };
}

function ideaOf({ text, keywordIdeaMetrics }: z.output<typeof ideaShape>): KeywordIdea {
  const { avgMonthlySearches, competition, ...more } = keywordIdeaMetrics;
  const micros = Object.entries(more).flatMap(([name, value]): [string, bigint][] => {
    const amount = name.endsWith('Micros') ? int64.parse(value) : undefined;
    return amount === undefined ? [] : [[name, amount]];
  });
  return { text, avgMonthlySearches, competition, micros: new Map(micros) };
}
