import { doubtWords, isMade } from '../../domain/budget-change.ts';
import type { CivilDate } from '../../domain/civil-date.ts';
import { ApiError, explainFailure } from '../../domain/errors.ts';
import { formatMoney, type Micros } from '../../domain/micros.ts';
import { NOT_SENT_BY_STOP } from '../../domain/ports.ts';
import type { ShowInstant } from '../../domain/wording.ts';
import type { DecidedChange } from '../../storage/records/budgets/decided-change.ts';
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
import { type Application, type BudgetDeps, isOpen } from './budget-deps.ts';
import { applyIntents, budgetsNow } from './carry-out.ts';
import { compareWithRecord, writeDown } from './compare-budgets.ts';
import type { BudgetBook } from './read-budgets.ts';

export interface Person {
  readonly by: string;
  readonly why: string;
  /** Identifies the message in which the person decided. */
  readonly reply?: string | undefined;
  readonly runId?: bigint;
  /** True if the person overrides limits. A reply from a phone can never override limits. */
  readonly beyondLimits?: boolean;
  /** If undefined, times are in UTC. */
  readonly showInstant?: ShowInstant | undefined;
}

/** Checks the bounds of the account with current budgets. Undefined means allowed. */
export type AskBounds = (undo: NewIntent, book: BudgetBook) => Promise<Limit | undefined>;

interface Limit {
  readonly code: string;
  readonly reason: string;
}

export interface Refusal {
  readonly kind: 'refused';
  readonly code: string;
  readonly reason: string;
  /** The same reason, with times in the person's time zone. */
  readonly shown: string | undefined;
}

export type PersonalResult =
  | Refusal
  | { readonly kind: 'sent'; readonly intent: Intent; readonly application: Application };

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

export async function sendNow(deps: BudgetDeps, intent: Intent, accountDay: () => CivilDate): Promise<PersonalResult> {
  const applications = await applyIntents(deps, intent.customerId, [intent], accountDay);
  const application = applications.get(intent.id) ?? { kind: 'unknown', reason: 'Its outcome is unknown.' };
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
  const live = amountIn(book, intent);
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

export function underWayWords({ id, state }: Intent): string {
  return `B${id} of the same budget is ${state}. Run "pacekeeper budgets reconcile" first.`;
}

/** Refuses a declared amount if the change was decided on an amount from the service. */
export function amountIn(book: BudgetBook, { budgetId, amountSource }: DecidedChange): Micros | Refusal {
  const live = book.amounts.get(budgetId);
  if (live !== undefined && !(book.source === 'declared' && amountSource === 'read')) return live;
  const why = book.unreadable.get(budgetId)?.total
    ? 'is now a total budget (CUSTOM_PERIOD), which has no daily amount'
    : 'could not be read, so its amount is not known';
  return refused('NOT_READ', `Budget ${budgetId} ${why}.`);
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
