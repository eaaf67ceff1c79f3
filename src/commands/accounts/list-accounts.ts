import type { AdsConnection } from '../../apis/ads/ads-connection.ts';
import type { Settings } from '../../config/settings.ts';
import { explainFailure } from '../../domain/errors.ts';
import {
  byId,
  excludeAccounts,
  findWays,
  readAllTrees,
  UNUSABLE_NUMBER,
} from '../../pipeline/accounts/account-trees.ts';
import type { ListedAccount } from './accounts-view.ts';

/**
 * Everything that the credentials reach or the settings choose, ascending. Neither reads nor writes the databases. Throws
 * `InputError` for credentials that are refused and `ApiError` when nothing can be listed at all.
 */
export async function listAccounts(settings: Settings, ads: AdsConnection): Promise<readonly ListedAccount[]> {
  const { trees, unusable } = await readAllTrees(settings, ads, (roots) => roots);
  const excluded = await excludeAccounts(ads, settings.ads.excludeCustomerIds, trees);
  const ways = findWays(ads, trees, 'accounts_and_managers');
  const reached = [...ways.values()].map(({ client, login }): ListedAccount => {
    const { customerId } = client;
    const configured = settings.accounts.get(customerId);
    return {
      ...{ customerId, name: client.name, manager: client.manager, status: client.status, failure: undefined },
      currency: client.currency ?? configured?.currency,
      timeZone: client.timeZone ?? configured?.timeZone,
      through: login === customerId ? undefined : login,
      excluded: excluded.has(customerId),
    };
  });
  const failed = trees.flatMap((tree): ListedAccount[] => {
    if (tree.kind === 'read' || ways.has(tree.root)) return [];
    const about = { customerId: tree.root, excluded: excluded.has(tree.root), failure: explainFailure(tree.error) };
    return [{ ...UNKNOWN, ...about }];
  });
  const left = unusable.map((customerId) => ({ ...UNKNOWN, customerId, excluded: false, failure: UNUSABLE_NUMBER }));
  return [...reached, ...failed, ...left].sort(byId);
}

const UNKNOWN = {
  name: undefined,
  currency: undefined,
  timeZone: undefined,
  status: undefined,
  through: undefined,
  manager: false,
};
