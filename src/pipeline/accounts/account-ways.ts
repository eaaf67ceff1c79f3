import type { AdsConnection } from '../../apis/ads/ads-connection.ts';
import type { ClientRecord } from '../../apis/ads/list-accounts.ts';
import type { Settings } from '../../config/settings.ts';
import { ApiError, InputError } from '../../domain/errors.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { NOT_ENABLED, readTrees, type Tree, type Trees } from './read-trees.ts';

/** An account and the customer that it is reached through: a manager, or itself. */
export interface Way {
  readonly client: ClientRecord;
  readonly login: CustomerId;
}

/**
 * The trees that the settings choose, or all. Throws `InputError` for credentials that nothing accepts and `ApiError` when
 * the accounts cannot be listed at all; one account's refusal is that account's failure.
 */
export async function readAllTrees(
  settings: Pick<Settings, 'ads' | 'extract'>,
  ads: AdsConnection,
  narrow: (roots: readonly CustomerId[]) => readonly CustomerId[],
): Promise<Trees> {
  try {
    const found = await readTrees(ads, settings.ads.customerIds, settings.extract.concurrency, narrow);
    const { trees } = found;
    const errors = trees.flatMap((tree) => (tree.kind === 'failed' ? [tree.error] : []));
    const [first] = errors;
    // Credentials that nothing accepts are a mistake in the settings; one account's refusal is that account's failure.
    const unlisted = settings.ads.customerIds.length > 0;
    if (first && unlisted && errors.length === trees.length && errors.every(refusesCredentials)) throw first;
    return found;
  } catch (error) {
    throw error instanceof ApiError && refusesCredentials(error) ? wrongCredentials(error) : error;
  }
}

/**
 * One way to each account: the direct one if there is one, the shortest one otherwise. Managers have a way only where they
 * are asked for.
 */
export function findWays(
  ads: AdsConnection,
  trees: readonly Tree[],
  of: 'accounts' | 'accounts_and_managers' = 'accounts',
): Map<CustomerId, Way> {
  const ways = new Map<CustomerId, Way>();
  // A refusal says less of an account than a tree does.
  const rank = ({ level, status }: ClientRecord) => (status === NOT_ENABLED ? Number.POSITIVE_INFINITY : level);
  for (const tree of [...trees].sort((one, other) => byId({ customerId: one.root }, { customerId: other.root }))) {
    if (tree.kind === 'failed') continue;
    for (const client of tree.clients) {
      const known = ways.get(client.customerId);
      if ((client.manager && of === 'accounts') || (known && rank(known.client) <= rank(client))) continue;
      ways.set(client.customerId, { client, login: ads.loginCustomerId ?? tree.root });
    }
  }
  return ways;
}

/** What is said of a number that the service gives for an account, and that no account has. */
export const UNUSABLE_NUMBER = 'its number is beyond int64, which no account number is. It was left out.';

/** Ascending by number. */
export function byId(one: { readonly customerId: string }, other: { readonly customerId: string }): number {
  const [a, b] = [one.customerId, other.customerId];
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}

function refusesCredentials(error: ApiError): boolean {
  return error.httpStatus === 401 || error.status === 'UNAUTHENTICATED';
}

function wrongCredentials(error: ApiError): InputError {
  return new InputError(error.message, { ...(error.nextStep ? { nextStep: error.nextStep } : {}), cause: error });
}
