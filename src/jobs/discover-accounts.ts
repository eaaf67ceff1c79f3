import type { AdsConnection } from '../apis/ads/ads-connection.ts';
import { listAccessibleCustomers } from '../apis/ads/list-accessible-customers.ts';
import { readCustomer } from '../apis/ads/read-account.ts';
import type { App } from '../app.ts';
import { ApiError, explainFailure, InputError } from '../domain/errors.ts';
import type { CustomerId } from '../domain/ids.ts';
import { type Account, knownAccount, upsertAccount } from '../store/account-table.ts';

/** An account of the run; `failure` when it could not be read, and then nothing is done for it. */
export interface RunAccount extends Account {
  readonly failure: string | undefined;
}

/**
 * The accounts of the run with currency and time zone: from the interface, or from the settings where it does not say.
 * `only` narrows them. Throws `InputError` for credentials that are refused and for an account that is not there,
 * `ApiError` when the accounts cannot be listed at all.
 */
export async function discoverAccounts(
  app: App,
  ads: AdsConnection,
  only: readonly CustomerId[],
): Promise<RunAccount[]> {
  const { settings } = app;
  const listed = settings.customerIds.length === 0;
  const all = listed ? await listAccounts(ads) : settings.customerIds;
  const absent = only.filter((id) => !all.includes(id));
  if (absent.length > 0) {
    throw new InputError(`There is no account ${absent.join(', ')} among the accessible ones: ${all.join(', ')}.`, {
      nextStep: 'Name an accessible account with --customer.',
    });
  }
  const accounts: RunAccount[] = [];
  const refusals: ApiError[] = [];
  for (const id of only.length > 0 ? all.filter((one) => only.includes(one)) : all) {
    accounts.push(await readAccount(app, ads, id, refusals));
  }
  // Credentials that nothing accepts are a mistake in the settings; one account's refusal is that account's failure.
  const [first] = refusals;
  if (first && !listed && refusals.length === accounts.length) throw wrongCredentials(first);
  return accounts;
}

async function listAccounts(ads: AdsConnection): Promise<CustomerId[]> {
  try {
    return await listAccessibleCustomers(ads);
  } catch (error) {
    throw error instanceof ApiError && refusesCredentials(error) ? wrongCredentials(error) : error;
  }
}

async function readAccount(
  { settings, state, clock }: App,
  ads: AdsConnection,
  customerId: CustomerId,
  refusals: ApiError[],
): Promise<RunAccount> {
  const configured = settings.accounts.get(customerId);
  try {
    const answer = await readCustomer(ads, customerId);
    const said = answer.kind === 'offered' ? answer.value : undefined;
    const account = {
      customerId,
      name: said?.name,
      currency: said?.currency ?? configured?.currency,
      timeZone: said?.timeZone ?? configured?.timeZone,
      failure: undefined,
    };
    await upsertAccount(state.db, account, clock.now());
    return account;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (refusesCredentials(error)) refusals.push(error);
    const known = await knownAccount(state.db, customerId);
    return {
      customerId,
      name: known?.name,
      currency: known?.currency ?? configured?.currency,
      timeZone: known?.timeZone ?? configured?.timeZone,
      failure: explainFailure(error),
    };
  }
}

function refusesCredentials(error: ApiError): boolean {
  return error.httpStatus === 401 || error.status === 'UNAUTHENTICATED';
}

function wrongCredentials(error: ApiError): InputError {
  return new InputError(error.message, { ...(error.nextStep ? { nextStep: error.nextStep } : {}), cause: error });
}
