import { capitalised } from '../../domain/wording.ts';
import { firingAlerts } from '../../storage/records/alerts/alert-table.ts';
import type { TestFinding } from '../../storage/records/runs/data-test-table.ts';
import type { RunAccount } from '../accounts/find-accounts.ts';
import type { App } from '../app.ts';
import { describeAccount } from '../budgets/describe-change.ts';
import { reasonOf } from '../evaluate/test-data.ts';
import { tellCondition } from './enqueue-troubles.ts';

const PREFIX = 'data_test:';

/** Tells each error of a test of data for each account. Also tells its end: the test passed, or was removed. */
export async function enqueueTestAlerts(
  app: App,
  findings: readonly TestFinding[],
  accounts: readonly RunAccount[],
): Promise<void> {
  const byId = new Map(accounts.map((account) => [account.customerId, account]));
  const told = new Set<string>();
  for (const finding of findings) {
    const { table, name, severity, state, customerId } = finding;
    if (severity !== 'error' || state === 'passed') continue;
    const dedupeKey = [`${PREFIX}${table}`, name, customerId ?? 'all'].join(':');
    told.add(dedupeKey);
    const account = customerId && byId.get(customerId);
    const text = [
      capitalised(reasonOf(finding)),
      'Rules and targets that read this table are not evaluated.',
      ...(account === undefined ? [] : [describeAccount(account.customerId, account)]),
      'See the rows: pacekeeper test',
    ].join('\n');
    await tellCondition(app, { dedupeKey, customerId }, { severity: 'warning', text });
  }
  for (const { dedupeKey, customerId } of await firingAlerts(app.state.db, 'condition')) {
    const isOfRun = customerId === undefined || byId.has(customerId);
    if (dedupeKey.startsWith(PREFIX) && !told.has(dedupeKey) && isOfRun) {
      await tellCondition(app, { dedupeKey, customerId }, 'over');
    }
  }
}
