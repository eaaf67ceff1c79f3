import * as z from 'zod';
import { InvariantError } from '../../domain/errors.ts';
import { type BudgetId, budgetResourceName, type CustomerId } from '../../domain/ids.ts';
import type { Micros } from '../../domain/micros.ts';
import { parseJson } from '../../domain/parse-json.ts';
import { malformed } from '../../http/classify-failure.ts';
import { readText } from '../../http/http-client.ts';
import { type AdsConnection, callAds } from './ads-connection.ts';
import { errorObject, failureFrom } from './read-failure.ts';

export interface BudgetMutation {
  readonly customer: CustomerId;
  readonly budget: BudgetId;
  /** The new amount, absolute: sending it twice changes nothing more. */
  readonly amount: Micros;
}

const ANSWER_BYTES_MAX = 1024 * 1024;

const answerShape = z.object({
  results: z.array(z.object({ resourceName: z.string().optional() })).optional(),
  error: errorObject.optional(),
  partialFailureError: z.object({ code: z.number().optional(), message: z.string().optional() }).loose().optional(),
});

/** The gRPC code of a partial failure as the HTTP status it stands for. Any other code proves nothing: 520. */
const HTTP_STATUS_BY_CODE: Readonly<Record<number, number>> = {
  3: 400,
  4: 504,
  5: 404,
  7: 403,
  8: 429,
  9: 400,
  10: 409,
  11: 400,
  12: 501,
  13: 500,
  14: 503,
  16: 401,
};
const UNRECOGNISED = 520;

/** The body of a mutate with one operation (requirements B1–B5): the amount is int64 text, never a number. */
export function mutateBody(mutation: BudgetMutation, validateOnly: boolean): object {
  if (mutation.amount <= 0n) throw new InvariantError(`A budget of ${mutation.amount} micros must never be sent.`);
  return {
    operations: [
      {
        updateMask: 'amount_micros',
        update: {
          resourceName: budgetResourceName(mutation.customer, mutation.budget),
          amountMicros: mutation.amount.toString(),
        },
      },
    ],
    partialFailure: true,
    validateOnly,
  };
}

/** What a success says: the budget's own name, or nothing (the specification shows no body). */
export type MutateAnswer = 'named' | 'silent';

/**
 * Asks for one budget's new amount (with `validateOnly`, whether it could be). Returns for a success that does not
 * contradict itself. Throws `ApiError` otherwise; its `outcome` says whether the change may have been made all the same.
 * Never repeats by itself.
 */
export async function mutateBudget(
  ads: AdsConnection,
  mutation: BudgetMutation,
  options: { readonly validateOnly: boolean },
): Promise<MutateAnswer> {
  const answer = await callAds(ads, {
    method: 'POST',
    path: `customers/${mutation.customer}/campaignBudgets:mutate`,
    customer: mutation.customer,
    body: mutateBody(mutation, options.validateOnly),
  });
  const requestId = answer.headers['request-id'];
  const text = await readText(answer, ANSWER_BYTES_MAX);
  if (text.trim() === '') return 'silent';
  const parsed = answerShape.safeParse(parseJson(text));
  if (!parsed.success)
    throw malformed('MALFORMED', 'The answer to a budget change is not the JSON object expected', false);
  const { error: refusal, partialFailureError: partial, results } = parsed.data;
  if (refusal) throw failureFrom(refusal, 200, requestId, ads.redact);
  if (partial) {
    const code = HTTP_STATUS_BY_CODE[partial.code ?? 0] ?? UNRECOGNISED;
    const read = errorObject.safeParse({ ...partial, code, status: 'PARTIAL_FAILURE' });
    const error = read.success ? read.data : { code, status: 'PARTIAL_FAILURE', message: '', details: [] };
    throw failureFrom(error, code, requestId, ads.redact);
  }
  if (results === undefined) return 'silent';
  const expected = budgetResourceName(mutation.customer, mutation.budget);
  if (results.length === 1 && results[0]?.resourceName === expected) return 'named';
  if (options.validateOnly) return 'silent';
  const found = results.map(({ resourceName }) => resourceName ?? 'nothing').join(', ') || 'no result';
  throw malformed(
    'WRONG_ANSWER',
    `The answer to a budget change names ${ads.redact(found)}, expected ${expected}`,
    false,
  );
}
