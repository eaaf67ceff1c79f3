import { OPERATIONS_MAX } from '../apis/ads/mutate-budgets.ts';
import type { CivilDate } from '../domain/civil-date.ts';
import { ApiError, explainFailure, InvariantError } from '../domain/errors.ts';
import type { CustomerId } from '../domain/ids.ts';
import { formatMoney } from '../domain/micros.ts';
import { NOT_SENT_BY_STOP } from '../domain/ports.ts';
import { withoutFullStop } from '../domain/wording.ts';
import { malformed } from '../http/classify-failure.ts';
import { mayRepeat, withRetries } from '../http/retry.ts';
import { type Intent, intentsOfBudget } from '../store/budgets/intent-table.ts';
import { hadUntil } from '../store/budgets/past-changes.ts';
import type { StateDb } from '../store/sqlite/open-state.ts';
import { type Application, type BudgetDeps, commit } from './budget-deps.ts';
import { type CheckOptions, checkIntents, leaveAsTheyAre, type Unchecked } from './check-intents.ts';
import { mayHaveBeenSent } from './intent-words.ts';
import { acceptanceFacts, conclude, type Entry, moveOn } from './move-intents.ts';
import { readBudgets } from './read-budgets.ts';
import { type Outcomes, type SendOutcome, sendOperations } from './send-operations.ts';

/** What was read longer ago than this is read again before a change is sent on the strength of it. */
const READING_TRUSTED_MS = 2000;

/**
 * Carries out intents of one account that are committed. For each batch: reads the budgets; asks whether the changes would
 * be accepted; commits `sending` for the whole batch; sends the absolute amounts; commits each answer with its alert, all
 * in one transaction. Never throws for an answer of the service. Returns what became of each intent, by its id.
 */
export async function carryOut(
  deps: BudgetDeps,
  customer: CustomerId,
  intents: readonly Intent[],
  options: CheckOptions,
): Promise<ReadonlyMap<bigint, Application>> {
  const ends = new Map<bigint, Application>();
  for (const batch of batchesOf(intents, deps.operationsMax ?? OPERATIONS_MAX)) {
    await carryOutBatch(deps, customer, batch, ends, options);
  }
  return inOrder(intents, ends);
}

function inOrder(intents: readonly Intent[], ends: Map<bigint, Application>): Map<bigint, Application> {
  return new Map(
    intents.map(({ id }) => {
      const end = ends.get(id);
      if (!end) throw new InvariantError(`Nothing is known of what became of intent ${id}.`);
      return [id, end];
    }),
  );
}

/**
 * Tries again, within the limits of the connection, what surely was not made for a reason that may pass. Each try begins
 * with reading the budgets: somebody may have changed one meanwhile.
 */
async function carryOutBatch(
  deps: BudgetDeps,
  customer: CustomerId,
  intents: readonly Intent[],
  ends: Map<bigint, Application>,
  options: CheckOptions,
): Promise<void> {
  const { retry, pauses } = deps.ads;
  let left = intents;
  const attempt = async () => {
    const { postponed, error } = await tryBatch(deps, customer, left, ends, options);
    left = postponed;
    if (error) throw error;
  };
  const tell = ({ message }: ApiError, delayMs: number) =>
    deps.log?.warn(`Budgets of account ${customer}: ${message} Trying again in ${delayMs / 1000} s.`);
  try {
    await withRetries(retry, pauses, 'write', attempt, tell);
  } catch (error) {
    // The tries are used up: what became of each intent is committed.
    if (!(error instanceof ApiError)) throw error;
  }
}

/** One try. Returns the intents that surely were not made and may be tried again, and the last reason why. */
async function tryBatch(
  deps: BudgetDeps,
  customer: CustomerId,
  intents: readonly Intent[],
  ends: Map<bigint, Application>,
  options: CheckOptions,
): Promise<Postponed> {
  const unchecked = intents.map((intent) => ({ intent, sentBefore: mayHaveBeenSent(intent) }));
  const { pauses } = deps.ads;
  const ready = await readAndCheck(deps, customer, unchecked, ends, options);
  const readAtMs = pauses.elapsedMs();
  const asked = await send(deps, customer, ready, true);
  const accepted = await commitValidation(deps, ready, asked, ends);
  await haveToken(deps);
  const isOld = pauses.elapsedMs() - readAtMs > READING_TRUSTED_MS;
  const checked = isOld ? await readAndCheck(deps, customer, accepted, ends, options) : accepted;
  const entries = await commitSending(deps, checked, ends, options);
  const answers = await send(deps, customer, entries, false);
  return commitAnswers(deps, entries, await proveSilentOnes(deps, customer, entries, answers), ends);
}

