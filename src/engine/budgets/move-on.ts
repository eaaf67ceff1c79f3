import { enqueueAlert } from '../../storage/records/alerts/alert-table.ts';
import { reasonOfIntent } from '../../storage/records/budgets/decision-table.ts';
import { type Intent, type IntentStep, moveIntent } from '../../storage/records/budgets/intent-table.ts';
import type { StateDb } from '../../storage/records/record-store.ts';
import { knownAccount } from '../../storage/records/runs/account-table.ts';
import type { BudgetDeps } from './budget-deps.ts';
import { alertFor } from './describe-change.ts';

export type Recording = Pick<BudgetDeps, 'clock' | 'locale'>;

/** Also enqueues the alert about the step, if there is one. */
export async function moveOn(
  trx: StateDb,
  { clock, locale }: Recording,
  intent: Intent,
  step: IntentStep,
): Promise<Intent> {
  const nowMs = clock.now();
  const moved = await moveIntent(trx, intent, step, nowMs);
  const account = await knownAccount(trx, moved.customerId);
  const changed = { ...moved, reasonWithoutAmounts: await reasonOfIntent(trx, moved.id) };
  const alert = alertFor(changed, { name: account?.name, locale: locale(moved.customerId) });
  if (alert) await enqueueAlert(trx, alert, nowMs);
  return moved;
}
