import type { App } from '../app.ts';
import { undoIntent } from '../budgets/undo.ts';
import { InputError } from '../domain/errors.ts';
import type { ReportResult } from '../report/report-result.ts';
import { guardTotalsOf } from '../rules/account-totals.ts';
import { intentById } from '../store/intent-table.ts';
import { accountFacts } from './account-facts.ts';
import { type Actor, actOnBudget } from './act-on-budget.ts';

/**
 * Sets a budget back to what it was before the change of that number. Throws `InputError` when there is none. `beyondLimits` is for
 * a person who gave a name.
 */
export async function undoChange(
  app: App,
  id: bigint,
  { by, why, beyondLimits = false }: Actor & { readonly beyondLimits?: boolean },
): Promise<ReportResult> {
  const intent = await intentById(app.state.db, id);
  if (!intent) {
    throw new InputError(`There is no change B${id}.`, {
      nextStep: 'pacekeeper budgets history shows the changes with their numbers.',
    });
  }
  // The change that is wanted goes the other way, for a reason of its own.
  const reason = why?.trim() || 'no reason given';
  const change = { ...intent, from: intent.to, to: intent.from, reason };
  const wanted = { change, origin: `undo of B${id} by ${by}` };
  return actOnBudget(app, 'budgets undo', wanted, ({ runId, deps, account, today }) =>
    undoIntent(deps, intent, { by, why: reason, runId, beyondLimits }, today, async (undo, book) => {
      const { customerId, currency, timeZone } = account;
      const day = today();
      // What others changed is seen for the bounds, and written down by a report.
      const about = { customerId, currency, timeZone, today: day, since: day, rules: [], elsewhere: [], dryRun: true };
      return guardTotalsOf(await accountFacts(app, book, about), undo.budgetId, undo.to);
    }),
  );
}
