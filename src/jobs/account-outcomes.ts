import type { AccountResult, SliceResult } from '../report/report-result.ts';
import type { RunAccountRecord } from '../store/run-account-table.ts';

/** Why an account was not reached that a run, such as one for an approval, had no query for. */
const NOTHING_TO_READ = 'nothing was to be read of it in this run';

/** What became of each account of a run: the worst that became of one of its slices. */
export function accountOutcomes(
  accounts: readonly AccountResult[],
  slices: readonly SliceResult[],
): readonly RunAccountRecord[] {
  const byAccount = Map.groupBy(slices, (slice) => slice.customerId);
  return accounts.map(({ customerId, failure, failedByStop, leftOut }) => {
    if (leftOut !== undefined) return { customerId, state: 'left_out', reason: leftOut };
    const own = byAccount.get(customerId) ?? [];
    const failed = failure ?? own.find((slice) => slice.failure !== undefined)?.failure;
    if (failed !== undefined) return { customerId, state: failedByStop ? 'stopped' : 'failed', reason: failed };
    const left = own.find((slice) => slice.left !== undefined);
    if (left?.left !== undefined) {
      return { customerId, state: left.leftByStop ? 'stopped' : 'not_reached', reason: left.left };
    }
    if (own.length === 0) {
      return { customerId, state: 'not_reached', code: 'nothing_to_read', reason: NOTHING_TO_READ };
    }
    return { customerId, state: 'read', reason: undefined };
  });
}
