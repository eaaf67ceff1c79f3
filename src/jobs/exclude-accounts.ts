import type { AdsConnection } from '../apis/ads/ads-connection.ts';
import type { CustomerId } from '../domain/ids.ts';
import { readTree, type Tree } from './read-trees.ts';

export interface Exclusion {
  readonly ids: ReadonlySet<CustomerId>;
  /** What was named and is not there. */
  readonly unmatched: readonly CustomerId[];
}

/**
 * Everything that the settings exclude: the accounts they name, and what stands below a manager they name, whichever way
 * it is reached. Throws `ApiError` when such a manager cannot be asked: an account below it must not be touched.
 */
export async function excludeAccounts(
  ads: AdsConnection,
  excluded: readonly CustomerId[],
  trees: readonly Tree[],
): Promise<Exclusion> {
  const ids = new Set<CustomerId>(excluded);
  const unmatched: CustomerId[] = [];
  for (const id of excluded) {
    const own = trees.find(({ root }) => root === id);
    if (own?.kind === 'read') for (const client of own.clients) ids.add(client.customerId);
    if (own?.kind === 'read') continue;
    const above = trees.find((tree) => tree.kind === 'read' && tree.clients.some((one) => one.customerId === id));
    if (above?.kind !== 'read') {
      if (!own) unmatched.push(id);
      continue;
    }
    if (!above.clients.some(({ customerId, manager }) => customerId === id && manager)) continue;
    ads.logins.set(id, ads.loginCustomerId ?? above.root);
    const below = await readTree(ads, id);
    if (below.kind === 'failed') throw below.error;
    for (const client of below.clients) ids.add(client.customerId);
  }
  return { ids, unmatched };
}
