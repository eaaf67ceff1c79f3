import type { AmountInDoubt } from '../../domain/budget-change.ts';
import { type CivilDate, instantText } from '../../domain/civil-date.ts';
import type { BudgetId, CustomerId } from '../../domain/ids.ts';
import type { Micros } from '../../domain/micros.ts';
import {
  dropSuspicion,
  type ForeignChange,
  type NewSuspicion,
  recordForeignChange,
  type SuspectedChange,
  suspectChange,
  suspectedChanges,
} from '../../storage/records/budgets/foreign-change-table.ts';
import {
  type Intent,
  type IntentStep,
  moveIntent,
  unprovenRefusals,
} from '../../storage/records/budgets/intent-table.ts';
import { hadUntil, lastSet } from '../../storage/records/budgets/past-changes.ts';
import { lastReadings } from '../../storage/records/budgets/reading-table.ts';
import type { StateDb } from '../../storage/records/record-store.ts';
import { moveOn, type Recording } from './move-on.ts';
import type { BudgetBook } from './read-budgets.ts';

export interface Expected {
  readonly to: Micros;
  /** UTC time of our latest change or request. Without one, see `readAt`. */
  readonly at?: string | undefined;
  /** UTC time of the last reading of a budget that the record does not know. Without one, no amount is in doubt. */
  readonly readAt?: string | undefined;
  readonly intentId?: bigint;
}

/** The last recorded amount of each budget. For a budget that nobody is known to have changed, the last amount read. */
export async function expectedAmounts(db: StateDb, customer: CustomerId): Promise<Map<BudgetId, Expected>> {
  const readings = await lastReadings(db, customer);
  return new Map<BudgetId, Expected>([...readings, ...(await lastSet(db, customer))]);
}

export interface ComparedBudgets {
  readonly inDoubt: ReadonlyMap<BudgetId, AmountInDoubt>;
  readonly foreign: readonly ForeignChange[];
  readonly suspected: readonly NewSuspicion[];
  readonly cleared: readonly BudgetId[];
  readonly refusals: ReadonlyMap<BudgetId, JudgedRefusal>;
}

/**
 * A different amount is only in doubt at first, because the service can show a change late. An amount that contradicts
 * our own change must be read twice, with one lag between. One that contradicts the last reading was set in between if
 * this reading began at least one lag later. Otherwise the older of the two may have been shown last.
 */
export async function compareWithRecord(
  { db, readLagMs }: { readonly db: StateDb; readonly readLagMs: number },
  book: Pick<BudgetBook, 'amounts' | 'source' | 'declared' | 'removed' | 'readAt'>,
  customerId: CustomerId,
  record: ReadonlyMap<BudgetId, Expected>,
  accountDay: CivilDate,
): Promise<ComparedBudgets> {
  const nowMs = Date.parse(book.readAt);
  const known = await suspectedChanges(db, customerId);
  const refusals = await judgeRefusals({ db, readLagMs }, book, customerId);
  const inDoubt = new Map<BudgetId, AmountInDoubt>();
  const foreign: ForeignChange[] = [];
  const suspected: NewSuspicion[] = [];
  const cleared: BudgetId[] = [];
  for (const [budgetId, { to: expected, at, readAt, intentId }] of record) {
    const found = book.amounts.get(budgetId);
    const before = known.get(budgetId);
    if (found === undefined || book.removed.has(budgetId)) continue;
    const refused = refusals.get(budgetId)?.outcome;
    if (refused?.kind === 'in_doubt') inDoubt.set(budgetId, { expected, found, until: refused.until });
    if (refused?.kind === 'in_doubt' || refused?.kind === 'made') continue;
    if (found === expected) {
      if (before) cleared.push(budgetId);
      continue;
    }
    const isSame = before?.found === found && before.expected === expected && Date.parse(before.seenAt) <= nowMs;
    const first = isSame ? before : undefined;
    const certainMs = book.source === 'read' ? certainFromMs({ at, readAt }, first, nowMs, readLagMs) : nowMs;
    if (certainMs > nowMs) {
      inDoubt.set(budgetId, { expected, found, until: instantText(certainMs) });
      if (!isSame) suspected.push({ budgetId, accountDay, expected, found });
      continue;
    }
    const seen = {
      accountDay: first?.accountDay ?? accountDay,
      declared: book.declared.get(budgetId),
      expectedAt: readAt,
      intentId,
    };
    foreign.push({ customerId, budgetId, expected, found, ...seen });
    if (before) cleared.push(budgetId);
  }
  return { inDoubt, foreign, suspected, cleared, refusals };
}

export async function writeDown(
  db: StateDb,
  customer: CustomerId,
  { foreign, suspected, cleared, refusals }: ComparedBudgets,
  recording: Recording,
): Promise<void> {
  const nowMs = recording.clock.now();
  await recordRefusals(db, recording, refusals);
  for (const change of foreign) await recordForeignChange(db, change, nowMs);
  for (const budgetId of cleared) await dropSuspicion(db, customer, budgetId);
  for (const suspicion of suspected) await suspectChange(db, customer, suspicion, nowMs);
}

/** From this time, in milliseconds, a different amount proves a change by someone else. */
function certainFromMs(
  { at, readAt }: Pick<Expected, 'at' | 'readAt'>,
  first: SuspectedChange | undefined,
  nowMs: number,
  readLagMs: number,
): number {
  if (at === undefined && readAt === undefined) return nowMs;
  const sinceMs = first === undefined ? nowMs : Date.parse(first.seenAt);
  const knownMs = Date.parse(at ?? readAt ?? '');
  // After the clock was set back, a change or reading can have a time in the future. Ignore such a time.
  if (knownMs > nowMs) return sinceMs + readLagMs;
  return (at === undefined ? knownMs : Math.max(sinceMs, knownMs)) + readLagMs;
}

/**
 * A refusal proves nothing: a gateway can apply a change and then answer with an error. So a refused change counts for the
 * day, the cooldown and the drift, until a reading shows the outcome.
 *
 * - The new amount means that the change was made. But if the budget had this amount shortly before, the reading may be
 *   older than the change.
 * - Any other amount means that it was not made. For this, the reading must have begun one lag after the request.
 * - After a later change on record, no reading tells anything of the refused one. The later change counts instead.
 */
interface JudgedRefusal {
  readonly intent: Intent;
  /** `in_doubt`: a read after `until` shows the outcome. */
  readonly outcome: { readonly kind: 'made' | 'unmade' } | { readonly kind: 'in_doubt'; readonly until: string };
}

async function judgeRefusals(
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

async function recordRefusals(
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
