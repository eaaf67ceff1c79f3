import { instantText } from '../../domain/civil-date.ts';
import type { BudgetId, CustomerId } from '../../domain/ids.ts';
import {
  type Intent,
  type IntentStep,
  moveIntent,
  unprovenRefusals,
} from '../../storage/records/budgets/intent-table.ts';
import { hadUntil, lastSet } from '../../storage/records/budgets/past-changes.ts';
import type { StateDb } from '../../storage/records/record-store.ts';
import { moveOn, type Recording } from './move-on.ts';
import type { BudgetBook } from './read-budgets.ts';

/**
 * A refusal proves nothing: a gateway can apply a change and then answer with an error. So a refused change counts for the
 * day, the cooldown and the drift, until a reading shows the outcome.
 *
 * - The new amount means that the change was made. But if the budget had this amount shortly before, the reading may be
 *   older than the change.
 * - Any other amount means that it was not made. For this, the reading must have begun one lag after the request.
 * - After a later change on record, no reading tells anything of the refused one. The later change counts instead.
 */
export interface JudgedRefusal {
  readonly intent: Intent;
  /** `in_doubt`: a read after `until` shows the outcome. */
  readonly outcome: { readonly kind: 'made' | 'unmade' } | { readonly kind: 'in_doubt'; readonly until: string };
}

export async function judgeRefusals(
  { db, readLagMs }: { readonly db: StateDb; readonly readLagMs: number },
  { source, amounts, removed, readAt }: Pick<BudgetBook, 'source' | 'amounts' | 'removed' | 'readAt'>,
  customer: CustomerId,
): Promise<ReadonlyMap<BudgetId, JudgedRefusal>> {
  const judged = new Map<BudgetId, JudgedRefusal>();
  if (source === 'declared') return judged;
  const readMs = Date.parse(readAt);
  const refusals = await unprovenRefusals(db, customer);
  const known = refusals.length > 0 ? await lastSet(db, customer) : undefined;
  for (const intent of refusals) {
    const { budgetId, to, updatedAt } = intent;
    if ((known?.get(budgetId)?.at ?? '') >= updatedAt) {
      judged.set(budgetId, { intent, outcome: { kind: 'unmade' } });
      continue;
    }
    const found = amounts.get(budgetId);
    if (found === undefined || removed.has(budgetId)) continue;
    const until = found === to ? await hadUntil(db, customer, budgetId, to) : updatedAt;
    const certainMs = until === undefined ? readMs : Date.parse(until) + readLagMs;
    if (certainMs <= readMs) judged.set(budgetId, { intent, outcome: { kind: found === to ? 'made' : 'unmade' } });
    else if (found === to) {
      judged.set(budgetId, { intent, outcome: { kind: 'in_doubt', until: instantText(certainMs) } });
    }
  }
  return judged;
}

export const MADE_ANYWAY = {
  to: 'confirmed',
  code: 'MADE_ANYWAY',
  outcome: 'The service refused the change, but the budget shows the new amount: the change was made.',
} as const satisfies IntentStep;

export async function recordRefusals(
  trx: StateDb,
  recording: Recording,
  judged: ReadonlyMap<BudgetId, JudgedRefusal>,
): Promise<void> {
  for (const { intent, outcome } of judged.values()) {
    if (outcome.kind === 'made') await moveOn(trx, recording, intent, MADE_ANYWAY);
    if (outcome.kind !== 'unmade') continue;
    const { code, outcome: said } = intent;
    await moveIntent(trx, intent, { to: 'rejected', code, outcome: said }, recording.clock.now());
  }
}
