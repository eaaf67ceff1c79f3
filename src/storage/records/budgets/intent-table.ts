import { type Selection, type SqlBool, sql, type Updateable } from 'kysely';
import { MADE_STATES } from '../../../domain/budget-change.ts';
import { type CivilDate, instantText } from '../../../domain/civil-date.ts';
import { InvariantError } from '../../../domain/errors.ts';
import type { BudgetId, CustomerId } from '../../../domain/ids.ts';
import { inTransaction } from '../in-transaction.ts';
import type { StateDb } from '../record-store.ts';
import type { IntentState } from '../schema.ts';
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
import { budgetsChangedFor, type ChangeFilter, unprovenRefusal } from './past-changes.ts';

/**
 * After `sending`, the change may have been made, whatever is answered. A gateway can apply a change and then refuse it.
 * Only a reading proves the opposite, if it began one lag after the request. Until then, a change that was refused for now
 * is `unknown`. One that was refused for good is `rejected`, and counts as made (`budgets/refused-changes`).
 */
export const INTENT_TRANSITIONS: Readonly<Record<IntentState, readonly IntentState[]>> = {
  planned: [
    'validated', // The service validated the change and would accept it.
    'planned', // The validation gave no clear result.
    'rejected', // The service validated the change and would refuse it.
    'superseded', // Someone else has changed the budget since the decision.
    'expired', // Not sent in time, or no longer allowed.
    'unknown', // Only for a change that an earlier version sent, and took for unsent after a refusal.
  ],
  validated: [
    'sending', // Stored before the request is sent.
    'planned', // The service must validate the change again.
    'superseded',
    'expired',
  ],
  sending: [
    'applied', // The service reports success.
    'rejected', // The service reports a permanent refusal.
    'expired', // This process held the request back. Forbidden if the change was sent before.
    'unknown', // The service refused for now, no clear answer came, or the process died. The next run checks the budget.
  ],
  unknown: [
    'unknown', // Another check gave no clear result.
    'confirmed', // The budget now has the new amount.
    'sending', // Sending the same amount again is harmless.
    'superseded', // The budget has neither the old nor the new amount.
    'rejected', // Not made, and the service now refuses the change.
  ],
  rejected: [
    'rejected', // A reading has proven that the refused change was not made.
    'confirmed', // The budget has the new amount: the service made the change that it refused.
  ],
  expired: [],
  applied: [],
  confirmed: [],
  superseded: [],
};

/** A later run must finish changes in these states. */
export const OPEN_STATES = ['planned', 'validated', 'sending', 'unknown'] as const satisfies readonly IntentState[];

function assertTransition(id: bigint, from: IntentState, to: IntentState): void {
  const known: readonly IntentState[] = INTENT_TRANSITIONS[from];
  if (known.includes(to)) return;
  throw new InvariantError(`Change B${id} is ${from} and cannot become ${to}.`);
}

export const INTENT_COLUMNS = [
  ...DECIDED_COLUMNS,
  ...ALERT_COLUMNS,
  'id',
  'runId',
  'kind',
  // `rule`, `approval` by a person, or `undo` by a person.
  'origin',
  // For an undo: the id of the reversed change.
  'undoes',
  // The rule, such as "rule trim@1f2e…", or a person's name.
  'actor',
  'state',
  // The code of the error or of another reason.
  'code',
  // One sentence for people.
  'outcome',
  'createdAt',
  'updatedAt',
] as const;

/** A budget change, from the decision until its outcome is known. */
export type Intent = Readonly<Selection<StateSchema, 'budgetIntent', (typeof INTENT_COLUMNS)[number]>>;

export type NewIntent = DecidedChange &
  Pick<Intent, 'kind' | 'origin' | 'undoes' | 'actor'> & {
    /** The code of the limit that a person overrides with this change. */
    readonly beyondLimits?: string | undefined;
    readonly proposalCode?: string | undefined;
    /** The reason of a person, in the person's own words. */
    readonly why?: string | undefined;
  };

/** Returns undefined for a second rule change of the same budget and account day, unless the first has expired. */
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
          // Must equal the condition of the partial index. Otherwise SQLite does not use the index.
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
      why: intent.why,
    };
    await appendEvent(trx, { intentId: made.id, kind: 'planned', actor: made.actor, detail }, nowMs);
    return made;
  });
}

export interface IntentStep {
  readonly to: IntentState;
  readonly code?: string | undefined;
  /** One sentence for people. */
  readonly outcome?: string | undefined;
  /** The new account day, if the change is not sent on the planned day. */
  readonly accountDay?: CivilDate;
  /** The person who caused this step. Default: the actor of the change. */
  readonly actor?: string | undefined;
  /** Additional facts for the event, such as the request and the answer. */
  readonly detail?: Readonly<Record<string, unknown>>;
}

