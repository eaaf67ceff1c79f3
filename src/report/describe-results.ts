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

/** What of the slices are failures, a sentence each; what was left for the same reason is one. */
export function sliceFailures(slices: readonly SliceResult[]): string[] {
  const failed = new Map<string, SliceResult[]>();
  for (const slice of slices) {
    if (slice.failure === undefined) continue;
    // Every request has a reference of its own, which makes no other failure of it.
    const reason = slice.failure.replace(/ \(request [^)]*\)/, '');
    const about = `${slice.query} of account ${slice.customerId}: ${reason}`;
    failed.set(about, [...(failed.get(about) ?? []), slice]);
  }
  const failures = [...failed.values()].map(failureOf);
  const reasons = new Set(slices.flatMap(({ left }) => left ?? []));
  const leftOver = [...reasons].map((reason) => {
    const group = slices.filter(({ left }) => left === reason);
    const accounts = new Set(group.map(({ customerId }) => customerId)).size;
    const were = group.length === 1 ? 'was' : 'were';
    return `${count(group.length, 'slice')} of ${count(accounts, 'account')} ${were} left for the next run: ${reason}.`;
  });
  return [...failures, ...leftOver];
}

/** Slices of one query and account that failed for the same reason, in order. */
function failureOf(slices: readonly SliceResult[]): string {
  const [first, last] = [slices[0], slices.at(-1)];
  if (first === undefined || last === undefined) return '';
  const days = first.days && last.days ? ` (${first.days.from} to ${last.days.to})` : '';
  return `${first.query} of account ${first.customerId} was not read and is as it was${days}: ${first.failure}`;
}

function count(number: number, noun: string): string {
  return `${number.toLocaleString('en-US')} ${noun}${number === 1 ? '' : 's'}`;
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
