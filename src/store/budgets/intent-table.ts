import { type Selection, type SqlBool, sql, type Updateable } from 'kysely';
import { MADE_STATES } from '../../domain/budget-change.ts';
import { type CivilDate, instantText } from '../../domain/civil-date.ts';
import { InvariantError } from '../../domain/errors.ts';
import type { BudgetId, CustomerId } from '../../domain/ids.ts';
import type { IntentState } from '../schema.ts';
import { memberOf } from '../sqlite/expressions.ts';
import { inTransaction } from '../sqlite/in-transaction.ts';
import type { StateDb } from '../sqlite/open-state.ts';
import type { StateSchema } from '../state-schema.ts';
import { columnFacts } from './audit-chain.ts';
import {
  ALERT_COLUMNS,
  DECIDED_COLUMNS,
  type DecidedChange,
  decidedColumns,
  decidedOnFacts,
} from './decided-change.ts';
import { appendEvent } from './event-table.ts';
import { budgetsChangedFor, type ChangeFilter } from './past-changes.ts';

/**
 * What an intent may become. Nothing is sent before `sending` is committed, and what was ever without an answer is never
 * again as if it had not been sent.
 */
export const INTENT_TRANSITIONS: Readonly<Record<IntentState, readonly IntentState[]>> = {
  planned: [
    'validated', // The service would accept it.
    'planned', // The service could not be asked; why is written down.
    'rejected', // The service would refuse it.
    'superseded', // Someone else has changed the budget since the decision.
    'expired', // It was not sent in time, or may not be sent any more.
  ],
  validated: [
    'sending', // Committed before the request leaves.
    'planned', // It has to be asked about again before it may be sent.
    'superseded', // As above.
    'expired', // As above.
  ],
  sending: [
    'applied', // The service says that it was done.
    'rejected', // The service says that it was not done, and will not be.
    'planned', // It was surely not done, for a reason that may pass. Never after an `unknown`.
    'unknown', // No answer, one that proves nothing, or the process died: its next run finds it here.
  ],
  unknown: [
    'unknown', // One more try to find out has told nothing.
    'confirmed', // Read back: the target is there.
    'sending', // Read back: the old amount is there. Or it cannot be read: the same amount again does no harm.
    'superseded', // Read back: neither is there.
    'rejected', // Surely not made, and refused now.
  ],
  expired: [],
  applied: [],
  confirmed: [],
  rejected: [],
  superseded: [],
};

/** Whether the state is one of those that a later run has to bring to an end. */
export const OPEN_STATES = ['planned', 'validated', 'sending', 'unknown'] as const satisfies readonly IntentState[];

/** Throws `InvariantError` for a step that is none of {@link INTENT_TRANSITIONS}. */
function assertTransition(id: bigint, from: IntentState, to: IntentState): void {
  const known: readonly IntentState[] = INTENT_TRANSITIONS[from];
  if (known.includes(to)) return;
  throw new InvariantError(`Intent ${id} is ${from} and cannot become ${to}.`);
}

export const INTENT_COLUMNS = [
  ...DECIDED_COLUMNS,
  ...ALERT_COLUMNS,
  'id',
  // NULL outside of a run.
  'runId',
  'kind',
  // Who let it through: the rule alone, a person who approved it, or a person who undoes another.
  'origin',
  // The intent that a person takes back.
  'undoes',
  // Who wants it: "rule trim@1f2e…" or a person's name.
  'actor',
  'state',
  // The service's name, or ours, of what went wrong.
  'code',
  // What became of it, one sentence for a person.
  'outcome',
  'createdAt',
  'updatedAt',
] as const;

/** A decided budget change, from the moment it is committed until it is known what became of it. */
export type Intent = Readonly<Selection<StateSchema, 'budgetIntent', (typeof INTENT_COLUMNS)[number]>>;

