import { type BudgetMutation, type MutationOutcome, mutateBudgets } from '../apis/ads/mutate-budgets.ts';
import { ApiError } from '../domain/errors.ts';
import type { BudgetId, CustomerId } from '../domain/ids.ts';
import { mayRepeat, withRetries } from '../http/retry.ts';
import type { BudgetDeps } from './budget-deps.ts';

/** What became of one operation: the service's answer, or why it was not sent. */
export type SendOutcome =
  | MutationOutcome
  | { readonly kind: 'frozen'; readonly reason: string }
  /** Not sent: the run was asked to stop. */
  | { readonly kind: 'stopped' };

export type Outcomes = ReadonlyMap<BudgetId, SendOutcome>;

/**
 * One request for at most as many operations as the interface takes. A validation changes nothing and is repeated for the
 * operations that may pass a little later; a change is not, because its budgets have to be read again first. The kill
 * switch is read immediately before each request, and whether the run is to stop; before a change once more when its token is
 * there, for fetching one takes its time. Never throws for an answer of the service.
 */
export async function sendOperations(
  deps: BudgetDeps,
  customer: CustomerId,
  mutations: readonly BudgetMutation[],
  { validateOnly }: { readonly validateOnly: boolean },
): Promise<Outcomes> {
  const { ads } = deps;
  const outcomes = new Map<BudgetId, SendOutcome>();
  const isLeft = ({ budget }: BudgetMutation) => {
    const outcome = outcomes.get(budget);
    return outcome === undefined || (outcome.kind === 'failed' && mayRepeat(outcome.error, 'read'));
  };
  const sendWhatIsLeft = async () => {
    const left = mutations.filter(isLeft);
    const reason = await deps.frozen();
    const stopped = deps.stop?.aborted ?? false;
    const sent = reason === undefined && !stopped ? await sendOnce(deps, customer, left, validateOnly) : [];
    const unsent: SendOutcome = reason === undefined ? { kind: 'stopped' } : { kind: 'frozen', reason };
    let again: ApiError | undefined;
    for (const [index, { budget }] of left.entries()) {
      const outcome: SendOutcome = sent[index] ?? unsent;
      outcomes.set(budget, outcome);
      if (outcome.kind === 'failed' && mayRepeat(outcome.error, 'read')) again = outcome.error;
    }
    if (again && validateOnly) throw again;
  };
  try {
    await withRetries(ads.retry, ads.pauses, 'read', sendWhatIsLeft, (error, delayMs) =>
      deps.log?.warn(`Budgets of account ${customer}: ${error.message} Trying again in ${delayMs / 1000} s.`),
    );
  } catch (error) {
    // The tries are used up; each operation's own failure is remembered.
    if (!(error instanceof ApiError)) throw error;
  }
  return outcomes;
}

/** A change that has not left although it was about to. */
class Frozen extends Error {
  readonly reason: string;

  constructor(reason: string) {
    super(reason);
    this.reason = reason;
  }
}

/** One request. Its failure as a whole is the failure of each operation. */
async function sendOnce(
  deps: BudgetDeps,
  customer: CustomerId,
  mutations: readonly BudgetMutation[],
  validateOnly: boolean,
): Promise<readonly SendOutcome[]> {
  const { ads, passes } = deps;
  const mayLeave = async () => {
    const reason = await deps.frozen();
    if (reason !== undefined) throw new Frozen(reason);
  };
  const name = validateOnly ? 'validate' : 'mutate';
  passes(`${name}:before-send`);
  try {
    const answers = await mutateBudgets(ads, customer, mutations, {
      validateOnly,
      ...(validateOnly ? {} : { mayLeave }),
    });
    passes(`${name}:after-answer`);
    return answers;
  } catch (error) {
    if (error instanceof Frozen) return mutations.map(() => ({ kind: 'frozen', reason: error.reason }));
    if (!(error instanceof ApiError)) throw error;
    passes(`${name}:after-answer`);
    return mutations.map(() => ({ kind: 'failed', error }));
  }
}
