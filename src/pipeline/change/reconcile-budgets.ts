import type { App } from '../../app.ts';
import type { ReportResult } from '../../results/report-result.ts';
import { openIntents } from '../../store/budgets/intent-table.ts';
import { decisionFailure } from '../../views/report/describe-results.ts';
import { findAccounts, requireAds } from '../accounts/find-accounts.ts';
import { rulesNow } from '../evaluate/rules-now.ts';
import { NO_WORK, recordedRun } from '../recorded-run.ts';
import { deliverAlerts } from '../tell/deliver-alerts.ts';
import { settleLeftovers } from './change-budgets.ts';

/** Finds out what became of every change whose outcome is not known, now and not with the next report. By the rules' files unless told otherwise. */
export function reconcileBudgets(opened: App, readRules: typeof rulesNow = rulesNow): Promise<ReportResult> {
  return recordedRun(opened, { command: 'budgets reconcile', dryRun: false }, async (_, app) => {
    const ads = requireAds(app, 'nothing can be read back');
    const left = await openIntents(app.state.db);
    if (left.length === 0) return { ...NO_WORK, notes: ['No change waits for an answer.'] };
    const accounts = await findAccounts(app, ads, [...new Set(left.map(({ customerId }) => customerId))], 'left');
    const ruleNamed = await readRules(app.settings, app.clock.now());
    const settled = await settleLeftovers(app, ads, left, accounts.found, ruleNamed);
    const alerts = await deliverAlerts(app);
    const failures = [...accounts.failures, ...settled.flatMap(decisionFailure), ...alerts.failures];
    return {
      ...NO_WORK,
      accounts: accounts.found,
      settled,
      messages: alerts.messages,
      notes: alerts.notes,
      failures: failures.map(app.redact),
    };
  });
}
