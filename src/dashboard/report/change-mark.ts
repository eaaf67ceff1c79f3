import { linkFrom, pathOf } from '../../domain/pages.ts';
import type { Mark } from '../../views/html/chart/plot.ts';
import { line } from '../../views/html/parts.ts';
import { amountText } from '../../views/html/wording.ts';
import { referenceOf } from '../../views/report/decision-words.ts';
import type { ChangeFacts } from '../../views/report/report-facts.ts';

const NAMED_MAX = 3;

/** The changes of one day. With `here`, the path of the page, a link to the newest one. */
export function changeMark(changes: readonly ChangeFacts[], index: number, here: string | undefined): Mark[] {
  const [newest] = changes;
  const label = newest && referenceOf(newest);
  if (newest?.budgetId === undefined || label === undefined) return [];
  const more = changes.length - NAMED_MAX;
  const words = changes.slice(0, NAMED_MAX).map((change) => {
    const { subject, campaignName, from, to, currency } = change;
    return `${referenceOf(change)}, ${line(campaignName ?? subject)}: ${amountText(from, currency)} → ${amountText(to, currency)}`;
  });
  const page = pathOf('budget', { customer: newest.customerId, budget: newest.budgetId });
  return [
    {
      index,
      words: [...words, ...(more > 0 ? [`and ${more} more`] : [])].join('\n'),
      label: changes.length > 1 ? `${label} +${changes.length - 1}` : label,
      href: here === undefined ? undefined : `${linkFrom(here, page)}#${label}`,
    },
  ];
}
