import type { CommandApp } from '../../cli/command.ts';
import { EXIT } from '../../cli/print-error.ts';
import { listingIn } from '../../cli/print-listing.ts';
import { requireAds } from '../../pipeline/accounts/find-accounts.ts';
import { ACCOUNTS } from '../../views/accounts.ts';
import type { AccountsOptions } from './accounts-command.ts';
import { listAccounts } from './list-accounts.ts';

/** The accounts command: 1 when one of them could not be asked. */
export async function runAccounts(app: CommandApp<'areas'>, { format }: AccountsOptions): Promise<number> {
  const accounts = await app.open((areas) =>
    listAccounts(areas.settings, requireAds(areas, 'there are no accounts to list')),
  );
  app.output.stdout.write(listingIn(format, ACCOUNTS, accounts, app.output));
  return accounts.some(({ failure }) => failure !== undefined) ? EXIT.failed : EXIT.done;
}
