import { ApiError, explainFailure } from '../../domain/errors.ts';
import { type CustomerId, customerId } from '../../domain/ids.ts';
import type { Micros } from '../../domain/micros.ts';
import { findAccounts } from '../../engine/accounts/find-accounts.ts';
import type { App, StateApp } from '../../engine/app.ts';
import { readBudgets } from '../../engine/budgets/read-budgets.ts';
import type { Replay } from '../../engine/budgets/replay-events.ts';
import { compareAmounts, verifyAudit } from '../../engine/budgets/verify-audit.ts';
import { BUDGET, CURRENCY, CUSTOMER } from '../../storage/columns/budget-columns.ts';
import { type Column, id, money, text } from '../../storage/columns/column.ts';
import { headText, holdsHead, type RecordHead } from '../../storage/records/budgets/record-head.ts';
import { type Listing, part, sentences } from '../../views/kit/listing.ts';
import { FAILED, NOTES } from '../../views/rule-parts.ts';
import { count } from '../../views/text/text-layout.ts';
import type { CommandApp } from '../cli/command.ts';
import { EXIT } from '../cli/print-error.ts';
import { listingIn } from '../cli/print-listing.ts';
import type { VerifyOptions } from './audit-command.ts';

export async function runVerify(app: CommandApp<'all' | 'state'>, { head, format }: VerifyOptions): Promise<number> {
  const { output } = app;
  const found = await app.open((opened) => verify(opened, head));
  output.stdout.write(listingIn(format, AUDIT_VERIFY, found, output));
  const isProven = isWhole(found) && found.failures.length + found.changedElsewhere.length === 0;
  return isProven ? EXIT.done : EXIT.failed;
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
        changedElsewhere.push(...others.map((other) => ({ ...other, accountName: name, currency })));
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
  readonly accountName: string | undefined;
  readonly currency: string | undefined;
  readonly budgetId: string;
  readonly found: Micros;
  readonly recorded: bigint;
  readonly eventId: bigint;
  /** Id of a change with an unknown outcome, which could explain the difference. */
  readonly unanswered: bigint | undefined;
}

function isWhole({ brokenLinks, differences }: AuditResult): boolean {
  return brokenLinks.length + differences.length === 0;
}

const ELSEWHERE_COLUMNS: readonly Column<ChangedElsewhere>[] = [
  CUSTOMER,
  text('name', 'The name of the account.', 'accountName'),
  { ...BUDGET, title: 'Budget' },
  CURRENCY,
  money('found_micros', 'The amount today.', 'found', { title: 'Today' }),
  money('recorded_micros', 'The amount in the record.', 'recorded', { title: 'Recorded' }),
  id('event_id', 'The event that records the amount.', 'eventId'),
  id('unanswered_intent_id', 'A change with an unknown outcome, which could be the cause.', 'unanswered', {
    title: 'In doubt',
    shown: ({ unanswered }) => (unanswered === undefined ? 'no, someone else changed it' : `B${unanswered}`),
  }),
];

const AUDIT_VERIFY: Listing<AuditResult> = {
  name: 'audit verify',
  about: 'A check of the record of budget changes.',
  json: (result) => ({
    sound: isWhole(result) && result.failures.length === 0,
    events: result.events,
    head: result.head.hash,
    budgets: result.budgets,
    compared: result.compared,
    broken_links: result.brokenLinks,
    differences: result.differences,
    notes: result.notes,
    failures: result.failures,
    record_head: headText(result.head),
  }),
  parts: [
    sentences('Broken links', ({ brokenLinks }) => brokenLinks),
    sentences('Differences', ({ differences }) => differences),
    part({
      json: 'changed_elsewhere',
      title: 'Budgets with a different amount today',
      columns: ELSEWHERE_COLUMNS,
      rows: ({ changedElsewhere }) => changedElsewhere,
    }),
    NOTES,
    FAILED,
  ],
  after: (result) => [verdictOf(result), `Head: ${headText(result.head)}`],
};

function verdictOf(result: AuditResult): string {
  const { events, changedElsewhere, failures } = result;
  if (!isWhole(result)) return `The record is not sound: ${count(events, 'event')} read, ${amountsOf(result)}.`;
  const whole = `${count(events, 'event')} in one unbroken chain, ${amountsOf(result)}.`;
  if (changedElsewhere.length > 0) return `The record is intact: ${whole} The next report records the other amounts.`;
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
