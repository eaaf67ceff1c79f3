import type { AdsConnection } from '../apis/ads/ads-connection.ts';
import { listAccessibleCustomers } from '../apis/ads/list-accessible-customers.ts';
import { readCustomer } from '../apis/ads/read-account.ts';
import type { App } from '../app.ts';
import { ApiError, InputError } from '../domain/errors.ts';
import type { CustomerId } from '../domain/ids.ts';
import { type Account, upsertAccount } from '../store/account-table.ts';

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
  const all =
    settings.customerIds.length > 0 ? settings.customerIds : await refusingCredentials(listAccessibleCustomers(ads));
  const absent = only.filter((id) => !all.includes(id));
  if (absent.length > 0) {
    throw new InputError(`There is no account ${absent.join(', ')} among the accessible ones: ${all.join(', ')}.`, {
      nextStep: 'Name an accessible account with --customer.',
    });
  }
  const accounts: RunAccount[] = [];
  for (const id of only.length > 0 ? all.filter((one) => only.includes(one)) : all) {
    const account = await readAccount(app, ads, id);
    if (account.failure === undefined) await upsertAccount(app.state.db, account, app.clock.now());
    accounts.push(account);
  }
  return accounts;
}

async function readAccount({ settings }: App, ads: AdsConnection, customerId: CustomerId): Promise<RunAccount> {
  const configured = settings.accounts.get(customerId);
  try {
    const answer = await refusingCredentials(readCustomer(ads, customerId));
    const said = answer.kind === 'offered' ? answer.value : undefined;
    return {
      customerId,
      name: said?.name,
      currency: said?.currency ?? configured?.currency,
      timeZone: said?.timeZone ?? configured?.timeZone,
      failure: undefined,
    };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { currency, timeZone } = configured ?? {};
    return { customerId, name: undefined, currency, timeZone, failure: error.message };
  }
}

/** Credentials that the service refuses at the first call are a mistake in the settings, not a failure of the run. */
async function refusingCredentials<Value>(call: Promise<Value>): Promise<Value> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ApiError && (error.httpStatus === 401 || error.status === 'UNAUTHENTICATED')) {
      throw new InputError(error.message, { ...(error.nextStep ? { nextStep: error.nextStep } : {}), cause: error });
    }
    throw error;
  }
}
