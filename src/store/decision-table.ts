import { sql } from 'kysely';
import { type CivilDate, civilDate } from '../domain/civil-date.ts';
import { type BudgetId, budgetId, type CampaignId, type CustomerId, campaignId, customerId } from '../domain/ids.ts';
import { canonicalJson } from './canonical-json.ts';
import { type DecidedChange, type DecidedOn, decidedOnFacts } from './decided-change.ts';
import { appendEvent } from './event-table.ts';
import { inTransaction } from './in-transaction.ts';
import { SET_STATES } from './intent-states.ts';
import type { StateDb } from './open-state.ts';
import type { IntentState, ProposalState, StateSchema } from './schema.ts';

type Row = StateSchema['decision'];

/** What a run decided without an intent or a proposal. Nothing of it was sent, and nobody was asked. */
export type NewDecision = Pick<
  DecidedChange,
  'customerId' | 'campaignId' | 'campaignName' | 'accountDay' | 'rule' | 'ruleVersion' | 'reason'
> & {
  readonly decidedOn: DecidedOn;
  readonly budgetId: BudgetId | undefined;
  readonly currency: string | undefined;
  /** The run was to change and send nothing. */
  readonly dryRun: boolean;
} & (
    | { readonly kind: 'refusal'; readonly code: string; readonly facts: unknown }
    | ({ readonly kind: 'would_change'; readonly mode: NonNullable<Row['mode']> } & Pick<DecidedChange, 'from' | 'to'>)
  );

/**
 * Writes down what a run refused or only shows, with its event. A run that comes to exactly what an earlier run of the account
 * day came to adds no event, only that it came to it: a report every hour does not make the record longer.
 */
export function recordDecision(
  db: StateDb,
  runId: bigint | undefined,
  decision: NewDecision,
  nowMs: number,
): Promise<void> {
  const { kind, rule, ruleVersion, customerId: customer, accountDay, decidedOn } = decision;
  const detail = {
    customer_id: customer,
    budget_id: decision.budgetId,
    campaign_id: decision.campaignId,
    campaign_name: decision.campaignName,
    account_day: accountDay,
    currency: decision.currency,
    rule,
    rule_version: ruleVersion,
    reason: decision.reason,
    dry_run: decision.dryRun || undefined,
    run_id: runId,
    ...decidedOnFacts(decidedOn),
    ...(kind === 'refusal'
      ? { code: decision.code, facts: decision.facts }
      : { mode: decision.mode, from_micros: decision.from, to_micros: decision.to }),
  };
  return inTransaction(db, async (trx) => {
    const { rows } = await sql<{ id: bigint; run_id: bigint | null }>`
      SELECT event.id, decision.run_id FROM decision JOIN budget_event AS event ON event.id = decision.event_id
      WHERE decision.customer_id = ${BigInt(customer)} AND decision.account_day = ${accountDay}
        AND decision.kind = ${kind} AND decision.rule = ${rule} AND decision.subject = ${decidedOn.subject}
        AND json_remove(event.detail, ${RUN_PATH}) = json_remove(${canonicalJson(detail)}, ${RUN_PATH})
      LIMIT 1`.execute(trx);
    const [same] = rows;
    if (same === undefined) {
      const event = kind === 'refusal' ? 'refused' : 'would_change';
      await appendEvent(trx, { kind: event, actor: `rule ${rule}@${ruleVersion}`, detail }, nowMs);
    } else if (runId !== undefined && same.run_id !== runId) {
      await sql`INSERT OR IGNORE INTO run_decision (run_id, event_id) VALUES (${runId}, ${same.id})`.execute(trx);
    }
  });
}

const RUN_PATH = '$.run_id';

/** A decision on record, and what became of it. */
export interface RecordedDecision {
  readonly eventId: bigint;
  readonly kind: Row['kind'];
  /** Who let a change be made: the rule alone, a person who approved it, or a person who took one back. */
  readonly origin: Row['origin'];
  /** The first run that came to it; undefined where a person acted outside of one. */
  readonly runId: bigint | undefined;
  /** Instant, UTC. */
  readonly at: string;
  readonly customerId: CustomerId;
  readonly accountName: string | undefined;
  readonly budgetId: BudgetId | undefined;
  readonly campaignId: CampaignId | undefined;
  readonly campaignName: string | undefined;
  /** For people: "Trail Shoes (campaign 21)"; undefined where it was not recorded. */
  readonly subject: string | undefined;
  readonly accountDay: CivilDate;
  readonly rule: string;
  /** Of what would be changed: how far it might go by itself. */
  readonly mode: Row['mode'] | undefined;
  readonly currency: string | undefined;
  readonly fromMicros: bigint | undefined;
  readonly toMicros: bigint | undefined;
  /** The guard's word for what stopped it, and the facts that its sentence is made of. */
  readonly code: string | undefined;
  readonly facts: unknown;
  readonly reason: string;
  /** Of a change: what became of it. */
  readonly intent: DecidedIntent | undefined;
  /** The proposal that it is, or came of. */
  readonly proposal: DecidedProposal | undefined;
}

interface DecidedIntent {
  readonly id: bigint;
  readonly state: IntentState;
  readonly undoes: bigint | undefined;
  readonly actor: string;
  /** The service's name, or ours, of what went wrong. */
  readonly code: string | undefined;
  readonly outcome: string | undefined;
}

