import { doubtWords, isMade } from '../../domain/budget-change.ts';
import type { CivilDate } from '../../domain/civil-date.ts';
import { formatMoney, type Micros } from '../../domain/micros.ts';
import { NOT_SENT_BY_STOP } from '../../domain/ports.ts';
import {
  type Intent,
  insertIntent,
  intentById,
  intentsOfBudget,
  type NewIntent,
} from '../../storage/records/budgets/intent-table.ts';
import { lastSet } from '../../storage/records/budgets/past-changes.ts';
import { commit } from '../../storage/records/in-transaction.ts';
import type { StateDb } from '../../storage/records/record-store.ts';
import { type BudgetDeps, isOpen } from './budget-deps.ts';
import { compareWithRecord, writeDown } from './compare-budgets.ts';
import {
  aboutChange,
  amountInBook,
  type Person,
  type PersonalResult,
  type Refusal,
  readBook,
  refused,
  sendNow,
  underWayWords,
} from './personal-change.ts';
import type { BudgetBook } from './read-budgets.ts';

/** Checks the bounds of the account with current budgets. Undefined means allowed. */
export type AskBounds = (undo: NewIntent, book: BudgetBook) => Promise<Limit | undefined>;

interface Limit {
  readonly code: string;
  readonly reason: string;
}

/** Commits the inverse change, then sends it. The limit of one change per day does not apply. */
export async function undoIntent(
  deps: BudgetDeps,
  intent: Intent,
  person: Person,
  accountDay: () => CivilDate,
  askBounds: AskBounds = async () => undefined,
): Promise<PersonalResult> {
  const frozen = await deps.frozen();
  if (frozen !== undefined) return refused('FROZEN', `Budget changes are ${frozen}.`);
  if (deps.stop?.aborted) return refused('STOPPED', NOT_SENT_BY_STOP);
  const read = await readBook(deps, intent);
  if (read.kind === 'refused') return read;
  const inverse = inverseOf(intent, person, read.book, accountDay());
  const limit = limitOf(intent) ?? (await askBounds(inverse, read.book));
  const inserted = await commit(deps, 'undo', async (trx) => {
    const refusal = await refusalOf(trx, deps, intent, read.book, accountDay());
    if (refusal) return refusal;
    if (limit && !person.beyondLimits) return refused(limit.code, `${limit.reason} ${GO_BEYOND}`);
    const undo = await insertIntent(trx, undefined, { ...inverse, beyondLimits: limit?.code }, deps.clock.now());
    return undo
      ? ({ kind: 'inserted', undo } as const)
      : refused('ALREADY_DECIDED_TODAY', 'The change could not be recorded.');
  });
  return inserted.kind === 'refused' ? inserted : sendNow(deps, inserted.undo, accountDay);
}

async function refusalOf(
  trx: StateDb,
  deps: BudgetDeps,
  chosen: Intent,
  book: BudgetBook,
  accountDay: CivilDate,
): Promise<Refusal | undefined> {
  // Read the change again, because the caller's copy can be old.
  const intent = (await intentById(trx, chosen.id)) ?? chosen;
  const { id, budgetId, currency, to } = intent;
  const money = (amount: Micros) => formatMoney(amount, currency);
  if (!isMade(intent))
    return refused('NOT_MADE', `B${id} is ${intent.state}. You can undo only a change that was made.`);
  const ofBudget = await intentsOfBudget(trx, intent.customerId, budgetId);
  const undone = ofBudget.find((other) => other.undoes === id && isMade(other));
  if (undone) return refused('UNDONE_ALREADY', `B${id} was already undone by ${undone.actor}, as B${undone.id}.`);
  const open = ofBudget.find(isOpen);
  if (open) {
    return refused('OUTCOME_OPEN', underWayWords(open));
  }
  if (book.removed.has(budgetId)) return refused('BUDGET_REMOVED', `Budget ${budgetId} was removed.`);
  const live = amountInBook(book, intent);
  if (typeof live === 'object') return live;
  const record = await lastSet(trx, intent.customerId, budgetId);
  const compared = await compareWithRecord({ ...deps, db: trx }, book, intent.customerId, record, accountDay);
  await writeDown(trx, intent.customerId, compared, deps);
  const doubt = compared.inDoubt.get(budgetId);
  if (doubt) return refused('AMOUNT_IN_DOUBT', `Budget ${budgetId} ${doubtWords(doubt, currency)}.`);
  if (live !== to) {
    const since = ofBudget.find((other) => other.id > id && isMade(other) && other.to === live);
    const who = since ? `${since.actor} changed it since, as B${since.id}` : 'someone else changed it since';
    return refused('FOREIGN_CHANGE', `B${id} set ${money(to)}, and the budget is now ${money(live)}: ${who}.`);
  }
  return undefined;
}

const GO_BEYOND = 'Add "--beyond-limits --by NAME" to undo it anyway.';

function limitOf({ currency, from, floor, ceiling }: Intent): Limit | undefined {
  const money = (amount: Micros) => formatMoney(amount, currency);
  if (floor !== undefined && from < floor) {
    return { code: 'AT_FLOOR', reason: `The old amount of ${money(from)} is below the floor of ${money(floor)}.` };
  }
  if (ceiling !== undefined && from > ceiling) {
    return {
      code: 'AT_CEILING',
      reason: `The old amount of ${money(from)} is above the ceiling of ${money(ceiling)}.`,
    };
  }
  return undefined;
}

function inverseOf(intent: Intent, { by, why }: Person, book: BudgetBook, accountDay: CivilDate): NewIntent {
  return {
    ...aboutChange(intent, book, accountDay),
    kind: 'undo',
    origin: 'undo',
    undoes: intent.id,
    actor: by,
    from: intent.to,
    to: intent.from,
    reason: `${why.trim()} (undoes B${intent.id}${intent.origin === 'approval' ? ',' : ' by'} ${intent.actor})`,
  };
}
