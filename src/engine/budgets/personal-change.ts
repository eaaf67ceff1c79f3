import { doubtWords, isLargerStep, isMade } from '../../domain/budget-change.ts';
import { type CivilDate, minuteText } from '../../domain/civil-date.ts';
import { ApiError, explainFailure, InvariantError } from '../../domain/errors.ts';
import { formatMoney, type Micros } from '../../domain/micros.ts';
import { NOT_SENT_BY_STOP } from '../../domain/ports.ts';
import type { ShowInstant } from '../../domain/wording.ts';
import type { DecidedChange } from '../../storage/records/budgets/decided-change.ts';
import { proposedOn } from '../../storage/records/budgets/decision-table.ts';
import {
  type Intent,
  insertIntent,
  intentById,
  intentsOfBudget,
  type NewIntent,
} from '../../storage/records/budgets/intent-table.ts';
import { lastSet } from '../../storage/records/budgets/past-changes.ts';
import {
  decideProposal,
  expireProposals,
  type Proposal,
  proposalByCode,
} from '../../storage/records/budgets/proposal-table.ts';
import { commit } from '../../storage/records/in-transaction.ts';
import type { StateDb } from '../../storage/records/record-store.ts';
import { type BudgetDeps, isOpen } from './budget-deps.ts';
import { applyIntents, budgetsNow } from './carry-out.ts';
import { compareWithRecord, writeDown } from './compare-budgets.ts';
import type { WithReason } from './describe-change.ts';
import type { BudgetBook } from './read-budgets.ts';

/** The person who undoes or approves a change. */
export interface Person {
  readonly by: string;
  readonly why: string;
  /** The amount that the person approves, if it is not the proposed one. */
  readonly to?: Micros | undefined;
  /** Identifies the message in which the person decided. */
  readonly reply?: string | undefined;
  readonly runId?: bigint;
  /** True if the person overrides limits. A reply from a phone can never override limits. */
  readonly beyondLimits?: boolean;
  /** If undefined, times are in UTC. */
  readonly showInstant?: ShowInstant | undefined;
}

interface Why {
  readonly code: string;
  readonly reason: string;
}

export interface Refusal extends Why {
  readonly kind: 'refused';
}

export type PersonalResult = Refusal | { readonly kind: 'sent'; readonly intent: Intent };

type Deciding = Pick<BudgetDeps, 'state' | 'clock' | 'passes'>;

/** A reason against the change. If `ends` is true, the proposal can never be approved. */
export interface Objection extends Why {
  readonly ends: boolean;
}

/** Checks the proposal again with current budgets. Undefined means allowed. */
export type Recheck = (proposal: Proposal, book: BudgetBook) => Promise<Objection | undefined>;

/** Commits the approval and the change together, then sends the change. */
export async function approveProposal(
  deps: BudgetDeps,
  code: string,
  person: Person,
  accountDay: () => CivilDate,
  recheck: Recheck,
): Promise<PersonalResult> {
  const { showInstant: show } = person;
  const found = await findOpen(deps, code, show);
  if (found.kind === 'refused') return found;
  const proposal = { ...found, to: person.to ?? found.to };
  const { to: approved, from, currency } = proposal;
  if (isLargerStep(from, found.to, approved)) {
    const proposed = `from ${formatMoney(from, currency)} to ${formatMoney(found.to, currency)}`;
    const words = `${formatMoney(approved, currency)} is no smaller step of the change ${proposed}.`;
    return refused('NOT_SMALLER', `${words} ${found.code} still awaits approval.`);
  }
  const read = await readBook(deps, proposal, show, ` ${proposal.code} still awaits approval.`);
  if (read.kind === 'refused') return read;
  const { book } = read;
  // Our own unanswered change can explain a different amount, so check for such a change first.
  const busy = underWay(await intentsOfBudget(deps.state.db, proposal.customerId, proposal.budgetId));
  if (busy) return busy;
  const gone = await supersede(deps, proposal, book, accountDay(), show);
  if (gone) return gone;
  const objection = await recheck(proposal, book);
  if (objection?.ends) return endOpen(deps, proposal, objection, show);
  if (objection) return refused(objection.code, objection.reason);
  const inserted = await commit(deps, 'approve', async (trx) => {
    const decided = await stillOpen(trx, proposal, deps.clock.now(), show);
    if (decided) return decided;
    const own = await intentsOfBudget(trx, proposal.customerId, proposal.budgetId);
    const open = underWay(own);
    if (open) return open;
    const today = accountDay();
    const { decidedOn, reasonWithoutAmounts } = await proposedOn(trx, proposal);
    const made = decisionOf({ ...proposal, reasonWithoutAmounts }, found.to, person, book, today);
    const intent = await insertIntent(trx, person.runId, { ...made, decidedOn }, deps.clock.now());
    if (!intent) return refused('ALREADY_DECIDED_TODAY', alreadyDecided(own, today));
    const { by, why, reply } = person;
    const smaller = approved === found.to ? undefined : approved;
    const decision = { state: 'approved', intentId: intent.id, approved: smaller, by, why, reply } as const;
    if (!(await decideProposal(trx, proposal.code, decision, deps.clock.now()))) {
      throw new InvariantError(`Proposal ${proposal.code} is open, but its approval could not be recorded.`);
    }
    return { kind: 'inserted', intent } as const;
  });
  return inserted.kind === 'refused' ? inserted : sendNow(deps, inserted.intent, accountDay);
}

