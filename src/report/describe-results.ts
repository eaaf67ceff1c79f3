import type { DecisionResult, MessageResult, SliceResult } from './report-result.ts';

/** Whether the budget has the decision's amount now, as far as can be known. */
export function changedBudget({ state }: DecisionResult): boolean {
  return state === 'applied' || state === 'confirmed';
}

/** A service without a query's resource is told once per query, whatever the number of accounts. */
export function offerNotes(slices: readonly SliceResult[]): string[] {
  const queries = new Set(slices.filter(({ notOffered }) => notOffered).map(({ query }) => query));
  return [...queries].map((query) => `The service does not have the resource of ${query}: its table stays as it is.`);
}

/** What of a slice is a failure, as a sentence. */
export function sliceFailure({ query, customerId, failure }: SliceResult): string[] {
  return failure === undefined ? [] : [`${query} of account ${customerId} was not read and is as it was: ${failure}`];
}

/** Refused, proposed, superseded and expired are decisions; these are failures. */
export function decisionFailure({ state, budgetId, customerId, detail }: DecisionResult): string[] {
  const words = { rejected: 'was rejected', unknown: 'has no known outcome yet', postponed: 'was not sent' };
  if (state !== 'rejected' && state !== 'unknown' && state !== 'postponed') return [];
  const next = {
    rejected: '',
    unknown: ' The next run reads the budget back.',
    postponed: ' The next run decides anew.',
  };
  return [`The change of budget ${budgetId} of account ${customerId} ${words[state]}: ${detail}${next[state]}`];
}

/** A message that was accepted is none. */
export function messageFailure({ recipient, state, detail }: MessageResult): string[] {
  const words = { pending: 'was not sent and waits', failed: 'was refused', unknown: 'may or may not have arrived' };
  return state === 'accepted' ? [] : [`The alert to ${recipient} ${words[state]}: ${detail}`];
}
