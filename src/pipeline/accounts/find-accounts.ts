import type { AdsConnection } from '../../apis/ads/ads-connection.ts';
import type { App, AreasApp } from '../../app.ts';
import { ApiError, explainFailure, InputError } from '../../domain/errors.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { claimTarget } from '../../store/runs/target-table.ts';
import { UNUSABLE_NUMBER } from './account-ways.ts';
import { type Absent, discoverAccounts, type RunAccount } from './discover-accounts.ts';

/** The accounts that are worked on or failed, and apart from them those that are not in use. */
export interface FoundAccounts {
  readonly found: readonly RunAccount[];
  readonly leftOut: readonly RunAccount[];
  /** One sentence each. */
  readonly failures: readonly string[];
  readonly notes: readonly string[];
}

export const NO_ACCOUNTS: FoundAccounts = { found: [], leftOut: [], failures: [], notes: [] };

/**
 * The accounts of the run. When they cannot even be listed there are none, and the rest of the run goes on. A service that
 * answered makes the data folder its own; a mistyped address does not.
 */
export async function findAccounts(
  app: App,
  ads: AdsConnection,
  only: readonly CustomerId[],
  absent?: Absent,
): Promise<FoundAccounts> {
  const accounts = await listAccounts(app, ads, only, absent);
  const answered = accounts.found.some(({ failure }) => failure === undefined);
  if (answered || accounts.failures.length === 0)
    await claimTarget(app.state, { identity: app.target, kind: app.settings.target });
  return accounts;
}

async function listAccounts(
  app: App,
  ads: AdsConnection,
  only: readonly CustomerId[],
  absent?: Absent,
): Promise<FoundAccounts> {
  try {
    const { accounts, unusable, notes } = await discoverAccounts(app, ads, only, absent);
    const leftOut = accounts.filter((account) => account.leftOut !== undefined);
    const found = accounts.filter((account) => account.leftOut === undefined);
    const failures = found.flatMap(({ customerId, failure }) => (failure ? [`Account ${customerId}: ${failure}`] : []));
    const left = unusable.map((number) => `Account ${number}: ${UNUSABLE_NUMBER}`);
    return { found, leftOut, failures: [...failures, ...left], notes };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const failure = `The accounts could not be listed, so none was read: ${explainFailure(error)}`;
    return { ...NO_ACCOUNTS, failures: [failure] };
  }
}

export function accountNotes(ads: AdsConnection | undefined, accounts: FoundAccounts): readonly string[] {
  const { found, leftOut, failures, notes } = accounts;
  if (!ads || found.length > 0 || leftOut.length > 0 || failures.length > 0) return notes;
  return ['The credentials reach no account: check ADS_LOGIN_CUSTOMER_ID, or name accounts in ADS_CUSTOMER_IDS.'];
}

/** The advertising interface. Throws `InputError` where it is not configured; `without` says what cannot be done then. */
export function requireAds({ ads }: Pick<AreasApp, 'ads'>, without: string): AdsConnection {
  if (ads) return ads;
  throw new InputError(`The advertising interface is not configured, so ${without}.`, {
    nextStep: 'Set ADS_URL and its credentials; docs/configuration.md lists them.',
  });
}
