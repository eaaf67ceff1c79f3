import { makerWords, subjectOf } from '../../domain/budget-change.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { formatMoneyChange } from '../../domain/micros.ts';
import { firstLineOf } from '../../domain/outside-text.ts';
import { PAGES } from '../../domain/pages.ts';
import { withoutFullStop } from '../../domain/wording.ts';
import type { LostRow } from '../../storage/records/alerts/lost-rows.ts';
import type { Intent } from '../../storage/records/budgets/intent-table.ts';
import type { Proposal } from '../../storage/records/budgets/proposal-table.ts';

/** Something that a person should do. */
export interface Need {
  readonly kind: 'lost' | 'approval' | 'doubt';
  /** A sentence. */
  readonly words: string;
  /** A sentence with the command, for the terminal and for files. */
  readonly step: string;
  /** The page where a person acts, and the words of the link to it. */
  readonly path: string;
  readonly way: string;
}

export function needText({ words, step }: Need): string {
  return `${words} ${step}`;
}

interface Waiting {
  readonly proposals: readonly Proposal[];
  readonly open: readonly Intent[];
  /** Newest first. */
  readonly lost: readonly LostRow[];
}

export function needsYou(
  { proposals, open, lost }: Waiting,
  isShown: (one: { readonly customerId: CustomerId | undefined }) => boolean = () => true,
): Need[] {
  return [
    ...lostAlerts(lost.filter(isShown)),
    ...proposals.filter(isShown).map(({ code, from, to, currency, rule, ...subject }) => ({
      kind: 'approval' as const,
      words: `${subjectOf(subject, 'short')}: ${formatMoneyChange(from, to, currency)} awaits approval, ${makerWords(rule)}.`,
      step: `Run pacekeeper budgets approve ${code}.`,
      path: `${PAGES.inbox.path}#proposal-${code}`,
      way: 'Approve or reject',
    })),
    ...open.filter(isShown).map(({ id, from, to, currency, ...subject }) => ({
      kind: 'doubt' as const,
      words: `${subjectOf(subject, 'short')}: ${formatMoneyChange(from, to, currency)} is in doubt, B${id}.`,
      step: 'Run pacekeeper budgets reconcile.',
      path: PAGES.inbox.path,
      way: 'See what to do',
    })),
  ];
}

function lostAlerts(lost: readonly LostRow[]): Need[] {
  const newest = lost.find(({ severity }) => severity === 'critical') ?? lost[0];
  if (newest === undefined) return [];
  const alerts = lost.length === 1 ? 'An alert was not delivered' : `${lost.length} alerts were not delivered`;
  const said = withoutFullStop(firstLineOf(newest.text));
  return [
    {
      kind: 'lost',
      words: `${alerts}: ${newest.severity}, ${said}.`,
      step: 'Run pacekeeper alerts list, then pacekeeper alerts acknowledge.',
      path: PAGES.inbox.path,
      way: 'Read',
    },
  ];
}
