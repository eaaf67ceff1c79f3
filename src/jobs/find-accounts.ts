import type { AdsConnection } from '../apis/ads/ads-connection.ts';
import type { App } from '../app.ts';
import { ApiError, explainFailure } from '../domain/errors.ts';
import type { CustomerId } from '../domain/ids.ts';
import { claimTarget } from '../store/target-table.ts';
import { discoverAccounts, type RunAccount } from './discover-accounts.ts';

export interface FoundAccounts {
  readonly found: readonly RunAccount[];
  /** One sentence each. */
  readonly failures: readonly string[];
}

/**
 * The accounts of the run. When they cannot even be listed there are none, and the rest of the run goes on. A service that
 * answered makes the data folder its own; a mistyped address does not.
 */
export async function findAccounts(app: App, ads: AdsConnection, only: readonly CustomerId[]): Promise<FoundAccounts> {
  const accounts = await listAccounts(app, ads, only);
  if (accounts.failures.length < Math.max(1, accounts.found.length)) await claimTarget(app.state, app.target);
  return accounts;
}

async function listAccounts(app: App, ads: AdsConnection, only: readonly CustomerId[]): Promise<FoundAccounts> {
  try {
    const found = await discoverAccounts(app, ads, only);
    const failures = found.flatMap(({ customerId, failure }) => (failure ? [`Account ${customerId}: ${failure}`] : []));
    return { found, failures };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { found: [], failures: [`The accounts could not be listed, so none was read: ${explainFailure(error)}`] };
  }
}

export function accountNotes(ads: AdsConnection | undefined, { found, failures }: FoundAccounts): string[] {
  if (!ads || found.length > 0 || failures.length > 0) return [];
  return ['The credentials reach no account: check ADS_LOGIN_CUSTOMER_ID, or name accounts in ADS_CUSTOMER_IDS.'];
}
