import type { CustomerId } from '../../domain/ids.ts';
import { NOT_CHOSEN } from '../../engine/accounts/account-trees.ts';
import type { ClientRecord } from '../../services/ads/list-accounts.ts';
import { type Column, flag, id, text } from '../../storage/columns/column.ts';
import { oneList } from '../../views/kit/listing.ts';
import { count } from '../../views/text/text-layout.ts';

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
