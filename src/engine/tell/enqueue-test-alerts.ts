import { capitalised } from '../../domain/wording.ts';
import { firingAlerts } from '../../storage/records/alerts/alert-table.ts';
import { type TestFinding, testKey } from '../../storage/records/runs/data-test-table.ts';
import type { RunAccount } from '../accounts/find-accounts.ts';
import type { App } from '../app.ts';
import { describeAccount } from '../budgets/describe-change.ts';
import { reasonOf, type TestedRun } from '../evaluate/test-data.ts';
import { tellCondition } from './enqueue-troubles.ts';

const PREFIX = 'data_test:';

const alertKey = (finding: TestFinding): string => `${PREFIX}${testKey(finding)}:${finding.customerId ?? 'all'}`;

/** Tells each error of a test of data for each account. Also tells its end: the test passed, or was removed. */
export async function enqueueTestAlerts(
  app: App,
  { findings, earlier }: TestedRun,
  accounts: readonly RunAccount[],
): Promise<void> {
  const byId = new Map(accounts.map((account) => [account.customerId, account]));
  const isError = ({ severity, state }: TestFinding) => severity === 'error' && state !== 'passed';
  const lasting = new Set([...findings, ...earlier].filter(isError).map(alertKey));
  for (const finding of findings.filter(isError)) {
    const { customerId } = finding;
    const account = customerId && byId.get(customerId);
    const text = [
      capitalised(reasonOf(finding)),
      'Rules and targets that read this table are not evaluated.',
      ...(account === undefined ? [] : [describeAccount(account.customerId, account)]),
      'See the rows: pacekeeper test',
    ].join('\n');
    await tellCondition(app, { dedupeKey: alertKey(finding), customerId }, { severity: 'warning', text });
  }
  for (const { dedupeKey, customerId } of await firingAlerts(app.state.db, 'condition')) {
    const isOfRun = customerId === undefined || byId.has(customerId);
    if (dedupeKey.startsWith(PREFIX) && !lasting.has(dedupeKey) && isOfRun) {
      await tellCondition(app, { dedupeKey, customerId }, 'over');
    }
  }
}
