import { type ListedAccount, listAccounts } from '../../jobs/list-accounts.ts';
import { requireAds } from '../../jobs/require-ads.ts';
import { count, oneLine, type TextLayout } from '../../report/text-layout.ts';
import { textTable } from '../../report/text-table.ts';
import { toJson } from '../../report/to-json.ts';
import { wrapText } from '../../report/wrap-text.ts';
import type { CommandApp } from '../command.ts';
import { EXIT } from '../print-error.ts';
import { printListing } from '../print-listing.ts';
import type { AccountsOptions } from './accounts-command.ts';

/** The accounts command: 1 when one of them could not be asked. */
export async function runAccounts(app: CommandApp<'areas'>, { format }: AccountsOptions): Promise<number> {
  const accounts = await app.open((areas) =>
    listAccounts(areas.settings, requireAds(areas, 'there are no accounts to list')),
  );
  printListing(app.output, format, 'accounts', {
    table: (layout) => renderAccounts(accounts, layout),
    json: () => toJson(accounts.map(accountJson)),
    rows: () => accounts.map(accountJson),
  });
  return accounts.some(({ failure }) => failure !== undefined) ? EXIT.failed : EXIT.done;
}

function renderAccounts(accounts: readonly ListedAccount[], { width }: TextLayout): string {
  if (accounts.length === 0) return 'The credentials reach no account.';
  const shown = (text: string | undefined) => (text === undefined ? '-' : oneLine(text));
  const rows = accounts.map((account) => [
    account.customerId,
    ...[account.name, account.currency, account.timeZone].map(shown),
    statusOf(account),
    account.through ?? 'directly',
  ]);
  const columns = [
    { title: 'account', align: 'left' },
    { title: 'name', align: 'left', flexible: true },
    { title: 'currency', align: 'left' },
    { title: 'time zone', align: 'left', flexible: true },
    { title: 'status', align: 'left', flexible: true },
    { title: 'through', align: 'left' },
  ] as const;
  const failures = accounts.flatMap(({ customerId, failure }) =>
    failure === undefined ? [] : [wrapText(`${customerId}: ${oneLine(failure)}`, width, '', '  ')],
  );
  const managers = accounts.filter(({ manager }) => manager).length;
  const sum = `${count(accounts.length - managers, 'account')}, ${count(managers, 'manager')}.`;
  return [textTable(columns, rows, width), '', sum, ...failures].join('\n');
}

function statusOf({ failure, manager, status, excluded }: ListedAccount): string {
  if (failure !== undefined) return 'could not be asked';
  const parts = [status ?? '-', manager && 'manager', excluded && 'excluded'];
  return parts.filter(Boolean).join(', ');
}

function accountJson(account: ListedAccount): object {
  const { customerId, name, currency, manager, status, excluded, failure } = account;
  return {
    ...{ customer_id: customerId, name, currency, time_zone: account.timeZone, manager, status },
    ...{ through: account.through, excluded, failure },
  };
}