/** Before the reading's age is looked at: fetching a token while the change is about to leave would let it grow old. */
async function haveToken({ ads }: BudgetDeps): Promise<void> {
  try {
    await ads.tokens.token();
  } catch (error) {
    // The request that needs it says so.
    if (!(error instanceof ApiError)) throw error;
  }
}

interface Postponed {
  readonly postponed: readonly Intent[];
  readonly error: ApiError | undefined;
}

async function readAndCheck(
  deps: BudgetDeps,
  customer: CustomerId,
  intents: readonly Unchecked[],
  ends: Map<bigint, Application>,
  options: CheckOptions,
): Promise<readonly Entry[]> {
  if (intents.length === 0) return [];
  if (deps.stop?.aborted) {
    await leaveAsTheyAre(deps, intents, ends, { code: 'STOPPED', reason: NOT_SENT_BY_STOP });
    return [];
  }
  try {
    const book = await readBudgets({ ads: deps.ads, db: deps.state.db }, customer, deps.declared(customer));
    return await checkIntents(deps, book, customer, intents, ends, options);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const reason = `Its budget could not be read: ${explainFailure(error)}`;
    await leaveAsTheyAre(deps, intents, ends, { code: 'NOT_READ', reason });
    return [];
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

/** Returns the entries that the service would accept. */
async function commitValidation(
  deps: BudgetDeps,
  entries: readonly Entry[],
  outcomes: Outcomes,
  ends: Map<bigint, Application>,
): Promise<readonly Entry[]> {
  if (entries.length === 0) return [];
  return commit(deps, 'validated', async (trx) => {
    const accepted: Entry[] = [];
    for (const entry of entries) {
      const { intent, read } = entry;
      const outcome = outcomeOf(outcomes, intent);
      if (outcome.kind !== 'accepted') {
        const { step, application } = conclude(entry, outcome, 'validate');
        await moveOn(trx, deps, intent, { ...step, detail: { read, ...step.detail } });
        ends.set(intent.id, application);
      } else if (entry.sentBefore) {
        accepted.push(entry);
      } else {
        const detail = { read, sent: { validate_only: true }, answer: acceptanceFacts(outcome) };
        accepted.push({ ...entry, intent: await moveOn(trx, deps, intent, { to: 'validated', detail }) });
      }
    }
    return accepted;
  });
}

/**
 * The day a change counts for is the account day on which it is sent. Where a decision has that day already, which takes a
 * clock or a time zone that was set back, it keeps its own: it must be settled all the same.
 */
async function dayFor(trx: StateDb, intent: Intent, today: CivilDate): Promise<CivilDate> {
  if (intent.accountDay === today || intent.kind !== 'rule') return today;
  const others = await intentsOfBudget(trx, intent.customerId, intent.budgetId);
  const taken = others.some(({ id, kind, accountDay }) => id !== intent.id && kind === 'rule' && accountDay === today);
  return taken ? intent.accountDay : today;
}

async function commitSending(
  deps: BudgetDeps,
  entries: readonly Entry[],
  ends: Map<bigint, Application>,
  { accountDay }: CheckOptions,
): Promise<readonly Entry[]> {
  if (entries.length === 0) return [];
  const reason = await deps.frozen();
  const stopped = deps.stop?.aborted ?? false;
  const today = accountDay();
  return commit(deps, 'sending', async (trx) => {
    const sending: Entry[] = [];
    for (const entry of entries) {
      if (reason !== undefined || stopped) {
        const why = reason === undefined ? ({ kind: 'stopped' } as const) : ({ kind: 'frozen', reason } as const);
        const { step, application } = conclude(entry, why, 'mutate');
        await moveOn(trx, deps, entry.intent, step);
        ends.set(entry.intent.id, application);
        continue;
      }
      const detail = { read: entry.read, sent: { operations: entries.length, partial_failure: true } };
      const step = { to: 'sending', accountDay: await dayFor(trx, entry.intent, today), detail } as const;
      sending.push({ ...entry, intent: await moveOn(trx, deps, entry.intent, step) });
    }
    return sending;
  });
}

async function commitAnswers(
  deps: BudgetDeps,
  entries: readonly Entry[],
  outcomes: Outcomes,
  ends: Map<bigint, Application>,
): Promise<Postponed> {
  if (entries.length === 0) return { postponed: [], error: undefined };
  return commit(deps, 'answer', async (trx) => {
    const postponed: Intent[] = [];
    let error: ApiError | undefined;
    for (const entry of entries) {
      const outcome = outcomeOf(outcomes, entry.intent);
      if (outcome.kind === 'accepted') {
        await moveOn(trx, deps, entry.intent, { to: 'applied', detail: { answer: acceptanceFacts(outcome) } });
        ends.set(entry.intent.id, { kind: 'applied' });
        continue;
      }
      const { step, application } = conclude(entry, outcome, 'mutate');
      const moved = await moveOn(trx, deps, entry.intent, step);
      ends.set(entry.intent.id, application);
      if (outcome.kind !== 'failed' || moved.state !== 'planned' || !mayRepeat(outcome.error, 'write')) continue;
      postponed.push(moved);
      error = outcome.error;
    }
    return { postponed, error };
  });
}

function outcomeOf(outcomes: Outcomes, { budgetId }: Intent): SendOutcome {
  const error = malformed('NO_ANSWER', `Nothing is known of budget ${budgetId}`, false);
  return outcomes.get(budgetId) ?? { kind: 'failed', error };
}

/** As few batches as the limit allows. No budget is twice in one: its second intent has to see what the first has done. */
export function batchesOf(intents: readonly Intent[], most: number): Intent[][] {
  const batches: Map<Intent['budgetId'], Intent>[] = [];
  const nextOf = new Map<Intent['budgetId'], number>();
  let open = 0;
  for (const intent of intents) {
    while ((batches[open]?.size ?? 0) >= most) open++;
    // Whoever is in a later batch is in the open one, which has room: no later one is full.
    const at = Math.max(open, nextOf.get(intent.budgetId) ?? 0);
    const batch = batches[at] ?? new Map();
    batches[at] = batch.set(intent.budgetId, intent);
    nextOf.set(intent.budgetId, at + 1);
  }
  return batches.map((batch) => [...batch.values()]);
}

/** The budget had the target a short time ago, so that a reading may show it from then. */
async function mayBeOld({ state, clock, readLagMs }: BudgetDeps, intent: Intent): Promise<boolean> {
  const until = await hadUntil(state.db, intent.customerId, intent.budgetId, intent.to);
  return until !== undefined && Date.parse(until) + readLagMs > clock.now();
}

/**
 * A success that does not name the budget is believed where the budget cannot be read and never could, because then the
 * status is all there is; elsewhere the budget itself has to show the amount.
 */
export async function proveSilentOnes(
  deps: BudgetDeps,
  customer: CustomerId,
  entries: readonly Entry[],
  outcomes: Outcomes,
): Promise<Outcomes> {
  const silent = entries.filter(({ intent }) => {
    const outcome = outcomes.get(intent.budgetId);
    return outcome?.kind === 'accepted' && !outcome.named;
  });
  if (silent.length === 0) return outcomes;
  const proven = new Map(outcomes);
  const says = 'The change was answered with a success that names no budget, and';
  const doubt = (words: string) => ({ kind: 'failed', error: malformed('WRONG_ANSWER', words, false) }) as const;
  try {
    const book = await readBudgets({ ads: deps.ads, db: deps.state.db }, customer, deps.declared(customer));
    for (const { intent } of silent) {
      const live = book.amounts.get(intent.budgetId);
      const believed =
        book.source === 'declared'
          ? intent.amountSource === 'declared'
          : live === intent.to && !(await mayBeOld(deps, intent));
      const found = book.source === 'declared' || live === undefined ? 'no amount' : formatMoney(live, intent.currency);
      if (!believed) proven.set(intent.budgetId, doubt(`${says} the budget shows ${found}`));
    }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const words = `${says} the budgets could not be read: ${withoutFullStop(error.message)}`;
    for (const { intent } of silent) proven.set(intent.budgetId, doubt(words));
  }
  return proven;
}
