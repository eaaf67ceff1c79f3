import { ApiError, explainFailure } from '../../domain/errors.ts';
import { type CustomerId, customerId } from '../../domain/ids.ts';
import { formatMoney, type Micros } from '../../domain/micros.ts';
import { findAccounts } from '../../engine/accounts/find-accounts.ts';
import type { App, StateApp } from '../../engine/app.ts';
import { readBudgets } from '../../engine/budgets/read-budgets.ts';
import type { Replay } from '../../engine/budgets/replay-events.ts';
import { compareAmounts, verifyAudit } from '../../engine/budgets/verify-audit.ts';
import { headText, holdsHead, type RecordHead } from '../../storage/records/budgets/record-head.ts';
import { bullets, count, oneLine, section, type TextLayout, wrapText } from '../../views/text/text-layout.ts';
import { toJson } from '../../views/text/to-json.ts';
import type { CommandApp } from '../cli/command.ts';
import { textLayout } from '../cli/output.ts';
import { EXIT } from '../cli/print-error.ts';
import type { VerifyOptions } from './audit-command.ts';

export async function runVerify(app: CommandApp<'all' | 'state'>, { head, format }: VerifyOptions): Promise<number> {
  const { output } = app;
  const found = await app.open((opened) => verify(opened, head));
  output.stdout.write(format === 'json' ? `${renderAuditJson(found)}\n` : renderAudit(found, textLayout(output)));
  return isProven(found) ? EXIT.done : EXIT.failed;
}

async function verify(opened: App | StateApp, kept: RecordHead | undefined): Promise<AuditResult> {
  const { events, head, broken, differences, replayed, isLedgerAlone } = await verifyAudit(opened.state);
  const today = 'ads' in opened ? await compareToday(opened, replayed) : NOT_ASKED;
  const isHeld = kept === undefined || (await holdsHead(opened.state.db, kept));
  return {
    ...today,
    events,
    head,
    brokenLinks: broken.map(({ sentence }) => sentence),
    differences: isHeld ? differences : [...differences, notHeld(kept)],
    budgets: replayed.amounts.size,
    notes: [
      ...(isLedgerAlone ? [LEDGER_ALONE] : []),
      ...today.notes,
      ...(kept !== undefined && isHeld ? [`The record contains ${headText(kept)}.`] : []),
    ],
  };
}

const LEDGER_ALONE =
  'The chain of events is sound. Only the ledger differs. Run pacekeeper unfreeze to rebuild the ledger from the events.';

function notHeld(kept: RecordHead): string {
  return `The record does not contain ${headText(kept)}. It was altered, or it is another record.`;
}

type Today = Pick<AuditResult, 'compared' | 'changedElsewhere' | 'notes' | 'failures'>;

const NOT_COMPARED = { compared: 0, changedElsewhere: [], notes: [], failures: [] };
const NOT_ASKED = { ...NOT_COMPARED, notes: ["Today's amounts were not compared, because --offline is set."] };

async function compareToday(app: App, replayed: Replay): Promise<Today> {
  const customers = [...new Set([...replayed.amounts.values()].map((one) => customerId(one.customerId)))];
  if (customers.length === 0) return NOT_COMPARED;
  const { ads } = app;
  if (!ads)
    return {
      ...NOT_COMPARED,
      notes: ["The advertising interface is not configured, so today's amounts were not compared."],
    };
  const accounts = await findAccounts(app, ads, customers, 'skipped');
  const changedElsewhere: AuditResult['changedElsewhere'][number][] = [];
  const isFound = (id: CustomerId) => accounts.found.some(({ customerId: one }) => one === id);
  const absent = accounts.failures.length > 0 ? [] : customers.filter((id) => !isFound(id));
  const notes = absent.map((id) => `Account ${id} is excluded or not found, so its budgets were not compared.`);
  const failures = [...accounts.failures];
  let compared = 0;
  for (const { customerId: customer, name, currency, failure } of accounts.found) {
    if (failure !== undefined) continue;
    try {
      const book = await readBudgets({ ads, db: app.state.db, clock: app.clock }, customer, new Map());
      if (book.source === 'declared')
        notes.push(`The service does not show the budgets of account ${customer}, so they were not compared.`);
      else {
        compared += [...replayed.amounts.values()].filter((one) => one.customerId === customer).length;
        const others = compareAmounts(replayed, customer, book.amounts);
        changedElsewhere.push(...others.map((other) => ({ ...other, name, currency })));
      }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      failures.push(`The budgets of account ${customer} could not be read: ${explainFailure(error)}`);
    }
  }
  return { compared, changedElsewhere, notes, failures: failures.map(app.redact) };
}

