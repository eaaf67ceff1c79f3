import pMap from 'p-map';
import type { AdsConnection } from '../../apis/ads/ads-connection.ts';
import { type ClientRecord, listAccessibleCustomers, readClients } from '../../apis/ads/list-accounts.ts';
import { readCustomer } from '../../apis/ads/read-account.ts';
import { ApiError } from '../../domain/errors.ts';
import type { CustomerId } from '../../domain/ids.ts';

/** An account with everything below it. */
export type Tree =
  | {
      readonly kind: 'read';
      readonly root: CustomerId;
      readonly clients: readonly ClientRecord[];
      /** The service says what stands below the root, and not only that the root is there. */
      readonly listed: boolean;
      /** Numbers in it that no account has. */
      readonly unusable: readonly string[];
    }
  | { readonly kind: 'failed'; readonly root: CustomerId; readonly error: ApiError };

export interface Trees {
  readonly trees: readonly Tree[];
  /** Numbers that the service gives for accounts and that no account has: they are named and left out. */
  readonly unusable: readonly string[];
}

/** The status of an account that refuses as such: no tree says more. */
export const NOT_ENABLED = 'NOT_ENABLED';

/**
 * The trees below the roots, one request each: below `chosen`; or else below the login customer, where that can be asked;
 * or else below everything the credentials reach. `narrow` may leave out some of those that were listed.
 */
export async function readTrees(
  ads: AdsConnection,
  chosen: readonly CustomerId[],
  concurrency: number,
  narrow: (roots: readonly CustomerId[]) => readonly CustomerId[],
): Promise<Trees> {
  const read = (root: CustomerId) => readTree(ads, root);
  if (chosen.length > 0) return treesOf(await pMap(narrow([...new Set(chosen)]), read, { concurrency }), []);
  const ofLogin = await readLoginTree(ads);
  if (ofLogin) return treesOf([ofLogin], []);
  const { customers, unusable } = await listAccessibleCustomers(ads);
  return treesOf(await pMap(narrow(customers), read, { concurrency }), unusable);
}

function treesOf(trees: readonly Tree[], listed: readonly string[]): Trees {
  const inTrees = trees.flatMap((tree) => (tree.kind === 'read' ? tree.unusable : []));
  return { trees, unusable: [...new Set([...listed, ...inTrees])] };
}

/**
 * The login customer's tree. One that the service does not have, or does not let us see, leaves what is accessible; a
 * passing failure does not, or accounts of the tree would be forgotten for a run.
 */
async function readLoginTree(ads: AdsConnection): Promise<Tree | undefined> {
  const root = ads.loginCustomerId;
  if (root === undefined) return undefined;
  try {
    const answer = await readClients(ads, root);
    const usable = answer.kind === 'offered' && answer.value.clients.length > 0;
    return usable ? { kind: 'read', root, ...answer.value, listed: true } : undefined;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.transient ? { kind: 'failed', root, error } : undefined;
  }
}

/** What stands below the root; the account alone where the service knows of no trees. */
export async function readTree(ads: AdsConnection, root: CustomerId): Promise<Tree> {
  const alone = { customerId: root, level: 0, manager: false };
  try {
    const answer = await readClients(ads, root);
    if (answer.kind === 'offered' && answer.value.clients.length > 0) {
      return { kind: 'read', root, ...answer.value, listed: true };
    }
    const own = await readCustomer(ads, root);
    const said = own.kind === 'offered' ? own.value : { name: undefined, currency: undefined, timeZone: undefined };
    return { kind: 'read', root, clients: [{ ...alone, ...said, status: undefined }], listed: false, unusable: [] };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (!isNotEnabled(error)) return { kind: 'failed', root, error };
    const nothing = { name: undefined, currency: undefined, timeZone: undefined };
    return {
      kind: 'read',
      root,
      clients: [{ ...alone, ...nothing, status: NOT_ENABLED }],
      listed: false,
      unusable: [],
    };
  }
}

function isNotEnabled({ details }: ApiError): boolean {
  return details.some(({ code }) => code === 'authorizationError.CUSTOMER_NOT_ENABLED');
}
