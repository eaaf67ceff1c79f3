import type { AdsConnection } from '../../apis/ads/ads-connection.ts';
import { readCurrencyUnits } from '../../apis/ads/read-account.ts';
import { ApiError } from '../../domain/errors.ts';
import type { CustomerId } from '../../domain/ids.ts';
import type { Micros } from '../../domain/micros.ts';
import type { StateDb } from '../../store/record-store.ts';
import { type Account, allAccounts } from '../../store/runs/account-table.ts';

/**
 * Asks once for all accounts, because they share currencies. Without an answer, the last answer counts, unless the account
 * has another currency now. A wrong unit does no harm: the service refuses the amount.
 */
export async function withBudgetUnits<One extends Account>(
  db: StateDb,
  ads: AdsConnection,
  accounts: readonly One[],
  asked: CustomerId | undefined,
): Promise<One[]> {
  const units = asked && (await unitsAskedOf(ads, asked));
  const known = new Map((await allAccounts(db)).map((account) => [account.customerId, account]));
  return accounts.map((account) => {
    const before = known.get(account.customerId);
    const kept = before?.currency === account.currency ? before?.budgetUnitMicros : undefined;
    return { ...account, budgetUnitMicros: units?.get(account.currency ?? '') ?? kept };
  });
}

async function unitsAskedOf(
  ads: AdsConnection,
  customer: CustomerId,
): Promise<ReadonlyMap<string, Micros> | undefined> {
  try {
    const answer = await readCurrencyUnits(ads, customer);
    return answer.kind === 'offered' ? answer.value : undefined;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return undefined;
  }
}
