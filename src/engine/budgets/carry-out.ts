import { isPersons } from '../../domain/budget-change.ts';
import type { CivilDate } from '../../domain/civil-date.ts';
import { ApiError, explainFailure, InvariantError } from '../../domain/errors.ts';
import type { BudgetId, CustomerId } from '../../domain/ids.ts';
import { formatMoney } from '../../domain/micros.ts';
import { NOT_SENT_BY_STOP } from '../../domain/ports.ts';
import { withoutFullStop } from '../../domain/wording.ts';
import {
  type BudgetMutation,
  type MutationOutcome,
  mutateBudgets,
  OPERATIONS_MAX,
} from '../../services/ads/mutate-budgets.ts';
import { malformed } from '../../services/http/classify-failure.ts';
import { mayRepeat, withLoggedRetries } from '../../services/http/retry.ts';
import { everSent } from '../../storage/records/budgets/event-table.ts';
import {
  type Intent,
  type IntentStep,
  insertIntent,
  intentsOfBudget,
  moveIntent,
  type NewIntent,
  openIntents,
} from '../../storage/records/budgets/intent-table.ts';
import { hadUntil } from '../../storage/records/budgets/past-changes.ts';
import { commit } from '../../storage/records/in-transaction.ts';
import type { StateDb } from '../../storage/records/record-store.ts';
import { type BudgetDeps, mayHaveBeenSent } from './budget-deps.ts';
import {
  type CheckedIntents,
  type CheckOptions,
  checkIntents,
  concluded,
  type Ends,
  type Entry,
  endAll,
  leftOpen,
  type Unchecked,
} from './check-intents.ts';
import { MADE_ANYWAY } from './compare-budgets.ts';
import { moveOn } from './move-on.ts';
import { type BudgetBook, readBudgets } from './read-budgets.ts';

/** The result has undefined for a budget that was already changed today, or whose last change is still open. */
export function planIntents(
  deps: Pick<BudgetDeps, 'state' | 'clock' | 'passes'>,
  runId: bigint | undefined,
  decisions: readonly NewIntent[],
  beside: (trx: StateDb, intents: readonly (Intent | undefined)[]) => Promise<void> = async () => undefined,
): Promise<(Intent | undefined)[]> {
  return commit(deps, 'plan', async (trx) => {
    const nameOf = ({ customerId, budgetId }: NewIntent) => `${customerId}/${budgetId}`;
    const open = new Set((await openIntents(trx)).map(nameOf));
    const intents: (Intent | undefined)[] = [];
    for (const decision of decisions) {
      const blocked = open.has(nameOf(decision));
      intents.push(blocked ? undefined : await insertIntent(trx, runId, decision, deps.clock.now()));
      open.add(nameOf(decision));
    }
    await beside(trx, intents);
    return intents;
  });
}

/** Does not throw API errors: each error becomes an outcome. */
export function applyIntents(
  deps: BudgetDeps,
  customer: CustomerId,
  intents: readonly Intent[],
  accountDay: () => CivilDate,
): Promise<Ends> {
  return carryOut(deps, customer, intents, { accountDay, mayResend: () => false });
}

/** Ends open changes of earlier runs. A change may be sent again, because its amount is absolute. */
export async function settleIntents(
  deps: BudgetDeps,
  customer: CustomerId,
  intents: readonly Intent[],
  accountDay: () => CivilDate,
  mayResend: CheckOptions['mayResend'],
): Promise<Ends> {
  // End unsent changes first, so that rules can decide again today.
  const unsent = intents.filter((intent) => !mayHaveBeenSent(intent)).map((intent) => ({ intent }));
  const sentOnce = await everSent(
    deps.state.db,
    unsent.map(({ intent }) => intent.id),
  );
  const given = await endAll(deps, unsent, ({ intent }) =>
    sentOnce.has(intent.id)
      ? concluded('unknown', 'NO_ANSWER', 'The service refused the change after it was sent. This proves nothing.')
      : concluded('expired', 'NEVER_SENT', whyNeverSent(intent)),
  );
  const settled = await carryOut(deps, customer, intents.filter(mayHaveBeenSent), { accountDay, mayResend });
  return new Map([...given, ...settled]);
}

function whyNeverSent(intent: Intent): string {
  return isPersons(intent)
    ? 'The change was never sent and will not be sent. If you still want it, request it again.'
    : 'The change was never sent. The rule may decide again.';
}

/** If the last read began earlier, budgets are read again before a change. */
const READING_TRUSTED_MS = 2000;
/** A slow service never answers in time. */
const READS_AGAIN_MAX = 2;