export type NewIntent = DecidedChange &
  Pick<Intent, 'kind' | 'origin' | 'undoes' | 'actor'> & {
    /** The code of the limit that a person goes beyond with it: for the record of who decided that. */
    readonly beyondLimits?: string | undefined;
    /** The code of the proposal that a person approved. */
    readonly proposalCode?: string | undefined;
  };

/**
 * Inserts a planned intent with its event; undefined when it is a rule's and the budget already has one for the account
 * day. One that expired was never sent and is in nobody's way. `runId` is undefined outside of a run.
 */
export function insertIntent(
  db: StateDb,
  runId: bigint | undefined,
  intent: NewIntent,
  nowMs: number,
): Promise<Intent | undefined> {
  const now = instantText(nowMs);
  return inTransaction(db, async (trx) => {
    const made = await trx
      .insertInto('budgetIntent')
      .values({
        ...decidedColumns(intent),
        alertText: intent.alertText,
        alertSeverity: intent.alertSeverity,
        runId,
        kind: intent.kind,
        origin: intent.origin,
        undoes: intent.undoes,
        actor: intent.actor,
        state: 'planned',
        createdAt: now,
        updatedAt: now,
      })
      .onConflict((conflict) =>
        conflict
          .columns(['customerId', 'budgetId', 'accountDay'])
          // In these very words: SQLite finds the index by them.
          .where(sql<SqlBool>`kind = 'rule' AND state <> 'expired'`)
          .doNothing(),
      )
      .returning(INTENT_COLUMNS)
      .executeTakeFirst();
    if (made === undefined) return undefined;
    const detail = {
      ...intentFacts(made),
      ...decidedOnFacts(intent),
      run_id: made.runId ?? null,
      beyond_limits: intent.beyondLimits,
      proposal_code: intent.proposalCode,
    };
    await appendEvent(trx, { intentId: made.id, kind: 'planned', actor: made.actor, detail }, nowMs);
    return made;
  });
}

export interface IntentStep {
  readonly to: IntentState;
  /** The service's name, or ours, of what went wrong. */
  readonly code?: string | undefined;
  /** One sentence for a person. */
  readonly outcome?: string | undefined;
  /** Moves the intent to the account day on which it is really sent. */
  readonly accountDay?: CivilDate;
  /** Who made it so, if not who wanted the change. */
  readonly actor?: string | undefined;
  /** What was read, sent and answered, for the event: `{ read: …, sent: …, answer: … }`. The step's own facts go before it. */
  readonly detail?: Readonly<Record<string, unknown>>;
}

/**
 * Moves an intent on, with its event in the same transaction, and answers with it as it is now. Throws `InvariantError`
 * for a step that is not in `INTENT_TRANSITIONS`, and when the intent is no longer what the caller takes it for: another
 * process has moved it, and only one of them may.
 */
export async function moveIntent(db: StateDb, intent: Intent, step: IntentStep, nowMs: number): Promise<Intent> {
  assertTransition(intent.id, intent.state, step.to);
  return inTransaction(db, async (trx) => {
    if (intent.state === 'sending' && step.to === 'planned') await refuseAfterSilence(trx, intent);
    const changes = {
      state: step.to,
      code: step.code ?? null,
      outcome: step.outcome ?? null,
      accountDay: step.accountDay ?? intent.accountDay,
      updatedAt: instantText(nowMs),
    } satisfies Updateable<StateSchema['budgetIntent']>;
    const moved = await trx
      .updateTable('budgetIntent')
      .set(changes)
      .where('id', '=', intent.id)
      .where('state', '=', intent.state)
      .returning(INTENT_COLUMNS)
      .executeTakeFirst();
    if (moved === undefined) {
      throw new InvariantError(`Intent ${intent.id} is no longer ${intent.state}: another process has moved it.`);
    }
    const detail = { ...step.detail, ...stepFacts(intent, moved) };
    const actor = step.actor ?? intent.actor;
    await appendEvent(trx, { intentId: intent.id, kind: step.to, actor, detail }, nowMs);
    return moved;
  });
}

