import { doubtWords, isMade } from '../domain/budget-change.ts';
import type { CivilDate } from '../domain/civil-date.ts';
import { ApiError, explainFailure } from '../domain/errors.ts';
import { formatMoney, type Micros } from '../domain/micros.ts';
import { NOT_SENT_BY_STOP } from '../domain/ports.ts';
import type { ShowInstant } from '../domain/wording.ts';
import type { DecidedChange } from '../store/budgets/decided-change.ts';
import {
  type Intent,
  insertIntent,
  intentById,
  intentsOfBudget,
  type NewIntent,
} from '../store/budgets/intent-table.ts';
import { lastSet } from '../store/budgets/past-changes.ts';
import type { StateDb } from '../store/sqlite/open-state.ts';
import { type Application, type BudgetDeps, commit, isOpen } from './budget-deps.ts';
import { applyIntents, budgetsNow } from './carry-out.ts';
import { type BudgetBook, compareWithRecord, writeDown } from './read-budgets.ts';

/** A person who acts, by name, and the reason that person gives. */
export interface Person {
  readonly by: string;
  readonly why: string;
  /** The message by which it was said, where it was one, as `replyReference` names it. */
  readonly reply?: string | undefined;
  /** The run in which it is done. */
  readonly runId?: bigint;
  /** Decides to go beyond limits; never what a message from a phone says. */
  readonly beyondLimits?: boolean;
  /** How instants are written for that person; as the record has them where it is not given. */
  readonly showInstant?: ShowInstant | undefined;
}

/** Asks the account's bounds about an undo, with the budgets as they are now; undefined when they allow it. */
export type AskBounds = (undo: NewIntent, book: BudgetBook) => Promise<Limit | undefined>;

/** What a person may decide to go beyond. */
interface Limit {
  readonly code: string;
  readonly reason: string;
}

/** Nothing was sent. */
export interface Refusal {
  readonly kind: 'refused';
  readonly code: string;
  /** One sentence for the record. */
  readonly reason: string;
  /** The same for the person, where that one reads instants otherwise. */
  readonly shown: string | undefined;
}

export type PersonalResult =
  | Refusal
  /** The intent as it is now, and what became of it. */
  | { readonly kind: 'sent'; readonly intent: Intent; readonly application: Application };

/**
 * Takes a change back: commits the inverse as an intent of its own, exempt from mode, cooldown and the once-a-day index,
 * and sends it at once by the path that every change goes. Refused when the change was not made or was undone already,
 * when the budget does not show its target any more or has a change under way, when budgets are frozen, and when the old
 * amount is outside the limits that the decision was made under, or raises the account beyond its bounds. Limits and bounds stop
 * nobody who decides to go beyond them; then the first event says which. `accountDay` tells the account's today.
 */
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
      : refused('ALREADY_DECIDED_TODAY', 'It could not be written down.');
  });
  return inserted.kind === 'refused' ? inserted : sendNow(deps, inserted.undo, accountDay);
}

/** Sends an intent that a person wanted, and says what it has come to. */
export async function sendNow(deps: BudgetDeps, intent: Intent, accountDay: () => CivilDate): Promise<PersonalResult> {
  const applications = await applyIntents(deps, intent.customerId, [intent], accountDay);
  const application = applications.get(intent.id) ?? { kind: 'unknown', reason: 'Nothing is known of it.' };
  return { kind: 'sent', intent: (await intentById(deps.state.db, intent.id)) ?? intent, application };
}

export function refused(code: string, reason: string, shown?: string): Refusal {
  return { kind: 'refused', code, reason, shown };
}

export async function readBook(
  deps: BudgetDeps,
  { customerId }: Pick<Intent, 'customerId'>,
): Promise<{ readonly kind: 'read'; readonly book: BudgetBook } | Refusal> {
  try {
    return { kind: 'read', book: await budgetsNow(deps, customerId) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return refused('NOT_READ', `The budget could not be read: ${explainFailure(error)}`);
  }
}

async function refusalOf(
  trx: StateDb,
  deps: BudgetDeps,
  chosen: Intent,
  book: BudgetBook,
  accountDay: CivilDate,
): Promise<Refusal | undefined> {
  // As it is now: the caller may have read it a while ago.
  const intent = (await intentById(trx, chosen.id)) ?? chosen;
  const { id, budgetId, currency, to } = intent;
  const money = (amount: Micros) => formatMoney(amount, currency);
  if (!isMade(intent))
    return refused('NOT_MADE', `B${id} is ${intent.state}: only a change that was made can be undone.`);
  const ofBudget = await intentsOfBudget(trx, intent.customerId, budgetId);
  const undone = ofBudget.find((other) => other.undoes === id && isMade(other));
  if (undone) return refused('UNDONE_ALREADY', `B${id} was undone already by ${undone.actor}, as B${undone.id}.`);
  const open = ofBudget.find(isOpen);
  if (open) {
    return refused('OUTCOME_OPEN', underWayWords(open));
  }
  if (book.removed.has(budgetId)) return refused('BUDGET_REMOVED', `Budget ${budgetId} was removed.`);
  const live = amountIn(book, intent);
  if (typeof live === 'object') return live;
  const record = await lastSet(trx, intent.customerId, budgetId);
  const compared = await compareWithRecord({ ...deps, db: trx }, book, intent.customerId, record, accountDay);
  await writeDown(trx, intent.customerId, compared, deps.clock.now());
  const doubt = compared.inDoubt.get(budgetId);
  if (doubt) return refused('AMOUNT_IN_DOUBT', `Budget ${budgetId} ${doubtWords(doubt, currency)}.`);
  if (live !== to) {
    const since = ofBudget.find((other) => other.id > id && isMade(other) && other.to === live);
    const who = since ? `${since.actor} changed it since, as B${since.id}` : 'someone else changed it since';
    return refused('FOREIGN_CHANGE', `B${id} set ${money(to)}, and the budget is now ${money(live)}: ${who}.`);
  }
  return undefined;
}

export function underWayWords({ id, state }: Intent): string {
  return `B${id} of the same budget is ${state}: run "pacekeeper budgets reconcile" first.`;
}

/** The budget's amount by the reading. Refused where nobody knows it: one that was read does not stand for one that is declared. */
export function amountIn(book: BudgetBook, { budgetId, amountSource }: DecidedChange): Micros | Refusal {
  const live = book.amounts.get(budgetId);
  if (live !== undefined && !(book.source === 'declared' && amountSource === 'read')) return live;
  return refused('NOT_READ', `Budget ${budgetId} is not among those that could be read, so nobody knows its amount.`);
}

const GO_BEYOND = '"--beyond-limits --by NAME" undoes it all the same.';

/** The limit of the decision that the old amount is outside of. */
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

/** What a person's intent has of the change that it is about, and of the reading that it is made on. */
export function aboutChange(change: DecidedChange, book: BudgetBook, accountDay: CivilDate) {
  const { customerId, budgetId, campaignId, campaignName, currency, rule, ruleVersion, floor, ceiling } = change;
  const budget = { customerId, budgetId, campaignId, campaignName, currency, accountDay };
  const reading = { amountSource: book.source, declared: book.declared.get(budgetId) };
  return { ...budget, ...reading, rule, ruleVersion, floor, ceiling };
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
