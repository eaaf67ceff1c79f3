import type { App } from '../app.ts';
import { type PersonalResult, undoIntent } from '../budgets/undo.ts';
import { InputError } from '../domain/errors.ts';
import type { ReportResult } from '../report/report-result.ts';
import { intentById } from '../store/intent-table.ts';
import { type Actor, actOnBudget } from './act-on-budget.ts';

/** Who wants it, and whether although budgets are frozen. */
export interface Undoer extends Actor {
  readonly despiteFreeze?: boolean;
}

/** Sets a budget back to what it was before the change of that number. Throws `InputError` when there is none. */
export async function undoChange(app: App, id: bigint, { by, why, despiteFreeze }: Undoer): Promise<ReportResult> {
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
  return actOnBudget(app, 'budgets undo', wanted, async ({ runId, deps, today }) => {
    if (!despiteFreeze) return withWay(await undoIntent(deps, intent, { by, why: reason, runId }, today), id);
    const frozen = await deps.frozen();
    const person = { by, why: frozen === undefined ? reason : `${reason}, despite the freeze: ${frozen}`, runId };
    return undoIntent({ ...deps, frozen: async () => app.killSwitch.movedAway() }, intent, person, today);
  });
}

function withWay(result: PersonalResult, id: bigint): PersonalResult {
  if (result.kind !== 'refused' || result.code !== 'FROZEN') return result;
  const way = `pacekeeper budgets undo B${id} --despite-freeze undoes it all the same.`;
  return { ...result, reason: `${result.reason} ${way}` };
}