/** Who reads one event knows which budget it is about, what it was to become, and what it had come to before. */
function stepFacts(before: Intent, now: Intent): Readonly<Record<string, unknown>> {
  const { customer_id, budget_id, currency, from_micros, to_micros, account_day, code, outcome } = intentFacts(now);
  const about = { customer_id, budget_id, currency, from_micros, to_micros, account_day };
  return { ...about, code, outcome, state_before: before.state };
}

async function refuseAfterSilence(trx: StateDb, { id }: Intent): Promise<void> {
  const silence = await trx
    .selectFrom('budgetEvent')
    .select('id')
    .where('intentId', '=', id)
    .where(({ eb, or, and }) =>
      or([
        eb('kind', '=', 'unknown'),
        and([eb('kind', '=', 'recorded'), eb(memberOf('detail', 'state'), 'in', ['sending', 'unknown'])]),
      ]),
    )
    .limit(1)
    .executeTakeFirst();
  if (silence === undefined) return;
  throw new InvariantError(`Intent ${id} was once sent without an answer and cannot become planned again.`);
}

/** Intents whose end is not known yet, oldest first. */
export async function openIntents(db: StateDb): Promise<Intent[]> {
  return intents(db).where('state', 'in', OPEN_STATES).orderBy('id').execute();
}

export async function intentById(db: StateDb, id: bigint): Promise<Intent | undefined> {
  return intents(db).where('id', '=', id).executeTakeFirst();
}

/** Intents that the filter lets through, the newest first. */
export async function intentsOf(db: StateDb, filter: ChangeFilter = {}): Promise<Intent[]> {
  const { customers = [], campaignId, limit } = filter;
  let query = intents(db).orderBy('id', 'desc');
  if (customers.length > 0) query = query.where('customerId', 'in', customers);
  if (campaignId !== undefined) query = query.where('budgetId', 'in', budgetsChangedFor(db, campaignId));
  if (limit !== undefined) query = query.limit(limit);
  return query.execute();
}

/** The changes that took another one back, by the other's number. */
export async function undosMade(db: StateDb): Promise<ReadonlyMap<bigint, Intent>> {
  const undos = intents(db).where('kind', '=', 'undo').where('state', 'in', MADE_STATES);
  const rows = await undos.orderBy('id').execute();
  return new Map(rows.flatMap((undo) => (undo.undoes === undefined ? [] : [[undo.undoes, undo]])));
}

/** All intents of a budget, the newest first. */
export async function intentsOfBudget(db: StateDb, customer: CustomerId, budget: BudgetId): Promise<Intent[]> {
  const ofBudget = intents(db).where('customerId', '=', customer).where('budgetId', '=', budget);
  return ofBudget.orderBy('id', 'desc').execute();
}

/** The budgets of an account for which a rule decided on the account day, with what became of it; one never sent is none. */
export async function decidedOn(
  db: StateDb,
  customer: CustomerId,
  day: CivilDate,
): Promise<Map<BudgetId, IntentState>> {
  const rows = await db
    .selectFrom('budgetIntent')
    .select(['budgetId', 'state'])
    .where('customerId', '=', customer)
    .where('accountDay', '=', day)
    .where('kind', '=', 'rule')
    .where('state', '!=', 'expired')
    .execute();
  return new Map(rows.map(({ budgetId, state }) => [budgetId, state]));
}

function intents(db: StateDb) {
  return db.selectFrom('budgetIntent').select(INTENT_COLUMNS);
}

/**
 * All that an intent says, by the names of its columns (`intent_kind` for `kind`): written with its first event, and
 * compared with what the events say of it later.
 */
export function intentFacts(intent: Omit<Intent, 'id' | 'runId'>): Readonly<Record<string, string | null>> {
  const { kind, origin, undoes, state, code, outcome } = intent;
  return columnFacts({ ...decidedColumns(intent), intentKind: kind, origin, undoes, state, code, outcome });
}
