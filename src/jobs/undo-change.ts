import type { App } from '../app.ts';
import { undoIntent } from '../budgets/undo.ts';
import { InputError } from '../domain/errors.ts';
import type { ReportResult } from '../report/report-result.ts';
import { intentById } from '../store/intent-table.ts';
import { type Actor, actOnBudget } from './act-on-budget.ts';

/** Sets a budget back to what it was before the change of that number. Throws `InputError` when there is none. */
export async function undoChange(app: App, id: bigint, { by, why }: Actor): Promise<ReportResult> {
  const intent = await intentById(app.state.db, id);
  if (!intent) {
    throw new InputError(`There is no change B${id}.`, {
      nextStep: 'pacekeeper budgets history shows the changes with their numbers.',
    });
  }
  // The change that is wanted goes the other way, for a reason of its own.
  const reason = why?.trim() || 'no reason given';
  const change = { ...intent, from: intent.to, to: intent.from, reason };
  return actOnBudget(app, 'budgets undo', { change, origin: `undo of B${id} by ${by}` }, ({ runId, deps, today }) =>
    undoIntent(deps, intent, { by, why: reason, runId }, today),
  );
}