/** Does not throw API errors: each error becomes an outcome. */
export async function carryOut(
  deps: BudgetDeps,
  customer: CustomerId,
  intents: readonly Intent[],
  options: CheckOptions,
): Promise<Ends> {
  const ends = new Map<bigint, Intent>();
  for (const batch of batchesOf(intents, deps.operationsMax ?? OPERATIONS_MAX)) {
    for (const [id, end] of await carryOutBatch(deps, customer, batch, options)) ends.set(id, end);
  }
  return new Map(
    intents.map(({ id }) => {
      const end = ends.get(id);
      if (!end) throw new InvariantError(`Change B${id} has no outcome.`);
      return [id, end];
    }),
  );
}

/** Repeats only changes that were not sent, or refused for now. Each attempt reads the budgets again. */
async function carryOutBatch(
  deps: BudgetDeps,
  customer: CustomerId,
  intents: readonly Intent[],
  options: CheckOptions,
): Promise<Ends> {
  let left: readonly Unchecked[] = intents.map((intent) => ({ intent, sentBefore: mayHaveBeenSent(intent) }));
  let ends: Ends = new Map();
  const attempt = async () => {
    const tried = await tryBatch(deps, customer, left, options);
    left = tried.postponed;
    ends = new Map([...ends, ...tried.ends]);
    if (tried.error) throw tried.error;
  };
  await withTries(deps, customer, 'write', attempt);
  return ends;
}

