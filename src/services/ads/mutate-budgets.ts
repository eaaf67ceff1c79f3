import * as z from 'zod';
import { type ApiError, InvariantError } from '../../domain/errors.ts';
import { type BudgetId, budgetResourceName, type CustomerId } from '../../domain/ids.ts';
import type { Micros } from '../../domain/micros.ts';
import { parseJson } from '../../domain/parse-json.ts';
import { malformed } from '../http/classify-failure.ts';
import { readText } from '../http/http-client.ts';
import { tellable, tellableId } from '../http/tellable.ts';
import { type AdsConnection, callAds } from './ads-connection.ts';
import { errorObject, failureFrom, failuresByOperation, partialFailureShape } from './read-failure.ts';

export interface BudgetMutation {
  readonly budget: BudgetId;
  /** The new amount, not a difference, so a repeated request has no further effect. */
  readonly amount: Micros;
}

export interface MutateOptions {
  readonly validateOnly: boolean;
  readonly mayLeave?: () => Promise<void>;
}

export type MutationOutcome =
  | {
      readonly kind: 'accepted';
      /** True if the answer names the changed budget. Some successful answers have no body. */
      readonly named: boolean;
      readonly requestId: string | undefined;
    }
  /** With outcome `unknown`, the service may have made the change. */
  | { readonly kind: 'failed'; readonly error: ApiError };

/** The interface's limit of operations in one request. */
export const OPERATIONS_MAX = 10_000;

const ANSWER_BYTES_MAX = 32 * 1024 * 1024;

const answerShape = z.object({
  results: z
    .array(
      z.object({
        resourceName: z.string().optional(),
        campaignBudget: z.object({ amountMicros: z.union([z.string(), z.number()]).optional() }).optional(),
      }),
    )
    .optional(),
  error: errorObject.optional(),
  partialFailureError: partialFailureShape.optional(),
});

type Results = z.infer<typeof answerShape>['results'];

/** Implements requirements B1–B5. An undefined `responseContentType` is not sent. Throws `InvariantError` for invalid changes. */
export function mutateBody(
  customer: CustomerId,
  mutations: readonly BudgetMutation[],
  validateOnly: boolean,
  responseContentType: AdsConnection['responseContentType'],
) {
  if (mutations.length === 0 || mutations.length > OPERATIONS_MAX) {
    throw new InvariantError(
      `Found ${mutations.length} budget changes in one request, expected 1 to ${OPERATIONS_MAX}.`,
    );
  }
  const bad = mutations.find(({ amount }) => amount <= 0n);
  if (bad) throw new InvariantError(`Invalid budget amount: found ${bad.amount} micros, expected more than 0.`);
  if (new Set(mutations.map(({ budget }) => budget)).size < mutations.length) {
    throw new InvariantError('The request changes a budget twice, expected once.');
  }
  const operations = mutations.map(({ budget, amount }) => ({
    updateMask: 'amount_micros',
    update: { resourceName: budgetResourceName(customer, budget), amountMicros: amount.toString() },
  }));
  return { operations, partialFailure: true, validateOnly, responseContentType };
}

/** Returns one outcome per mutation, in the same order. Throws `ApiError` if the request fails. */
export async function mutateBudgets(
  ads: AdsConnection,
  customer: CustomerId,
  mutations: readonly BudgetMutation[],
  options: MutateOptions,
): Promise<MutationOutcome[]> {
  const { validateOnly, mayLeave } = options;
  const body = mutateBody(customer, mutations, validateOnly, ads.responseContentType);
  const path = `customers/${customer}/campaignBudgets:mutate`;
  const operations = mutations.length;
  const answer = await callAds(ads, { method: 'POST', path, customer, body, operations, changes: true, mayLeave });
  const requestId = tellableId(answer.headers['request-id'], ads.redact);
  const text = await readText(answer, ANSWER_BYTES_MAX);
  const parsed = answerShape.safeParse(text.trim() === '' ? {} : parseJson(text));
  if (!parsed.success) {
    throw malformed('MALFORMED', 'The answer to a budget change is not the expected JSON object', false);
  }
  const { error, partialFailureError, results } = parsed.data;
  if (error && results?.some(({ resourceName }) => resourceName !== undefined)) {
    throw malformed('WRONG_ANSWER', 'The answer to a budget change has an error but also names changed budgets', false);
  }
  if (error) throw failureFrom(error, 200, requestId, ads.redact);
  const failures = partialFailureError
    ? failuresByOperation(partialFailureError, operations, requestId, ads.redact)
    : new Map<number, ApiError>();
  const names = new Set(results?.flatMap(({ resourceName }) => resourceName ?? []));
  return mutations.map(({ budget, amount }, index) => {
    const name = budgetResourceName(customer, budget);
    const failure = failures.get(index);
    const doubt = failure
      ? !validateOnly && names.has(name) && `The answer both refuses and confirms the change of ${name}`
      : !validateOnly && results !== undefined && resultProblem(results, index, operations, name, amount, ads);
    if (doubt) return { kind: 'failed', error: malformed('WRONG_ANSWER', doubt, false) };
    if (failure) return { kind: 'failed', error: failure };
    return { kind: 'accepted', named: !validateOnly && results !== undefined, requestId };
  });
}

function resultProblem(
  results: NonNullable<Results>,
  index: number,
  operations: number,
  name: string,
  amount: Micros,
  { redact }: AdsConnection,
): string | undefined {
  if (results.length !== operations) {
    const changes = operations === 1 ? 'a budget change' : `${operations} budget changes`;
    return `The answer to ${changes} has ${results.length} results, so the outcome of ${name} is unknown`;
  }
  const found = results[index]?.resourceName;
  if (found !== name) {
    const shown = found === undefined ? 'nothing' : tellable(found, redact, 120);
    return `The answer to a budget change names ${shown}, expected ${name}`;
  }
  const changed = results[index]?.campaignBudget?.amountMicros;
  if (changed === undefined || String(changed) === amount.toString()) return undefined;
  return `The answer to the change of ${name} shows ${tellable(String(changed), redact, 40)} micros, expected ${amount}`;
}
