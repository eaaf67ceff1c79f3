import { grouped } from '../domain/grouped.ts';
import type { DecisionResult, SliceResult } from './report-result.ts';
import { count, firstOf } from './text-layout.ts';

/** A service without a query's resource is told once per query, whatever the number of accounts. */
export function offerNotes(slices: readonly SliceResult[]): string[] {
  return [...notOffered(slices)].map(
    ([query, said]) => `The service does not have the resource of ${query}: its table stays as it is. It says: ${said}`,
  );
}

/** The same of queries that somebody named: what was asked for was not done. */
export function offerFailures(slices: readonly SliceResult[]): string[] {
  return [...notOffered(slices)].map(
    ([query, said]) => `${query} was not read: the service does not have its resource. It says: ${said}`,
  );
}

/** The service's words, by query. */
function notOffered(slices: readonly SliceResult[]): ReadonlyMap<string, string> {
  const said = new Map<string, string>();
  for (const { query, notOffered: words } of slices) if (words !== undefined) said.set(query, words);
  return said;
}

/** Accounts up to this number have a sentence each when they fail for the same reason. */
const TOLD_APART_MAX = 3;
const ACCOUNTS_NAMED_MAX = 50;

/** What of the slices are failures, a sentence each; what was left for the same reason is one. */
export function sliceFailures(slices: readonly SliceResult[]): string[] {
  const failed = slices.filter(({ failure }) => failure !== undefined);
  const failures = grouped(failed, (slice) => `${slice.query} ${slice.alike ?? slice.failure}`).flatMap((group) => {
    const accounts = grouped(group, ({ customerId }) => customerId);
    return accounts.length > TOLD_APART_MAX ? [failureOfMany(group)] : accounts.map(failureOfOne);
  });
  const leftOver = grouped(
    slices.filter(({ left }) => left !== undefined),
    ({ left }) => left ?? '',
  ).map((group) => {
    const accounts = [...new Set(group.map(({ customerId }) => customerId))];
    const many = accounts.length > TOLD_APART_MAX;
    const whose = many
      ? count(accounts.length, 'account')
      : `account${accounts.length > 1 ? 's' : ''} ${accounts.join(', ')}`;
    const were = group.length === 1 ? 'was' : 'were';
    return `${count(group.length, 'slice')} of ${whose} ${were} left for the next run: ${group[0]?.left}.`;
  });
  return [...failures, ...leftOver];
}

/** Slices of one query and account that failed for the same reason, in order. */
function failureOfOne(slices: readonly SliceResult[]): string {
  const [first, last] = [slices[0], slices.at(-1)];
  const days = first?.days && last?.days ? ` (${first.days.from} to ${last.days.to})` : '';
  return `${first?.query} of account ${first?.customerId} was not read and is as it was${days}: ${first?.failure}`;
}

/** Every account by its id, as far as a sentence can hold them: the run's record has them all. */
function failureOfMany(slices: readonly SliceResult[]): string {
  const accounts = [...new Set(slices.map(({ customerId }) => customerId))];
  const [first] = slices;
  const ids = firstOf(accounts, ACCOUNTS_NAMED_MAX);
  return `${first?.query} of ${count(accounts.length, 'account')} (${ids}) was not read and is as it was: ${first?.failure}`;
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
