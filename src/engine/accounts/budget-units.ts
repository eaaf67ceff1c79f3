import { ApiError } from '../../domain/errors.ts';
import type { CustomerId } from '../../domain/ids.ts';
import type { Micros } from '../../domain/micros.ts';
import type { AdsConnection } from '../../services/ads/ads-connection.ts';
import { readCurrencyUnits } from '../../services/ads/read-account.ts';
import { wasUnitRefused } from '../../storage/records/budgets/intent-table.ts';
import type { StateDb } from '../../storage/records/record-store.ts';
import { type Account, allAccounts } from '../../storage/records/runs/account-table.ts';

interface Asked extends Account {
  readonly failure: string | undefined;
  readonly leftOut: string | undefined;
}

/**
 * Asks once for all accounts, because they share currencies, and only if a unit is unknown or was refused. Otherwise, the
 * last answer counts, unless the account has another currency now. A wrong unit does no harm: the service refuses the amount.
 */
export async function withBudgetUnits<One extends Asked>(
  db: StateDb,
  ads: AdsConnection,
  accounts: readonly One[],
): Promise<One[]> {
  const known = new Map((await allAccounts(db)).map((account) => [account.customerId, account]));
  const keptOf = ({ customerId, currency }: One) => {
    const before = known.get(customerId);
    return before?.currency === currency ? before?.budgetUnitMicros : undefined;
  };
  const usable = accounts.filter(({ failure, leftOut }) => failure === undefined && leftOut === undefined);
  const first = usable.find((one) => keptOf(one) === undefined) ?? ((await wasUnitRefused(db)) ? usable[0] : undefined);
  const units = first && (await unitsAskedOf(ads, first.customerId));
  return accounts.map((account) => ({
    ...account,
    budgetUnitMicros: units?.get(account.currency ?? '') ?? keptOf(account),
  }));
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