/** Ignores the last `ApiError`, because `attempt` keeps its own results. Throws other errors. */
async function withTries(
  { ads: { retry, pauses }, log }: BudgetDeps,
  customer: CustomerId,
  request: 'read' | 'write',
  attempt: () => Promise<void>,
): Promise<void> {
  try {
    await withLoggedRetries({ retry, pauses, log }, request, `Budgets of account ${customer}`, attempt);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
}

const NONE_LEFT: CheckedIntents = { goOn: [], ends: new Map() };

interface Tried {
  readonly ends: Ends;
  /** Changes that the service refused for now and that can be tried again. */
  readonly postponed: readonly Unchecked[];
  readonly error: ApiError | undefined;
}

/**
 * The order of a budget change. A change must not be made twice, or over somebody else's change, or without a record.
 * Read first, because the amount may have changed since the decision. Then let the service validate, because a refusal
 * is cheap now. Then get the token, and read again if all this took long. From here to the request, nothing slow may
 * happen. `sending` is committed before the request leaves. If the process dies after that, the next run knows that the
 * change may be made, and reads the budget. The amount is absolute, so sending it again does no harm. An answer is no
 * proof either, because a gateway can refuse a change that the service made. So doubtful answers are compared with a
 * new reading before they are committed. A freeze or a stop counts until the last moment. Both are checked before
 * `sending`, and a freeze again with the request itself.
 */
async function tryBatch(
  deps: BudgetDeps,
  customer: CustomerId,
  unchecked: readonly Unchecked[],
  options: CheckOptions,
): Promise<Tried> {
  const { pauses } = deps.ads;
  // A process that stands still during the request does not know when the answer came.
  let askedAtMs = pauses.elapsedMs();
  const ready = await readAndCheck(deps, customer, unchecked, options);
  const asked = await send(deps, customer, ready.goOn, true);
  const accepted = await commitValidation(deps, ready.goOn, asked);
  await haveToken(deps);
  let checked: CheckedIntents = { goOn: accepted.goOn, ends: new Map() };
  for (let reads = 0; reads < READS_AGAIN_MAX && pauses.elapsedMs() - askedAtMs > READING_TRUSTED_MS; reads += 1) {
    askedAtMs = pauses.elapsedMs();
    const again = await readAndCheck(deps, customer, checked.goOn, options);
    checked = { goOn: again.goOn, ends: new Map([...checked.ends, ...again.ends]) };
  }
  const sending = await commitSending(deps, checked.goOn, options);
  const answers = await send(deps, customer, sending.goOn, false);
  const proven = await proveInDoubt(deps, customer, sending.goOn, answers);
  const answered = await commitAnswers(deps, sending.goOn, proven);
  const ends = [ready, accepted, checked, sending, answered].flatMap((step) => [...step.ends]);
  return { ...answered, ends: new Map(ends) };
}

async function haveToken({ ads }: BudgetDeps): Promise<void> {
  try {
    await ads.tokens.token();
  } catch (error) {
    // Ignores an `ApiError`: the next request needs the token, too, and reports the error.
    if (!(error instanceof ApiError)) throw error;
  }
}

export function budgetsNow(deps: BudgetDeps, customer: CustomerId): Promise<BudgetBook> {
  return readBudgets({ ads: deps.ads, db: deps.state.db, clock: deps.clock }, customer, deps.declared(customer));
}

async function readAndCheck(
  deps: BudgetDeps,
  customer: CustomerId,
  intents: readonly Unchecked[],
  options: CheckOptions,
): Promise<CheckedIntents> {
  const leave = async (code: 'NOT_READ' | 'STOPPED', reason: string) => {
    return { goOn: [], ends: await endAll(deps, intents, (one) => leftOpen(one, code, reason)) };
  };
  if (intents.length === 0) return NONE_LEFT;
  if (deps.stop?.aborted) return leave('STOPPED', NOT_SENT_BY_STOP);
  try {
    return await checkIntents(deps, await budgetsNow(deps, customer), customer, intents, options);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return leave('NOT_READ', `The budget could not be read: ${explainFailure(error)}`);
  }
}

async function send(
  deps: BudgetDeps,
  customer: CustomerId,
  entries: readonly Entry[],
  validateOnly: boolean,
): Promise<Outcomes> {
  if (entries.length === 0) return new Map();
  const mutations = entries.map(({ intent }) => ({ budget: intent.budgetId, amount: intent.to }));
  return sendOperations(deps, customer, mutations, { validateOnly });
}

async function commitValidation(
  deps: BudgetDeps,
  entries: readonly Entry[],
  outcomes: Outcomes,
): Promise<CheckedIntents> {
  if (entries.length === 0) return NONE_LEFT;
  return commit(deps, 'validated', async (trx) => {
    const goOn: Entry[] = [];
    const ends = new Map<bigint, Intent>();
    for (const entry of entries) {
      const { intent, read } = entry;
      const outcome = outcomeOf(outcomes, intent);
      if (outcome.kind !== 'accepted') {
        const step = conclude(entry, outcome, 'validate');
        ends.set(intent.id, await moveOn(trx, deps, intent, { ...step, detail: { read, ...step.detail } }));
      } else if (entry.sentBefore) {
        goOn.push(entry);
      } else {
        const detail = { read, sent: { validate_only: true }, answer: acceptanceFacts(outcome) };
        goOn.push({ ...entry, intent: await moveOn(trx, deps, intent, { to: 'validated', detail }) });
      }
    }
    return { goOn, ends };
  });
}

/** The change of a rule counts for `today`, unless another change of a rule already does. */
async function dayFor(trx: StateDb, intent: Intent, today: CivilDate): Promise<CivilDate> {
  if (intent.accountDay === today || intent.kind !== 'rule') return today;
  const others = await intentsOfBudget(trx, intent.customerId, intent.budgetId);
  const taken = others.some(({ id, kind, accountDay }) => id !== intent.id && kind === 'rule' && accountDay === today);
  return taken ? intent.accountDay : today;
}

async function commitSending(
  deps: BudgetDeps,
  entries: readonly Entry[],
  { accountDay }: CheckOptions,
): Promise<CheckedIntents> {
  if (entries.length === 0) return NONE_LEFT;
  const unsent = await whyUnsent(deps);
  const today = accountDay();
  return commit(deps, 'sending', async (trx) => {
    const goOn: Entry[] = [];
    const ends = new Map<bigint, Intent>();
    for (const entry of entries) {
      const { intent, read } = entry;
      if (unsent !== undefined) {
        ends.set(intent.id, await moveOn(trx, deps, intent, conclude(entry, unsent, 'mutate')));
        continue;
      }
      const detail = { read, sent: { operations: entries.length, partial_failure: true } };
      const step = { to: 'sending', accountDay: await dayFor(trx, intent, today), detail } as const;
      goOn.push({ ...entry, intent: await moveOn(trx, deps, intent, step) });
    }
    return { goOn, ends };
  });
}

async function commitAnswers(
  deps: BudgetDeps,
  entries: readonly Entry[],
  outcomes: Outcomes<ProvenOutcome>,
): Promise<Tried> {
  if (entries.length === 0) return { ends: new Map(), postponed: [], error: undefined };
  return commit(deps, 'answer', async (trx) => {
    const ends = new Map<bigint, Intent>();
    const postponed: Unchecked[] = [];
    let error: ApiError | undefined;
    for (const entry of entries) {
      const { intent } = entry;
      const outcome = outcomeOf(outcomes, intent);
      if (outcome.kind === 'accepted') {
        const step = { to: 'applied', detail: { answer: acceptanceFacts(outcome) } } as const;
        ends.set(intent.id, await moveOn(trx, deps, intent, step));
        continue;
      }
      if (outcome.kind === 'made_anyway') {
        const refusal = conclude(entry, { kind: 'failed', error: outcome.error }, 'mutate');
        const refused = await moveIntent(trx, intent, refusal, deps.clock.now());
        ends.set(intent.id, await moveOn(trx, deps, refused, MADE_ANYWAY));
        continue;
      }
      const moved = await moveOn(trx, deps, intent, conclude(entry, outcome, 'mutate'));
      ends.set(intent.id, moved);
      if (outcome.kind !== 'failed' || (entry.sentBefore && !entry.refusedNow) || !mayRepeat(outcome.error, 'write'))
        continue;
      postponed.push({ intent: moved, sentBefore: true, refusedNow: true });
      error = outcome.error;
    }
    return { ends, postponed, error };
  });
}

function outcomeOf<Outcome>(outcomes: Outcomes<Outcome>, { budgetId }: Intent): Outcome | SendOutcome {
  const error = malformed('NO_ANSWER', `No answer about budget ${budgetId}`, false);
  return outcomes.get(budgetId) ?? { kind: 'failed', error };
}

/** Two intents of the same budget need two batches, because the second must see the result of the first. */
export function batchesOf(intents: readonly Intent[], most: number): Intent[][] {
  const batches: Map<Intent['budgetId'], Intent>[] = [];
  const nextOf = new Map<Intent['budgetId'], number>();
  let open = 0;
  for (const intent of intents) {
    while ((batches[open]?.size ?? 0) >= most) open++;
    // Batches after `open` are never full.
    const at = Math.max(open, nextOf.get(intent.budgetId) ?? 0);
    const batch = batches[at] ?? new Map();
    batches[at] = batch.set(intent.budgetId, intent);
    nextOf.set(intent.budgetId, at + 1);
  }
  return batches.map((batch) => [...batch.values()]);
}

/** True if the budget recently had the amount `intent.to`, so the service may show old data. */
async function mayBeOld({ state, clock, readLagMs }: BudgetDeps, intent: Intent): Promise<boolean> {
  const until = await hadUntil(state.db, intent.customerId, intent.budgetId, intent.to);
  return until !== undefined && Date.parse(until) + readLagMs > clock.now();
}

/** After a success that names no budget, and after a refusal, the budget's amount shows what happened. */
export async function proveInDoubt(
  deps: BudgetDeps,
  customer: CustomerId,
  entries: readonly Entry[],
  outcomes: Outcomes,
): Promise<Outcomes<ProvenOutcome>> {
  const proven = new Map<BudgetId, ProvenOutcome>(outcomes);
  const unproven = entries.flatMap(({ intent }) => {
    const outcome = outcomes.get(intent.budgetId);
    return outcome && provesNothing(outcome) ? [{ intent, outcome }] : [];
  });
  if (unproven.length === 0) return outcomes;
  const says = 'The service reported success without naming a budget, and';
  const doubt = (words: string) => ({ kind: 'failed', error: malformed('WRONG_ANSWER', words, false) }) as const;
  try {
    const book = await budgetsNow(deps, customer);
    for (const { intent, outcome } of unproven) {
      const live = book.amounts.get(intent.budgetId);
      const isShown = book.source === 'read' && live === intent.to && !(await mayBeOld(deps, intent));
      if (outcome.kind === 'failed') {
        if (isShown) proven.set(intent.budgetId, { kind: 'made_anyway', error: outcome.error });
        continue;
      }
      const isUnreadable = book.source === 'declared' && intent.amountSource === 'declared';
      const found = book.source === 'declared' || live === undefined ? 'no amount' : formatMoney(live, intent.currency);
      if (!isShown && !isUnreadable) proven.set(intent.budgetId, doubt(`${says} the budget shows ${found}`));
    }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const words = `${says} the budgets could not be read: ${withoutFullStop(error.message)}`;
    for (const { intent, outcome } of unproven) {
      if (outcome.kind === 'accepted') proven.set(intent.budgetId, doubt(words));
    }
  }
  return proven;
}

/** A service or gateway can refuse a change after it was made. */
function provesNothing(outcome: SendOutcome): outcome is MutationOutcome {
  if (outcome.kind === 'accepted') return !outcome.named;
  return (
    outcome.kind === 'failed' && outcome.error.httpStatus !== undefined && outcome.error.outcome === 'not_processed'
  );
}

type Unsent = { readonly kind: 'frozen'; readonly reason: string } | { readonly kind: 'stopped' };

export type SendOutcome = MutationOutcome | Unsent;

/** `made_anyway`: the service refused the change, but the budget shows the new amount. */
export type ProvenOutcome = SendOutcome | { readonly kind: 'made_anyway'; readonly error: ApiError };

type Outcomes<Outcome = SendOutcome> = ReadonlyMap<BudgetId, Outcome>;

async function whyUnsent(deps: BudgetDeps): Promise<Unsent | undefined> {
  const reason = await deps.frozen();
  if (reason !== undefined) return { kind: 'frozen', reason };
  return deps.stop?.aborted ? { kind: 'stopped' } : undefined;
}

/** Repeats only validations, because budgets must be read again before a second change. Does not throw API errors. */
export async function sendOperations(
  deps: BudgetDeps,
  customer: CustomerId,
  mutations: readonly BudgetMutation[],
  { validateOnly }: { readonly validateOnly: boolean },
): Promise<Outcomes> {
  const outcomes = new Map<BudgetId, SendOutcome>();
  let left = mutations;
  await withTries(deps, customer, 'read', async () => {
    const unsent = await whyUnsent(deps);
    const sent = unsent === undefined ? await sendOnce(deps, customer, left, validateOnly) : left.map(() => unsent);
    const again: BudgetMutation[] = [];
    let lastError: ApiError | undefined;
    for (const [index, outcome] of sent.entries()) {
      const mutation = left[index];
      if (mutation === undefined) continue;
      outcomes.set(mutation.budget, outcome);
      if (outcome.kind !== 'failed' || !mayRepeat(outcome.error, 'read')) continue;
      again.push(mutation);
      lastError = outcome.error;
    }
    left = again;
    if (lastError && validateOnly) throw lastError;
  });
  return outcomes;
}

class Frozen extends Error {}

/** If the request fails, every change in the request fails. */
async function sendOnce(
  deps: BudgetDeps,
  customer: CustomerId,
  mutations: readonly BudgetMutation[],
  validateOnly: boolean,
): Promise<readonly SendOutcome[]> {
  const { ads, passes } = deps;
  // Check for a freeze again after the token was fetched, immediately before the change.
  const mayLeave = async () => {
    const reason = await deps.frozen();
    if (reason !== undefined) throw new Frozen(reason);
  };
  const name = validateOnly ? 'validate' : 'mutate';
  passes(`${name}:before-send`);
  try {
    const answers = await mutateBudgets(ads, customer, mutations, {
      validateOnly,
      ...(validateOnly ? {} : { mayLeave }),
    });
    passes(`${name}:after-answer`);
    return answers;
  } catch (error) {
    if (error instanceof Frozen) return mutations.map(() => ({ kind: 'frozen', reason: error.message }));
    if (!(error instanceof ApiError)) throw error;
    passes(`${name}:after-answer`);
    return mutations.map(() => ({ kind: 'failed', error }));
  }
}

/** A refused change that was sent counts as made, until a reading proves the opposite. */
export function conclude(
  entry: Entry,
  outcome: Exclude<SendOutcome, { readonly kind: 'accepted' }>,
  stage: 'validate' | 'mutate',
): IntentStep {
  if (outcome.kind === 'stopped' || outcome.kind === 'frozen') {
    const code = outcome.kind === 'frozen' ? 'FROZEN' : 'STOPPED';
    const reason = outcome.kind === 'frozen' ? `Budget changes are ${outcome.reason}.` : NOT_SENT_BY_STOP;
    const isHeldBack = outcome.kind === 'frozen' || entry.intent.state === 'sending';
    return isHeldBack && !entry.sentBefore ? concluded('expired', code, reason) : leftOpen(entry, code, reason);
  }
  const { error } = outcome;
  const reason = explainFailure(error);
  const { status, httpStatus, requestId, details } = error;
  const answer = { status, http_status: httpStatus, request_id: requestId, errors: details, outcome: error.outcome };
  const passing = error.transient || error.outcome === 'unknown' || error.status === 'UNAUTHENTICATED';
  const wasSent = stage === 'mutate' || entry.sentBefore;
  if (wasSent && (passing || (entry.sentBefore && !entry.provenUnmade))) {
    return concluded('unknown', status, reason, { answer });
  }
  if (passing) return concluded('planned', status, reason, { answer });
  const isUnproven = stage === 'mutate' && httpStatus !== undefined;
  const detail = { answer, ...(isUnproven && { unproven: true }) };
  return concluded('rejected', details[0]?.code ?? status, reason, detail);
}

export function acceptanceFacts(outcome: Extract<MutationOutcome, { readonly kind: 'accepted' }>) {
  return { request_id: outcome.requestId, names_the_budget: outcome.named };
}
