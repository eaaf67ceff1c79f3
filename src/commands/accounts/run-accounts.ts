import type { Settings } from '../../config/settings.ts';
import { explainFailure } from '../../domain/errors.ts';
import type { CustomerId } from '../../domain/ids.ts';
import {
  byId,
  excludeAccounts,
  findWays,
  isChosenIn,
  NOT_CHOSEN,
  readAllTrees,
  UNKNOWN,
  UNUSABLE_NUMBER,
} from '../../engine/accounts/account-trees.ts';
import { requireAds } from '../../engine/accounts/find-accounts.ts';
import type { AdsConnection } from '../../services/ads/ads-connection.ts';
import type { ClientRecord } from '../../services/ads/list-accounts.ts';
import { type Column, flag, id, text } from '../../storage/columns/column.ts';
import { oneList } from '../../views/kit/listing.ts';
import { count } from '../../views/text/text-layout.ts';
import type { CommandApp } from '../cli/command.ts';
import type { ListedOptions } from '../cli/common-options.ts';
import { EXIT } from '../cli/print-error.ts';
import { listingIn } from '../cli/print-listing.ts';

export async function runAccounts(app: CommandApp<'areas'>, { format }: ListedOptions): Promise<number> {
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

export interface ListedAccount extends Omit<ClientRecord, 'customerId' | 'level'> {
  readonly customerId: string;
  /** A manager account. Undefined if the credentials have direct access. */
  readonly through: CustomerId | undefined;
  readonly excluded: boolean;
  readonly chosen: boolean;
  readonly failure: string | undefined;
}

const COLUMNS: readonly Column<ListedAccount>[] = [
  id('customer_id', 'The account id, digits only.', 'customerId', { title: 'Account' }),
  text('name', 'The name; empty if the account could not be read.', 'name', { title: 'Name', wraps: true }),
  text('currency', 'The currency code, ISO 4217.', 'currency', { title: 'Currency' }),
  text('time_zone', 'The time zone, as an IANA name.', 'timeZone', { title: 'Time zone', wraps: true }),
  flag('manager', '`true` for a manager.', 'manager'),
  text('status', 'The status that the service reports: ENABLED, SUSPENDED and so on.', 'status', {
    title: 'Status',
    wraps: true,
    shown: statusWords,
  }),
  id('through', 'The manager above the account; empty if the credentials reach it directly.', 'through', {
    title: 'Through',
    shown: ({ through }) => through ?? 'directly',
  }),
  flag('excluded', '`true` if the settings exclude it.', 'excluded'),
  flag('chosen', '`false` if `ads.accounts_query` did not choose it.', 'chosen'),
  text('failure', 'Why the account could not be read.', 'failure', { title: 'Failed', long: true }),
];

function statusWords({ failure, manager, status, excluded, chosen }: ListedAccount): string {
  if (failure !== undefined) return 'could not be read';
  return [status, manager && 'manager', excluded && 'excluded', !chosen && 'not chosen'].filter(Boolean).join(', ');
}

export const ACCOUNTS = oneList({
  name: 'accounts',
  about: 'One row per account or manager that the credentials reach.',
  evident: ['currency', 'time_zone'],
  none: 'The credentials reach no account.',
  columns: COLUMNS,
  after: (accounts) => {
    const managers = accounts.filter(({ manager }) => manager).length;
    if (accounts.length === 0) return [];
    const unchosen = accounts.filter(({ chosen }) => !chosen).length;
    return [
      `${count(accounts.length - managers, 'account')}, ${count(managers, 'manager')}.`,
      ...(unchosen === 0 ? [] : [`${count(unchosen, 'account')} ${NOT_CHOSEN}.`]),
    ];
  },
});
