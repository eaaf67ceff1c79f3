import type { Settings } from '../../config/settings.ts';
import { explainFailure } from '../../domain/errors.ts';
import {
  byId,
  excludeAccounts,
  findWays,
  isChosenIn,
  readAllTrees,
  UNKNOWN,
  UNUSABLE_NUMBER,
} from '../../engine/accounts/account-trees.ts';
import { requireAds } from '../../engine/accounts/find-accounts.ts';
import type { AdsConnection } from '../../services/ads/ads-connection.ts';
import type { CommandApp } from '../cli/command.ts';
import { EXIT } from '../cli/print-error.ts';
import { listingIn } from '../cli/print-listing.ts';
import type { AccountsOptions } from './accounts-command.ts';
import { ACCOUNTS, type ListedAccount } from './accounts-view.ts';

export async function runAccounts(app: CommandApp<'areas'>, { format }: AccountsOptions): Promise<number> {
  const accounts = await app.open((areas) =>
    listAccounts(areas.settings, requireAds(areas, 'no accounts can be listed')),
  );
  app.output.stdout.write(listingIn(format, ACCOUNTS, accounts, app.output));
  return accounts.some(({ failure }) => failure !== undefined) ? EXIT.failed : EXIT.done;
}

/** Sorted by id. Throws `InputError` for refused credentials, `ApiError` if no account can be listed. */
export async function listAccounts(settings: Settings, ads: AdsConnection): Promise<readonly ListedAccount[]> {
  const { trees, unusable } = await readAllTrees(settings, ads, (roots) => roots);
  const excluded = await excludeAccounts(ads, settings.ads.excludeCustomerIds, trees);
  const isChosen = isChosenIn(trees);
  const ways = findWays(ads, trees, 'accounts_and_managers');
  const reached = [...ways.values()].map(({ client, login }): ListedAccount => {
    const { customerId } = client;
    const configured = settings.accounts.get(customerId);
    return {
      ...client,
      failure: undefined,
      currency: client.currency ?? configured?.currency,
      timeZone: client.timeZone ?? configured?.timeZone,
      through: login === customerId ? undefined : login,
      excluded: excluded.has(customerId),
      chosen: client.manager || isChosen(customerId),
    };
  });
  const failed = trees.flatMap((tree): ListedAccount[] => {
    if (tree.kind === 'read' || ways.has(tree.root)) return [];
    const about = { customerId: tree.root, excluded: excluded.has(tree.root), failure: explainFailure(tree.error) };
    return [{ ...UNREAD, ...about }];
  });
  const left = unusable.map((customerId) => ({ ...UNREAD, customerId, excluded: false, failure: UNUSABLE_NUMBER }));
  return [...reached, ...failed, ...left].sort(byId);
}

const UNREAD = { ...UNKNOWN, status: undefined, through: undefined, manager: false, chosen: true };
