import { listAccounts } from '../../jobs/list-accounts.ts';
import { requireAds } from '../../jobs/require-ads.ts';
import { ACCOUNTS } from '../../views/accounts.ts';
import type { CommandApp } from '../command.ts';
import { EXIT } from '../print-error.ts';
import { listingIn } from '../print-listing.ts';
import type { AccountsOptions } from './accounts-command.ts';

/** The accounts command: 1 when one of them could not be asked. */
export async function runAccounts(app: CommandApp<'areas'>, { format }: AccountsOptions): Promise<number> {
  const accounts = await app.open((areas) =>
    listAccounts(areas.settings, requireAds(areas, 'there are no accounts to list')),
  );
  app.output.stdout.write(listingIn(format, ACCOUNTS, accounts, app.output));
  return accounts.some(({ failure }) => failure !== undefined) ? EXIT.failed : EXIT.done;
}
