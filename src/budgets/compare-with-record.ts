import type { AmountInDoubt } from '../domain/budget-change.ts';
import { type CivilDate, instantText } from '../domain/civil-date.ts';
import type { BudgetId, CustomerId } from '../domain/ids.ts';
import type { Micros } from '../domain/micros.ts';
import {
  dropSuspicion,
  type ForeignChange,
  type NewSuspicion,
  recordForeignChange,
  type SuspectedChange,
  suspectChange,
  suspectedChanges,
} from '../store/budgets/foreign-change-table.ts';
import type { StateDb } from '../store/sqlite/open-state.ts';
import type { BudgetDeps } from './budget-deps.ts';
import type { BudgetBook } from './read-budgets.ts';

/** Our record of a budget. */
export interface Expected {
  readonly to: Micros;
  /** Instant, UTC: when we learned of it. Undefined where nothing of ours can be on its way: no reading is older than that. */
  readonly at: string | undefined;
  /** The change that is being carried out, for the record of what came in its way. */
  readonly intentId?: bigint;
}

/** A reading compared with our record. */
export interface ComparedBudgets {
  readonly inDoubt: ReadonlyMap<BudgetId, AmountInDoubt>;
  /** Changes by others that are certain now. */
  readonly foreign: readonly ForeignChange[];
  /** To write down: new suspicions, and those that are over. */
  readonly suspected: readonly NewSuspicion[];
  readonly cleared: readonly BudgetId[];
}

/**
 * Compares a reading of an account's budgets with our record; writes nothing. A reading may be older than our last change. So
 * another amount is a suspicion first, and somebody else's change once a second reading says the same, after the lag has passed
 * since the first one and since our change. Declared amounts are a file's and never old.
 */
export async function compareWithRecord(
  { db, clock, readLagMs }: Pick<BudgetDeps, 'clock' | 'readLagMs'> & { readonly db: StateDb },
  book: Pick<BudgetBook, 'amounts' | 'source' | 'declared'>,
  customerId: CustomerId,
  record: ReadonlyMap<BudgetId, Expected>,
  accountDay: CivilDate,
): Promise<ComparedBudgets> {
  const nowMs = clock.now();
  const known = await suspectedChanges(db, customerId);
  const inDoubt = new Map<BudgetId, AmountInDoubt>();
  const foreign: ForeignChange[] = [];
  const suspected: NewSuspicion[] = [];
  const cleared: BudgetId[] = [];
  for (const [budgetId, { to: expected, at, intentId }] of record) {
    const found = book.amounts.get(budgetId);
    const before = known.get(budgetId);
    if (found === undefined) continue;
    if (found === expected) {
      if (before) cleared.push(budgetId);
      continue;
    }
    const isSame = before?.found === found && before.expected === expected && Date.parse(before.seenAt) <= nowMs;
    const first = isSame ? before : undefined;
    const isOurs = book.source === 'read' && at !== undefined;
    const certainMs = isOurs ? certainFromMs(at, first, nowMs, readLagMs) : nowMs;
    if (certainMs > nowMs) {
      inDoubt.set(budgetId, { expected, found, until: instantText(certainMs) });
      if (!isSame) suspected.push({ budgetId, accountDay, expected, found });
      continue;
    }
    const seen = { accountDay: first?.accountDay ?? accountDay, declared: book.declared.get(budgetId), intentId };
    foreign.push({ customerId, budgetId, expected, found, ...seen });
    if (before) cleared.push(budgetId);
  }
  return { inDoubt, foreign, suspected, cleared };
}

/** Writes down what a comparison came to. */
export async function writeDown(
  db: StateDb,
  customer: CustomerId,
  { foreign, suspected, cleared }: ComparedBudgets,
  nowMs: number,
): Promise<void> {
  for (const change of foreign) await recordForeignChange(db, change, nowMs);
  for (const budgetId of cleared) await dropSuspicion(db, customer, budgetId);
  for (const suspicion of suspected) await suspectChange(db, customer, suspicion, nowMs);
}

/** A change of ours that lies ahead was made before the clock was set back: it says nothing of how much time has passed. */
function certainFromMs(at: string, first: SuspectedChange | undefined, nowMs: number, readLagMs: number): number {
  const changedMs = Date.parse(at);
  const sinceMs = first === undefined ? nowMs : Date.parse(first.seenAt);
  return (changedMs > nowMs ? sinceMs : Math.max(sinceMs, changedMs)) + readLagMs;
}