export interface AuditResult {
  readonly events: number;
  /** The newest event. A copy kept elsewhere later proves that no event up to this one was removed. */
  readonly head: RecordHead;
  readonly budgets: number;
  readonly compared: number;
  readonly brokenLinks: readonly string[];
  readonly differences: readonly string[];
  readonly changedElsewhere: readonly ChangedElsewhere[];
  readonly notes: readonly string[];
  readonly failures: readonly string[];
}

interface ChangedElsewhere {
  readonly customerId: CustomerId;
  readonly name: string | undefined;
  readonly currency: string | undefined;
  readonly budgetId: string;
  readonly found: Micros;
  readonly recorded: bigint;
  readonly eventId: bigint;
  /** Id of a change with an unknown outcome, which could explain the difference. */
  readonly unanswered: bigint | undefined;
}

export function isWhole({ brokenLinks, differences }: AuditResult): boolean {
  return brokenLinks.length + differences.length === 0;
}

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
      : ` ${count(others, 'budget has', 'budgets have')} a different amount today: ${changedElsewhere.map(otherAmount).join(' ')} The next report records ${others === 1 ? 'it' : 'them'}.`;
  if (!isWhole(result))
    return `The record is not sound: ${count(events, 'event')} read, ${amountsOf(result)}.${elsewhere}`;
  if (others > 0) return `The record is intact.${elsewhere}`;
  const whole = `${count(events, 'event')} in one unbroken chain, ${amountsOf(result)}.`;
  return failures.length === 0
    ? `The record is sound: ${whole}`
    : `The record is intact, but some of today's amounts could not be compared: ${whole}`;
}

function amountsOf({ budgets, compared, changedElsewhere }: AuditResult): string {
  const same = compared - changedElsewhere.length;
  if (compared === 0) return `${count(budgets, 'budget')}, none compared with today's amount`;
  const have = same === 1 && compared === 1 ? 'budget has' : 'budgets have';
  return `${same.toLocaleString('en-US')} of ${count(budgets, have, have)} the recorded amount`;
}

function otherAmount({ budgetId, customerId, name, currency, found, recorded, unanswered }: ChangedElsewhere): string {
  const account = name === undefined ? `account ${customerId}` : `${oneLine(name)} (${customerId})`;
  const amounts = `${formatMoney(found, currency)}, recorded ${formatMoney(recorded, currency)}`;
  const why = unanswered === undefined ? 'someone else changed it' : `the outcome of B${unanswered} is unknown`;
  return `budget ${budgetId} of ${account}: ${amounts}; ${why}.`;
}

export function renderAuditJson(result: AuditResult): string {
  const { events, head, budgets, compared, brokenLinks, differences, notes, failures } = result;
  const changed = result.changedElsewhere.map((one) => ({
    customer_id: one.customerId,
    name: one.name,
    budget_id: one.budgetId,
    currency: one.currency,
    found_micros: one.found,
    recorded_micros: one.recorded,
    event_id: one.eventId,
    unanswered_intent_id: one.unanswered,
  }));
  return toJson({
    sound: isWhole(result) && failures.length === 0,
    events,
    head: head.hash,
    budgets,
    compared,
    broken_links: brokenLinks,
    differences,
    changed_elsewhere: changed,
    notes,
    failures,
    record_head: headText(head),
  });
}
