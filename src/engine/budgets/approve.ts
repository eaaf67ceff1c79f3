import { doubtWords } from '../../domain/budget-change.ts';
import type { CivilDate } from '../../domain/civil-date.ts';
import { InvariantError } from '../../domain/errors.ts';
import { formatMoney } from '../../domain/micros.ts';
import { NOT_SENT_BY_STOP } from '../../domain/ports.ts';
import { asRecorded, type ShowInstant } from '../../domain/wording.ts';
import { proposedOn } from '../../storage/records/budgets/decision-table.ts';
import {
  type Intent,
  insertIntent,
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
import { compareWithRecord, writeDown } from './compare-budgets.ts';
import type { WithReason } from './describe-change.ts';
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

type Deciding = Pick<BudgetDeps, 'state' | 'clock' | 'passes'>;

/** A reason against the change. If `ends` is true, the proposal can never be approved. */
export interface Objection {
  readonly code: string;
  readonly reason: string;
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
  const { showInstant } = person;
  const proposal = await findOpen(deps, code, showInstant);
  if (proposal.kind === 'refused') return proposal;
  const frozen = await deps.frozen(showInstant);
  if (frozen !== undefined) {
    return refused('FROZEN', `Budget changes are ${frozen}. ${proposal.code} still awaits approval.`);
  }
  if (deps.stop?.aborted) return refused('STOPPED', `${NOT_SENT_BY_STOP} ${proposal.code} still awaits approval.`);
  const read = await readBook(deps, proposal);
  if (read.kind === 'refused') return read;
  // Our own unanswered change can explain a different amount, so check for such a change first.
  const busy = await underWay(deps.state.db, proposal);
  if (busy) return busy;
  const gone = await supersede(deps, proposal, read.book, accountDay(), showInstant);
  if (gone) return gone;
  const objection = await recheck(proposal, read.book);
  if (objection?.ends) return endProposal(deps, proposal, objection);
  if (objection) return refused(objection.code, objection.reason);
  const inserted = await commit(deps, 'approve', async (trx) => {
    const decided = await stillOpen(trx, proposal, deps.clock.now(), showInstant);
    if (decided) return decided;
    const open = await underWay(trx, proposal);
    if (open) return open;
    const own = await intentsOfBudget(trx, proposal.customerId, proposal.budgetId);
    const today = accountDay();
    const { decidedOn, reasonWithoutAmounts } = await proposedOn(trx, proposal);
    const made = decisionOf({ ...proposal, reasonWithoutAmounts }, person, read.book, today);
    const intent = await insertIntent(trx, person.runId, { ...made, decidedOn }, deps.clock.now());
    if (!intent) return refused('ALREADY_DECIDED_TODAY', alreadyDecided(own, today));
    const { by, why, reply } = person;
    const decision = { state: 'approved', intentId: intent.id, by, why, reply } as const;
    if (!(await decideProposal(trx, proposal.code, decision, deps.clock.now()))) {
      throw new InvariantError(`Proposal ${proposal.code} is open, but its approval could not be recorded.`);
    }
    return { kind: 'inserted', intent } as const;
  });
  return inserted.kind === 'refused' ? inserted : sendNow(deps, inserted.intent, accountDay);
}

export async function endProposal(
  deps: Deciding,
  { code }: Pick<Proposal, 'code'>,
  objection: Omit<Objection, 'ends'>,
): Promise<Refusal> {
  const proposal = await findOpen(deps, code);
  if (proposal.kind === 'refused') return proposal;
  const decision = { state: 'superseded', by: 'pacekeeper', why: objection.reason, code: objection.code } as const;
  const decided = await commit(deps, 'decline', async (trx) => {
    const already = await stillOpen(trx, proposal, deps.clock.now());
    if (!already) await decideProposal(trx, proposal.code, decision, deps.clock.now());
    return already;
  });
  return decided ?? refused(objection.code, `Proposal ${proposal.code} is superseded: ${objection.reason}`);
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

function notOpen(proposal: Proposal, nowMs: number, show: ShowInstant = asRecorded): Refusal | undefined {
  const { code, state, expiresAt, decidedBy, decidedAt, intentId } = proposal;
  if (state === 'expired' || (state === 'open' && isOver(proposal, nowMs))) {
    return refused('PROPOSAL_EXPIRED', `Proposal ${code} expired at ${show(expiresAt)}.`);
  }
  if (state === 'open') return undefined;
  const made = intentId === undefined ? '' : ` (B${intentId})`;
  const at = decidedAt && show(decidedAt);
  return refused('DECIDED_ALREADY', `Proposal ${code} was ${state} by ${decidedBy} at ${at}${made}.`);
}

async function underWay(db: StateDb, { customerId, budgetId }: Proposal): Promise<Refusal | undefined> {
  const open = (await intentsOfBudget(db, customerId, budgetId)).find(isOpen);
  return open && refused('OUTCOME_OPEN', underWayWords(open));
}

/** Ends the proposal if the budget was removed or no longer has the amount `from`. */
async function supersede(
  deps: BudgetDeps,
  proposal: Proposal,
  book: BudgetBook,
  accountDay: CivilDate,
  show?: ShowInstant,
): Promise<Refusal | undefined> {
  const { code, customerId, budgetId, currency, from } = proposal;
  const live = amountInBook(book, proposal);
  if (typeof live === 'object') return live;
  const removed = book.removed.has(budgetId);
  if (!removed && live === from) return undefined;
  const ending = removed ? 'BUDGET_REMOVED' : 'SUPERSEDED';
  const found = removed ? 'the budget was removed' : `the budget is now ${formatMoney(live, currency)}`;
  const why = `It was based on ${formatMoney(from, currency)}, but ${found}.`;
  const decided = await commit(deps, 'decline', async (trx) => {
    // Check again, because somebody may have decided the proposal in the meantime.
    const already = await stillOpen(trx, proposal, deps.clock.now(), show);
    if (already) return already;
    if (!removed) {
      const known = (await lastSet(trx, customerId, budgetId)).get(budgetId);
      const record = new Map([[budgetId, { to: known?.to ?? from, at: known?.at }]]);
      const compared = await compareWithRecord({ ...deps, db: trx }, book, customerId, record, accountDay);
      await writeDown(trx, customerId, compared, deps);
      const doubt = compared.inDoubt.get(budgetId);
      if (doubt) {
        const words = `Budget ${budgetId} ${doubtWords(doubt, currency, show)}. ${code} still awaits approval.`;
        return refused('AMOUNT_IN_DOUBT', words);
      }
    }
    const decision = { state: 'superseded', by: 'pacekeeper', why, code: ending } as const;
    await decideProposal(trx, code, decision, deps.clock.now());
    return undefined;
  });
  return decided ?? refused(ending, `Proposal ${code} is superseded: ${why}`);
}

function decisionOf(
  proposal: WithReason<Proposal>,
  { by, why }: Person,
  book: BudgetBook,
  accountDay: CivilDate,
): NewIntent {
  const { from, to, alertText, alertSeverity, reasonWithoutAmounts } = proposal;
  const because = why.trim() === '' ? '' : `: ${why.trim()}`;
  const approval = `(approved by ${by}${because})`;
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
