import type { Selectable } from 'kysely';
import { type CivilDate, instantText } from '../domain/civil-date.ts';
import { type BudgetId, budgetId, type CampaignId, type CustomerId, campaignId, customerId } from '../domain/ids.ts';
import { type Micros, micros } from '../domain/micros.ts';
import type { StateDb } from './open-state.ts';
import type { IntentState, StateSchema } from './schema.ts';

/** A decided budget change, from the moment it is committed until it is known what became of it. */
export interface Intent {
  readonly id: bigint;
  readonly customerId: CustomerId;
  readonly budgetId: BudgetId;
  readonly campaignId: CampaignId;
  readonly campaignName: string | undefined;
  /** The account's calendar day that the change counts for. */
  readonly accountDay: CivilDate;
  readonly currency: string;
  readonly rule: string;
  /** The amount the decision was made on. */
  readonly from: Micros;
  /** The amount to set, absolute. */
  readonly to: Micros;
  /** Whether `from` was read from the interface or is declared in the settings. */
  readonly amountSource: 'read' | 'declared';
  readonly state: IntentState;
  readonly reason: string;
}

export type NewIntent = Omit<Intent, 'id' | 'state'>;

/**
 * Inserts a planned intent; undefined when this budget already has one for the account day. One that expired was never
 * sent: the new decision takes its place.
 */
export async function insertIntent(
  db: StateDb,
  runId: bigint,
  intent: NewIntent,
  nowMs: number,
): Promise<Intent | undefined> {
  const now = instantText(nowMs);
  const row = {
    run_id: runId,
    customer_id: BigInt(intent.customerId),
    budget_id: BigInt(intent.budgetId),
    campaign_id: BigInt(intent.campaignId),
    campaign_name: intent.campaignName ?? null,
    account_day: intent.accountDay,
    currency: intent.currency,
    rule: intent.rule,
    from_micros: intent.from,
    to_micros: intent.to,
    amount_source: intent.amountSource,
    state: 'planned' as const,
    code: null,
    outcome: null,
    reason: intent.reason,
    created_at: now,
    updated_at: now,
  };
  const inserted = await db
    .insertInto('budget_intent')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(['customer_id', 'budget_id', 'account_day'])
        .doUpdateSet(row)
        .where('budget_intent.state', '=', 'expired'),
    )
    .returningAll()
    .executeTakeFirst();
  return inserted && toIntent(inserted);
}

/** What the state changes to and why; `accountDay` moves the intent to the day it is really sent on. */
export interface IntentStep {
  readonly state: IntentState;
  /** The service's name of what went wrong. */
  readonly code?: string | undefined;
  /** One sentence for a person. */
  readonly outcome?: string | undefined;
  readonly accountDay?: CivilDate;
}

export async function updateIntent(db: StateDb, id: bigint, step: IntentStep, nowMs: number): Promise<void> {
  await db
    .updateTable('budget_intent')
    .set({
      state: step.state,
      code: step.code ?? null,
      outcome: step.outcome ?? null,
      updated_at: instantText(nowMs),
      ...(step.accountDay === undefined ? {} : { account_day: step.accountDay }),
    })
    .where('id', '=', id)
    .execute();
}

/** Intents whose end is not known yet, oldest first. */
export async function openIntents(db: StateDb): Promise<Intent[]> {
  const rows = await db
    .selectFrom('budget_intent')
    .selectAll()
    .where('state', 'in', ['planned', 'validated', 'sending', 'unknown'])
    .orderBy('id')
    .execute();
  return rows.map(toIntent);
}

/** The budgets of an account that already had a change on the account day, with its state; one never sent is none. */
export async function budgetsDecidedOn(
  db: StateDb,
  customer: CustomerId,
  day: CivilDate,
): Promise<Map<BudgetId, IntentState>> {
  const rows = await db
    .selectFrom('budget_intent')
    .select(['budget_id', 'state'])
    .where('customer_id', '=', BigInt(customer))
    .where('account_day', '=', day)
    .where('state', '!=', 'expired')
    .execute();
  return new Map(rows.map((row) => [budgetId(row.budget_id.toString()), row.state]));
}

/** What our own ledger says each budget of the account was last set to. */
export async function lastSetAmounts(db: StateDb, customer: CustomerId): Promise<Map<BudgetId, Micros>> {
  const rows = await db
    .selectFrom('budget_intent')
    .select(['budget_id', 'to_micros'])
    .where('customer_id', '=', BigInt(customer))
    .where('state', 'in', ['applied', 'confirmed'])
    .orderBy('updated_at')
    .orderBy('id')
    .execute();
  return new Map(rows.map((row) => [budgetId(row.budget_id.toString()), micros(row.to_micros)]));
}

function toIntent(row: Selectable<StateSchema['budget_intent']>): Intent {
  return {
    id: row.id,
    customerId: customerId(row.customer_id.toString()),
    budgetId: budgetId(row.budget_id.toString()),
    campaignId: campaignId(row.campaign_id.toString()),
    campaignName: row.campaign_name ?? undefined,
    accountDay: row.account_day as CivilDate,
    currency: row.currency,
    rule: row.rule,
    from: micros(row.from_micros),
    to: micros(row.to_micros),
    amountSource: row.amount_source,
    state: row.state,
    reason: row.reason,
  };
}