interface DecidedProposal {
  readonly code: string;
  readonly state: ProposalState;
  readonly decidedBy: string | undefined;
}

/** What a run decided, in the order in which it did; with what an earlier run of the day had come to before it. */
export async function decisionsOfRun(db: StateDb, runId: bigint, limit?: number): Promise<RecordedDecision[]> {
  const again = db.selectFrom('run_decision').select('event_id').where('run_id', '=', runId);
  const own = decisions(db)
    .where(({ or, eb }) => or([eb('decision.run_id', '=', runId), eb('decision.event_id', 'in', again)]))
    .orderBy('decision.event_id');
  return (await (limit === undefined ? own : own.limit(limit)).execute()).map(toRecorded);
}

/**
 * What was decided since the instant, the newest run first, dry runs apart. What is refused or only shown counts once a day for a
 * rule and its subject, whatever its numbers were in each run: the newest stands for all.
 */
export async function decisionsSince(db: StateDb, since: string): Promise<RecordedDecision[]> {
  const newest = db
    .selectFrom('decision')
    .select(({ fn }) => fn.max('event_id').as('event_id'))
    .where('decided_at', '>=', since)
    .where('dry_run', '=', 0n)
    .where('kind', 'in', ['refusal', 'would_change'])
    .groupBy(['customer_id', 'account_day', 'kind', 'rule', sql`coalesce(subject, budget_id)`]);
  const rows = decisions(db)
    .where('decision.decided_at', '>=', since)
    .where(({ or, eb }) =>
      or([eb('decision.kind', 'in', ['change', 'proposal']), eb('decision.event_id', 'in', newest)]),
    )
    .orderBy('decision.decided_at', 'desc')
    .orderBy('decision.intent_id', 'desc')
    .orderBy('decision.event_id');
  return (await rows.execute()).map(toRecorded);
}

/** The changes that were decided since the instant and made, the newest first. */
export async function changesMadeSince(db: StateDb, since: string): Promise<RecordedDecision[]> {
  const rows = decisions(db)
    .where('decision.decided_at', '>=', since)
    .where('decision.kind', '=', 'change')
    .where('budget_intent.state', 'in', SET_STATES)
    .orderBy('budget_intent.id', 'desc');
  return (await rows.execute()).map(toRecorded);
}

function decisions(db: StateDb) {
  return db
    .selectFrom('decision')
    .leftJoin('account', 'account.customer_id', 'decision.customer_id')
    .leftJoin('budget_intent', 'budget_intent.id', 'decision.intent_id')
    .leftJoin('budget_proposal', 'budget_proposal.code', 'decision.proposal_code')
    .select(['decision.event_id', 'decision.kind', 'decision.origin', 'decision.run_id', 'decision.customer_id'])
    .select(['decision.budget_id', 'decision.campaign_id', 'decision.campaign_name', 'decision.subject'])
    .select(['decision.account_day', 'decision.rule', 'decision.mode', 'decision.code', 'decision.currency'])
    .select(['decision.from_micros', 'decision.to_micros', 'decision.facts', 'decision.reason', 'decision.decided_at'])
    .select(['account.name as account_name', 'budget_intent.id as intent_id', 'budget_intent.state as intent_state'])
    .select([
      'budget_intent.undoes',
      'budget_intent.actor',
      'budget_intent.code as intent_code',
      'budget_intent.outcome',
    ])
    .select([
      'budget_proposal.code as proposal_code',
      'budget_proposal.state as proposal_state',
      'budget_proposal.decided_by',
    ]);
}

type Joined = Awaited<ReturnType<ReturnType<typeof decisions>['execute']>>[number];

function toRecorded(row: Joined): RecordedDecision {
  return {
    eventId: row.event_id,
    kind: row.kind,
    origin: row.origin,
    runId: row.run_id ?? undefined,
    at: row.decided_at,
    customerId: customerId(row.customer_id.toString()),
    accountName: row.account_name ?? undefined,
    budgetId: row.budget_id === null ? undefined : budgetId(row.budget_id.toString()),
    campaignId: row.campaign_id === null ? undefined : campaignId(row.campaign_id.toString()),
    campaignName: row.campaign_name ?? undefined,
    subject: row.subject ?? undefined,
    accountDay: civilDate(row.account_day),
    rule: row.rule,
    mode: row.mode ?? undefined,
    currency: row.currency ?? undefined,
    fromMicros: row.from_micros ?? undefined,
    toMicros: row.to_micros ?? undefined,
    code: row.code ?? undefined,
    facts: row.facts === null ? undefined : JSON.parse(row.facts),
    reason: row.reason,
    intent: toIntent(row),
    proposal: toProposal(row),
  };
}

function toIntent({ intent_id: id, intent_state: state, actor, undoes, intent_code: code, outcome }: Joined) {
  if (id === null || state === null || actor === null) return undefined;
  return { id, state, actor, undoes: undoes ?? undefined, code: code ?? undefined, outcome: outcome ?? undefined };
}

function toProposal({ proposal_code: code, proposal_state: state, decided_by: by }: Joined) {
  return code === null || state === null ? undefined : { code, state, decidedBy: by ?? undefined };
}
