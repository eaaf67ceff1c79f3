import { subjectOf } from '../../domain/budget-change.ts';
import { formatMoneyChange } from '../../domain/micros.ts';
import type { Intent } from '../../store/budgets/intent-table.ts';
import type { Proposal } from '../../store/budgets/proposal-table.ts';
import { changedBudget } from './describe-results.ts';

/** Omits changes that `failures` names. */
export function needsYou(
  { proposals, open }: { readonly proposals: readonly Proposal[]; readonly open: readonly Intent[] },
  failures: readonly string[],
): string[] {
  const untold = open.filter((intent) => !failures.some((failure) => failure.includes(changedBudget(intent))));
  return [
    ...proposals.map(
      ({ code, from, to, currency, rule, ...subject }) =>
        `${subjectOf(subject, 'short')}: ${formatMoneyChange(from, to, currency)} awaits approval, rule ${rule}. Run pacekeeper budgets approve ${code}.`,
    ),
    ...untold.map(
      ({ id, from, to, currency, ...subject }) =>
        `${subjectOf(subject, 'short')}: ${formatMoneyChange(from, to, currency)} is in doubt, B${id}. Run pacekeeper budgets reconcile.`,
    ),
  ];
}