export async function endProposal(deps: Deciding, { code }: Pick<Proposal, 'code'>, why: Why): Promise<Refusal> {
  const proposal = await findOpen(deps, code);
  return proposal.kind === 'refused' ? proposal : endOpen(deps, proposal, why);
}

export async function rejectProposal(
  deps: Deciding,
  code: string,
  person: Person,
): Promise<Refusal | { readonly kind: 'declined'; readonly proposal: Proposal }> {
  const found = await findOpen(deps, code, person.showInstant);
  if (found.kind === 'refused') return found;
  return commit(deps, 'decline', async (trx) => {
    const { by, why, reply } = person;
    const proposal = await decideProposal(trx, code, { state: 'rejected', by, why, reply }, deps.clock.now());
    if (proposal) return { kind: 'declined', proposal } as const;
    return (
      (await stillOpen(trx, found, deps.clock.now(), person.showInstant)) ??
      refused('NOT_OPEN', `Proposal ${found.code} is not open.`)
    );
  });
}

/** Checks the bounds of the account with current budgets. Undefined means allowed. */
export type AskBounds = (undo: NewIntent, book: BudgetBook) => Promise<Why | undefined>;

/** Commits the inverse change, then sends it. The limit of one change per day does not apply. */
export async function undoIntent(
  deps: BudgetDeps,
  intent: Intent,
  person: Person,
  accountDay: () => CivilDate,
  askBounds: AskBounds,
): Promise<PersonalResult> {
  const read = await readBook(deps, intent, person.showInstant);
  if (read.kind === 'refused') return read;
  const { book } = read;
  const inverse = inverseOf(intent, person, book, accountDay());
  const limit = limitOf(intent) ?? (await askBounds(inverse, book));
  const inserted = await commit(deps, 'undo', async (trx) => {
    const refusal = await whyNotUndone(trx, deps, intent, book, accountDay());
    if (refusal) return refusal;
    if (limit && !person.beyondLimits) return refused(limit.code, `${limit.reason} ${GO_BEYOND}`);
    const undo = await insertIntent(trx, undefined, { ...inverse, beyondLimits: limit?.code }, deps.clock.now());
    return undo
      ? ({ kind: 'inserted', undo } as const)
      : refused('ALREADY_DECIDED_TODAY', 'The change could not be recorded.');
  });
  return inserted.kind === 'refused' ? inserted : sendNow(deps, inserted.undo, accountDay);
}

function refused(code: string, reason: string): Refusal {
  return { kind: 'refused', code, reason };
}