/** Throws `InvariantError` for a forbidden transition, or if another process has changed the state. */
export async function moveIntent(db: StateDb, intent: Intent, step: IntentStep, nowMs: number): Promise<Intent> {
  assertTransition(intent.id, intent.state, step.to);
  return inTransaction(db, async (trx) => {
    if (step.to === 'expired') await refuseAfterSilence(trx, intent);
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
      throw new InvariantError(`Change B${intent.id} is no longer ${intent.state}: another process changed it.`);
    }
    const detail = { ...step.detail, ...stepFacts(intent, moved) };
    const actor = step.actor ?? intent.actor;
    await appendEvent(trx, { intentId: intent.id, kind: step.to, actor, detail }, nowMs);
    return moved;
  });
}

function stepFacts(before: Intent, now: Intent): Readonly<Record<string, unknown>> {
  const { customer_id, budget_id, currency, from_micros, to_micros, account_day, code, outcome } = intentFacts(now);
  const about = { customer_id, budget_id, currency, from_micros, to_micros, account_day };
  return { ...about, code, outcome, state_before: before.state };
}

async function refuseAfterSilence(trx: StateDb, { id }: Intent): Promise<void> {
  const { rows: silences } = await sql`SELECT id FROM budget_event WHERE intent_id = ${id} AND (kind = 'unknown'
    OR (kind = 'recorded' AND detail ->> 'state' IN ('sending', 'unknown'))) LIMIT 1`.execute(trx);
  if (silences.length === 0) return;
  throw new InvariantError(`Change B${id} was sent once and its outcome is unknown: it cannot expire.`);
}

export async function openIntents(db: StateDb): Promise<Intent[]> {
  return intents(db).where('state', 'in', OPEN_STATES).orderBy('id').execute();
}

/**
 * Changes that the service refused after they were sent, while no reading has proven that they were not made. Omits
 * budgets with a later change in doubt, because a reading could show either.
 */
export async function unprovenRefusals(db: StateDb, customer: CustomerId): Promise<Intent[]> {
  return intents(db)
    .where('customerId', '=', customer)
    .where(unprovenRefusal('budget_intent'))
    .where(sql<SqlBool>`NOT EXISTS (SELECT 1 FROM budget_intent AS other WHERE other.customer_id = budget_intent.customer_id
      AND other.budget_id = budget_intent.budget_id AND other.state IN ('sending', 'unknown'))`)
    .orderBy('id')
    .execute();
}

/** True if the service once refused an amount as no multiple of its smallest step. */
export async function wasUnitRefused(db: StateDb): Promise<boolean> {
  const code = 'campaignBudgetError.NON_MULTIPLE_OF_MINIMUM_CURRENCY_UNIT';
  const refused = db.selectFrom('budgetIntent').select('id').where('state', '=', 'rejected').where('code', '=', code);
  return (await refused.limit(1).executeTakeFirst()) !== undefined;
}

export async function intentById(db: StateDb, id: bigint): Promise<Intent | undefined> {
  return intents(db).where('id', '=', id).executeTakeFirst();
}

export async function intentsById(db: StateDb, ids: readonly bigint[]): Promise<Intent[]> {
  return intents(db).where('id', 'in', ids).orderBy('id').execute();
}

export async function intentsOf(db: StateDb, filter: ChangeFilter = {}): Promise<Intent[]> {
  const { customers = [], campaignId, limit } = filter;
  let query = intents(db).orderBy('id', 'desc');
  if (customers.length > 0) query = query.where('customerId', 'in', customers);
  if (campaignId !== undefined) query = query.where('budgetId', 'in', budgetsChangedFor(db, campaignId));
  if (limit !== undefined) query = query.limit(limit);
  return query.execute();
}

/** Successful undo changes. The key is the id of the reversed change. */
export async function undosMade(db: StateDb): Promise<ReadonlyMap<bigint, Intent>> {
  const undos = intents(db).where('kind', '=', 'undo').where('state', 'in', MADE_STATES);
  const rows = await undos.orderBy('id').execute();
  return new Map(rows.flatMap((undo) => (undo.undoes === undefined ? [] : [[undo.undoes, undo]])));
}

export async function intentsOfBudget(db: StateDb, customer: CustomerId, budget: BudgetId): Promise<Intent[]> {
  const ofBudget = intents(db).where('customerId', '=', customer).where('budgetId', '=', budget);
  return ofBudget.orderBy('id', 'desc').execute();
}

/** Budgets for which a rule decided a change on this account day. Ignores expired changes. */
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

/** Events store these facts, so that `pacekeeper audit verify` can compare the facts with the table. */
export function intentFacts(intent: Omit<Intent, 'id' | 'runId'>): Readonly<Record<string, string | null>> {
  const { kind, origin, undoes, state, code, outcome } = intent;
  return columnFacts({ ...decidedColumns(intent), intentKind: kind, origin, undoes, state, code, outcome });
}
