import type { CustomerId } from '../../domain/ids.ts';
import { formatMoney, type Micros } from '../../domain/micros.ts';
import { headText, type RecordHead } from '../../store/budgets/audit-chain.ts';
import { bullets, count, oneLine, section, type TextLayout, wrapText } from '../../text/text-layout.ts';
import { toJson } from '../../text/to-json.ts';

/** What proving the audit trail has shown. */
export interface AuditResult {
  readonly events: number;
  /** The last event: who keeps it elsewhere can prove later that nothing was taken from the end. */
  readonly head: RecordHead;
  /** Budgets that the trail tells of. */
  readonly budgets: number;
  /** Budgets whose amount of today was read and compared. */
  readonly compared: number;
  /** One sentence each: where the chain is broken, and where our own tables tell another story than the events. */
  readonly brokenLinks: readonly string[];
  readonly differences: readonly string[];
  /** Budgets that have another amount today, which is nothing against the record. */
  readonly changedElsewhere: readonly ChangedElsewhere[];
  /** One sentence each. */
  readonly notes: readonly string[];
  readonly failures: readonly string[];
}

interface ChangedElsewhere {
  readonly customerId: CustomerId;
  /** Of the account. */
  readonly name: string | undefined;
  readonly currency: string | undefined;
  readonly budgetId: string;
  readonly found: Micros;
  readonly recorded: bigint;
  readonly eventId: bigint;
  /** A change of ours without an answer, which may be what is seen. */
  readonly unanswered: bigint | undefined;
}

/** Whether the record is whole: nobody altered it, and our own tables tell the same. */
export function isWhole({ brokenLinks, differences }: AuditResult): boolean {
  return brokenLinks.length + differences.length === 0;
}

/** Whether the record is whole and gives the amounts of today. */
export function isProven(result: AuditResult): boolean {
  return isWhole(result) && result.failures.length + result.changedElsewhere.length === 0;
}

export function renderAudit(result: AuditResult, layout: TextLayout): string {
  const blocks = [
    section('Broken links', bullets(result.brokenLinks, layout), layout),
    section('Differences', bullets(result.differences, layout), layout),
    section('Notes', bullets(result.notes, layout), layout),
    section('Failed', bullets(result.failures, layout), layout),
    wrapText(verdictOf(result), layout.width, '', ''),
    wrapText(`Head: ${headText(result.head)}`, layout.width, '', ''),
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

function verdictOf(result: AuditResult): string {
  const { events, changedElsewhere, failures } = result;
  const others = changedElsewhere.length;
  const elsewhere =
    others === 0
      ? ''
      : ` ${count(others, 'budget has', 'budgets have')} another amount today: ${changedElsewhere.map(otherAmount).join(' ')} The next report writes ${others === 1 ? 'it' : 'them'} down.`;
  if (!isWhole(result))
    return `The record is not sound: ${count(events, 'event')} read, ${amountsOf(result)}.${elsewhere}`;
  if (others > 0) return `The record is whole.${elsewhere}`;
  const whole = `${count(events, 'event')} in one unbroken chain, ${amountsOf(result)}.`;
  return failures.length === 0
    ? `The record is sound: ${whole}`
    : `The record is whole, and not every amount of today could be compared: ${whole}`;
}

function amountsOf({ budgets, compared, changedElsewhere }: AuditResult): string {
  const same = compared - changedElsewhere.length;
  if (compared === 0) return `${count(budgets, 'budget')}, none compared with today's amount`;
  const have = same === 1 && compared === 1 ? 'budget has' : 'budgets have';
  return `${same.toLocaleString('en-US')} of ${count(budgets, have, have)} the amount that the record gives`;
}

function otherAmount({ budgetId, customerId, name, currency, found, recorded, unanswered }: ChangedElsewhere): string {
  const account = name === undefined ? `account ${customerId}` : `${oneLine(name)} (${customerId})`;
  const amounts = `${formatMoney(found, currency)}, by the record ${formatMoney(recorded, currency)}`;
  const why = unanswered === undefined ? 'someone else changed it' : `B${unanswered} is without an answer`;
  return `budget ${budgetId} of ${account}: ${amounts}; ${why}.`;
}

export function renderAuditJson(result: AuditResult): string {
  const { events, head, budgets, compared, brokenLinks, differences, notes, failures } = result;
  const changed = result.changedElsewhere.map((one) => ({
    ...{ customer_id: one.customerId, name: one.name, budget_id: one.budgetId, currency: one.currency },
    ...{ found_micros: one.found, recorded_micros: one.recorded, event_id: one.eventId },
    unanswered_intent_id: one.unanswered,
  }));
  return toJson({
    sound: isWhole(result) && failures.length === 0,
    events,
    head: head.hash,
    budgets,
    compared,
    ...{ broken_links: brokenLinks, differences, changed_elsewhere: changed, notes, failures },
    record_head: headText(head),
  });
}