/** `meanwhile` says what becomes of the change if budgets are frozen or the program was asked to stop. */
async function readBook(
  deps: BudgetDeps,
  { customerId }: DecidedChange,
  show: ShowInstant | undefined,
  meanwhile = '',
): Promise<{ readonly kind: 'read'; readonly book: BudgetBook } | Refusal> {
  const frozen = await deps.frozen(show);
  if (frozen !== undefined) return refused('FROZEN', `Budget changes are ${frozen}.${meanwhile}`);
  if (deps.stop?.aborted) return refused('STOPPED', `${NOT_SENT_BY_STOP}${meanwhile}`);
  try {
    return { kind: 'read', book: await budgetsNow(deps, customerId) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return refused('NOT_READ', `The budget could not be read: ${explainFailure(error)}`);
  }
}

async function sendNow(deps: BudgetDeps, intent: Intent, accountDay: () => CivilDate): Promise<PersonalResult> {
  const ends = await applyIntents(deps, intent.customerId, [intent], accountDay);
  return { kind: 'sent', intent: ends.get(intent.id) ?? intent };
}

function underWay(own: readonly Intent[]): Refusal | undefined {
  const open = own.find(isOpen);
  if (open === undefined) return undefined;
  const { id, state } = open;
  return refused('OUTCOME_OPEN', `B${id} of the same budget is ${state}. Run "pacekeeper budgets reconcile" first.`);
}

/** Refuses a declared amount if the change was decided on an amount from the service. */
function amountInBook(book: BudgetBook, { budgetId, amountSource }: DecidedChange): Micros | Refusal {
  const live = book.amounts.get(budgetId);
  if (live !== undefined && !(book.source === 'declared' && amountSource === 'read')) return live;
  const why = book.unreadable.get(budgetId)?.total
    ? 'is now a total budget (CUSTOM_PERIOD), which has no daily amount'
    : 'could not be read, so its amount is not known';
  return refused('NOT_READ', `Budget ${budgetId} ${why}.`);
}

/** Writes down what the reading shows. Returns why the amount is in doubt. `before` is the amount without a record. */
async function doubtAbout(
  trx: StateDb,
  deps: BudgetDeps,
  { customerId, budgetId, currency }: DecidedChange,
  before: Micros,
  book: BudgetBook,
  accountDay: CivilDate,
  show?: ShowInstant,
): Promise<string | undefined> {
  const known = (await lastSet(trx, customerId, budgetId)).get(budgetId);
  const record = new Map([[budgetId, { to: known?.to ?? before, at: known?.at }]]);
  const compared = await compareWithRecord({ ...deps, db: trx }, book, customerId, record, accountDay);
  await writeDown(trx, customerId, compared, deps);
  const doubt = compared.inDoubt.get(budgetId);
  return doubt && `Budget ${budgetId} ${doubtWords(doubt, currency, show)}.`;
}

function aboutChange(change: DecidedChange, book: BudgetBook, accountDay: CivilDate) {
  const { customerId, budgetId, campaignId, campaignName, currency, rule, ruleVersion, floor, ceiling } = change;
  const budget = { customerId, budgetId, campaignId, campaignName, currency, accountDay };
  const reading = { amountSource: book.source, declared: book.declared.get(budgetId) };
  return { ...budget, ...reading, rule, ruleVersion, floor, ceiling };
}

type Open = Proposal & { readonly kind: 'open' };

async function findOpen(deps: Deciding, code: string, show?: ShowInstant): Promise<Open | Refusal> {
  const nowMs = deps.clock.now();
  const proposal = await proposalByCode(deps.state.db, code);
  if (!proposal) {
    const words = `No such proposal: ${JSON.stringify(code.slice(0, 20))}. Run "pacekeeper budgets list" to see those awaiting approval.`;
    return refused('NO_SUCH_PROPOSAL', words);
  }
  if (proposal.state === 'open' && isOver(proposal, nowMs)) {
    await commit(deps, 'decline', (trx) => expireProposals(trx, nowMs));
  }
  return notOpen(proposal, nowMs, show) ?? { ...proposal, kind: 'open' };
}

async function stillOpen(
  trx: StateDb,
  { code }: Proposal,
  nowMs: number,
  show?: ShowInstant,
): Promise<Refusal | undefined> {
  const now = await proposalByCode(trx, code);
  if (!now) throw new InvariantError(`Proposal ${code} no longer exists.`);
  return notOpen(now, nowMs, show);
}

function isOver({ expiresAt }: Proposal, nowMs: number): boolean {
  return Date.parse(expiresAt) <= nowMs;
}

function notOpen(proposal: Proposal, nowMs: number, show: ShowInstant = minuteText): Refusal | undefined {
  const { code, state, expiresAt, decidedBy, decidedAt, intentId } = proposal;
  if (state === 'expired' || (state === 'open' && isOver(proposal, nowMs))) {
    return refused('PROPOSAL_EXPIRED', `Proposal ${code} expired at ${show(expiresAt)}.`);
  }
  if (state === 'open') return undefined;
  const made = intentId === undefined ? '' : ` (B${intentId})`;
  const at = decidedAt && show(decidedAt);
  return refused('DECIDED_ALREADY', `Proposal ${code} was ${state} by ${decidedBy} at ${at}${made}.`);
}

/** Checks again whether the proposal is open, because somebody may have decided it in the meantime. */
async function endOpen(
  deps: Deciding,
  proposal: Open,
  { code, reason }: Why,
  show?: ShowInstant,
  whyNot: (trx: StateDb) => Promise<Refusal | undefined> = async () => undefined,
): Promise<Refusal> {
  const kept = await commit(deps, 'decline', async (trx) => {
    const why = (await stillOpen(trx, proposal, deps.clock.now(), show)) ?? (await whyNot(trx));
    const decision = { state: 'superseded', by: 'pacekeeper', why: reason, code } as const;
    if (!why) await decideProposal(trx, proposal.code, decision, deps.clock.now());
    return why;
  });
  return kept ?? refused(code, `Proposal ${proposal.code} is superseded: ${reason}`);
}

/** Ends the proposal if the budget was removed or no longer has the amount `from`. */
async function supersede(
  deps: BudgetDeps,
  proposal: Open,
  book: BudgetBook,
  accountDay: CivilDate,
  show?: ShowInstant,
): Promise<Refusal | undefined> {
  const { code, budgetId, currency, from } = proposal;
  const live = amountInBook(book, proposal);
  if (typeof live === 'object') return live;
  const based = `It was based on ${formatMoney(from, currency)}, but`;
  if (book.removed.has(budgetId)) {
    return endOpen(deps, proposal, { code: 'BUDGET_REMOVED', reason: `${based} the budget was removed.` }, show);
  }
  if (live === from) return undefined;
  const why = { code: 'SUPERSEDED', reason: `${based} the budget is now ${formatMoney(live, currency)}.` };
  return endOpen(deps, proposal, why, show, async (trx) => {
    const doubt = await doubtAbout(trx, deps, proposal, from, book, accountDay, show);
    return doubt === undefined ? undefined : refused('AMOUNT_IN_DOUBT', `${doubt} ${code} still awaits approval.`);
  });
}

function decisionOf(
  proposal: WithReason<Proposal>,
  proposed: Micros,
  { by, why }: Person,
  book: BudgetBook,
  accountDay: CivilDate,
): NewIntent {
  const { from, to, currency, alertText, alertSeverity, reasonWithoutAmounts } = proposal;
  const because = why.trim() === '' ? '' : `: ${why.trim()}`;
  const amounts = `${formatMoney(to, currency)} instead of ${formatMoney(proposed, currency)}`;
  const step = to === proposed ? '' : ` at a smaller step, ${amounts},`;
  const approval = `(approved${step} by ${by}${because})`;
  return {
    ...aboutChange(proposal, book, accountDay),
    from,
    to,
    alertText,
    alertSeverity,
    kind: 'rule',
    origin: 'approval',
    undoes: undefined,
    actor: `approved by ${by}`,
    reason: `${proposal.reason} ${approval}`,
    reasonWithoutAmounts: reasonWithoutAmounts && `${reasonWithoutAmounts} ${approval}`,
    proposalCode: proposal.code,
  };
}

function alreadyDecided(own: readonly Intent[], accountDay: CivilDate): string {
  const today = own.find((intent) => intent.kind === 'rule' && intent.accountDay === accountDay);
  const which = today ? ` (B${today.id}, ${today.state})` : '';
  return `The budget was already changed on ${accountDay}${which}. This change still awaits approval.`;
}

async function whyNotUndone(
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
  const open = underWay(ofBudget);
  if (open) return open;
  if (book.removed.has(budgetId)) return refused('BUDGET_REMOVED', `Budget ${budgetId} was removed.`);
  const live = amountInBook(book, intent);
  if (typeof live === 'object') return live;
  const doubt = await doubtAbout(trx, deps, intent, to, book, accountDay);
  if (doubt !== undefined) return refused('AMOUNT_IN_DOUBT', doubt);
  if (live === to) return undefined;
  const since = ofBudget.find((other) => other.id > id && isMade(other) && other.to === live);
  const who = since ? `${since.actor} changed it since, as B${since.id}` : 'someone else changed it since';
  return refused('FOREIGN_CHANGE', `B${id} set ${money(to)}, and the budget is now ${money(live)}: ${who}.`);
}

const GO_BEYOND = 'Add "--beyond-limits --by NAME" to undo it anyway.';

function limitOf({ currency, from, floor, ceiling }: Intent): Why | undefined {
  const money = (amount: Micros) => formatMoney(amount, currency);
  const old = `The old amount of ${money(from)} is`;
  if (floor !== undefined && from < floor)
    return { code: 'AT_FLOOR', reason: `${old} below the floor of ${money(floor)}.` };
  if (ceiling !== undefined && from > ceiling) {
    return { code: 'AT_CEILING', reason: `${old} above the ceiling of ${money(ceiling)}.` };
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
    why: why.trim(),
    reason: `${why.trim()} (undoes B${intent.id}${intent.origin === 'approval' ? ',' : ' by'} ${intent.actor})`,
  };
}
