import { subjectOf } from '../../domain/budget-change.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { formatMoneyChange } from '../../domain/micros.ts';
import { firstLineOf } from '../../domain/outside-text.ts';
import { withoutFullStop } from '../../domain/wording.ts';
import type { LostRow } from '../../storage/records/alerts/lost-rows.ts';
import type { Intent } from '../../storage/records/budgets/intent-table.ts';
import type { Proposal } from '../../storage/records/budgets/proposal-table.ts';

interface Waiting {
  readonly proposals: readonly Proposal[];
  readonly open: readonly Intent[];
  /** Newest first. */
  readonly lost: readonly LostRow[];
}

export function needsYou(
  { proposals, open, lost }: Waiting,
  isShown: (one: { readonly customerId: CustomerId | undefined }) => boolean = () => true,
): string[] {
  return [
    ...lostAlerts(lost.filter(isShown)),
    ...proposals
      .filter(isShown)
      .map(
        ({ code, from, to, currency, rule, ...subject }) =>
          `${subjectOf(subject, 'short')}: ${formatMoneyChange(from, to, currency)} awaits approval, rule ${rule}. Run pacekeeper budgets approve ${code}.`,
      ),
    ...open
      .filter(isShown)
      .map(
        ({ id, from, to, currency, ...subject }) =>
          `${subjectOf(subject, 'short')}: ${formatMoneyChange(from, to, currency)} is in doubt, B${id}. Run pacekeeper budgets reconcile.`,
      ),
  ];
}

function lostAlerts(lost: readonly LostRow[]): string[] {
  const newest = lost.find(({ severity }) => severity === 'critical') ?? lost[0];
  if (newest === undefined) return [];
  const alerts = lost.length === 1 ? 'An alert was not delivered' : `${lost.length} alerts were not delivered`;
  const said = withoutFullStop(firstLineOf(newest.text));
  return [`${alerts}: ${newest.severity}, ${said}. Run pacekeeper alerts list, then pacekeeper alerts acknowledge.`];
}
