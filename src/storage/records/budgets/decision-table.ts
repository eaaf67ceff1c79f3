import { type ExpressionBuilder, sql } from 'kysely';
import { MADE_STATES } from '../../../domain/budget-change.ts';
import type { CivilDate } from '../../../domain/civil-date.ts';
import type { DecisionFacts, PlannedDecision } from '../../../domain/decision-facts.ts';
import { withoutMembers } from '../expressions.ts';
import { inTransaction } from '../in-transaction.ts';
import type { StateDb } from '../record-store.ts';
import type { AsRead } from '../state-plugin.ts';
import type { StateSchema } from '../state-schema.ts';
import { canonicalJson, withProgramKeys, withRecordKeys } from './audit-chain.ts';
import { type DecidedChange, type DecidedOn, decidedOnFacts } from './decided-change.ts';
import { appendEvent } from './event-table.ts';
import type { Proposal } from './proposal-table.ts';

export type NewDecision = Omit<PlannedDecision, 'origin' | 'subject' | 'intent' | 'proposal'> &
  Pick<DecidedChange, 'accountDay' | 'reasonWithoutAmounts'> & {
    readonly decidedOn: DecidedOn;
    readonly dryRun: boolean;
  };

/** Adds no second event for an equal decision on the same day, because runs may be hourly. */
export function recordDecision(db: StateDb, runId: bigint, decision: NewDecision, nowMs: number): Promise<void> {
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
    ...decidedOnFacts(decision),
    ...(kind === 'refusal'
      ? { code: decision.code, facts: withRecordKeys(decision.facts) }
      : { mode: decision.mode, from_micros: decision.from, to_micros: decision.to }),
  };
  return inTransaction(db, async (trx) => {
    const same = await trx
      .selectFrom('decision')
      .innerJoin('budgetEvent', 'budgetEvent.id', 'decision.eventId')
      .select(['decision.eventId', 'decision.runId'])
      .where('decision.customerId', '=', customer)
      .where('decision.accountDay', '=', accountDay)
      .where('decision.kind', '=', kind)
      .where('decision.rule', '=', rule)
      .where('decision.subject', '=', decidedOn.subject)
      .where(({ eb, ref, val }) =>
        eb(
          withoutMembers(ref('budgetEvent.detail'), ['run_id', 'version']),
          '=',
          withoutMembers(val(canonicalJson(detail)), ['run_id']),
        ),
      )
      .limit(1)
      .executeTakeFirst();
    if (same === undefined) {
      const event = kind === 'refusal' ? 'refused' : 'would_change';
      await appendEvent(trx, { kind: event, actor: `rule ${rule}@${ruleVersion}`, detail }, nowMs);
    } else if (same.runId !== runId) {
      await trx
        .insertInto('runDecision')
        .values({ runId, eventId: same.eventId })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    }
  });
}

export async function proposedOn(
  db: StateDb,
  { code, customerId, accountDay }: Pick<Proposal, 'code' | 'customerId' | 'accountDay'>,
): Promise<Pick<DecidedChange, 'decidedOn' | 'reasonWithoutAmounts'>> {
  const row = await db
    .selectFrom('decision')
    .select(['subjectKind', 'subject', 'numbers', 'reasonWithoutAmounts'])
    .where('customerId', '=', customerId)
    .where('accountDay', '=', accountDay)
    .where('kind', '=', 'proposal')
    .where('proposalCode', '=', code)
    .executeTakeFirst();
  const { subjectKind, subject, numbers, reasonWithoutAmounts } = row ?? {};
  if (subjectKind === undefined || subject === undefined) return { reasonWithoutAmounts };
  const decidedOn = { subjectKind, subject, numbers: numbers === undefined ? undefined : JSON.parse(numbers) };
  return { decidedOn, reasonWithoutAmounts };
}

const COLUMNS = [
  'decision.eventId',
  'decision.kind',
  // `rule`, `approval` by a person, or `undo` by a person.
  'decision.origin',
  // The first run that made this decision. NULL if no run made the decision.
  'decision.runId',
  'decision.decidedAt as at',
  'decision.customerId',
  'decision.budgetId',
  'decision.campaignId',
  'decision.campaignName',
  // A name for people, such as "Trail Shoes (campaign 21)".
  'decision.subject',
  'decision.accountDay',
  'decision.rule',
  'decision.ruleVersion',
  'decision.mode',
  'decision.currency',
  'decision.fromMicros as from',
  'decision.toMicros as to',
  // The code of the reason for a refusal. The facts are the numbers of this reason.
  'decision.code',
  'decision.facts',
  'decision.reason',
  'decision.reasonWithoutAmounts',
] as const;

export interface RecordedDecision extends DecisionFacts {
  readonly eventId: bigint;
  readonly runId: bigint | undefined;
  /** In UTC. */
  readonly at: string;
  readonly accountName: string | undefined;
  readonly accountDay: CivilDate;
  readonly reasonWithoutAmounts?: string | undefined;
}

/** Includes decisions that an earlier run made first and this run repeated. */
export async function decisionsOfRun(db: StateDb, runId: bigint, limit?: number): Promise<RecordedDecision[]> {
  const own = decisions(db).where(isOfRun(db, runId)).orderBy('decision.eventId');
  return (await (limit === undefined ? own : own.limit(limit)).$castTo<Joined>().execute()).map(toRecorded);
}

export interface CountedDecisions extends Pick<RecordedDecision, 'kind' | 'code' | 'rule'> {
  readonly count: bigint;
}

/** Also decisions that the run repeated. */
export async function countDecisionsOfRun(db: StateDb, runId: bigint): Promise<CountedDecisions[]> {
  return db
    .selectFrom('decision')
    .where(isOfRun(db, runId))
    .select(({ fn }) => ['kind', 'code', 'rule', fn.countAll<bigint>().as('count')])
    .groupBy(['kind', 'code', 'rule'])
    .execute();
}

function isOfRun(db: StateDb, runId: bigint) {
  const again = db.selectFrom('runDecision').select('eventId').where('runId', '=', runId);
  return ({ or, eb }: ExpressionBuilder<StateSchema, 'decision'>) =>
    or([eb('decision.runId', '=', runId), eb('decision.eventId', 'in', again)]);
}

export async function decisionsOfEvents(db: StateDb, eventIds: readonly bigint[]): Promise<RecordedDecision[]> {
  const own = decisions(db).where('decision.eventId', 'in', eventIds);
  return (await own.$castTo<Joined>().execute()).map(toRecorded);
}

/** The numbers of the events in which rules asked for approval. */
export async function eventsOfRequests(db: StateDb, codes: readonly string[]): Promise<bigint[]> {
  const asked = db.selectFrom('decision').select('eventId').where('kind', '=', 'proposal');
  return (await asked.where('proposalCode', 'in', codes).execute()).map(({ eventId }) => eventId);
}

/** Number of decisions of earlier runs that this run repeated. */
export async function decisionsRepeated(db: StateDb, runId: bigint): Promise<bigint> {
  const again = db.selectFrom('runDecision').select(({ fn }) => fn.countAll<bigint>().as('count'));
  return (await again.where('runId', '=', runId).executeTakeFirstOrThrow()).count;
}

/** Newest first, without dry runs. If a rule refuses the same subject several times a day, only the last time appears. */
export async function decisionsSince(db: StateDb, since: string): Promise<RecordedDecision[]> {
  const newest = db
    .selectFrom('decision')
    .select(({ fn }) => fn.max('eventId').as('eventId'))
    .where('decidedAt', '>=', since)
    .where('dryRun', '=', 0n)
    .where('kind', 'in', ['refusal', 'would_change'])
    .groupBy(['customerId', 'accountDay', 'kind', 'rule', sql`coalesce(subject, CAST(budget_id AS TEXT))`]);
  const rows = decisions(db)
    .where('decision.decidedAt', '>=', since)
    .where(({ or, eb }) =>
      or([eb('decision.kind', 'in', ['change', 'proposal']), eb('decision.eventId', 'in', newest)]),
    )
    .orderBy('decision.decidedAt', 'desc')
    .orderBy('decision.intentId', (order) => order.desc().nullsLast())
    .orderBy('decision.eventId');
  return (await rows.$castTo<Joined>().execute()).map(toRecorded);
}

/** When each rule last decided something, in UTC. Without dry runs, and acts of people. */
export async function lastDecisions(db: StateDb): Promise<{ readonly rule: string; readonly at: string }[]> {
  return db
    .selectFrom('decision')
    .select(({ fn }) => ['rule', fn.max('decidedAt').as('at')])
    .where('dryRun', '=', 0n)
    .where('origin', '=', 'rule')
    .groupBy('rule')
    .execute();
}

export interface CountedRefusals {
  readonly times: bigint;
  readonly newest: RecordedDecision;
}

/** By rule and code, most frequent first. Without dry runs. */
export async function refusalsSince(db: StateDb, since: string): Promise<CountedRefusals[]> {
  const counts = await db
    .selectFrom('decision')
    .select(({ fn }) => [fn.max('eventId').as('eventId'), fn.countAll<bigint>().as('times')])
    .where('decidedAt', '>=', since)
    .where('dryRun', '=', 0n)
    .where('kind', '=', 'refusal')
    .groupBy(['rule', 'code'])
    .execute();
  const timesOf = new Map(counts.map(({ eventId, times }) => [eventId, times]));
  const newest = decisions(db).where('decision.eventId', 'in', [...timesOf.keys()]);
  const rows = timesOf.size === 0 ? [] : (await newest.$castTo<Joined>().execute()).map(toRecorded);
  return rows
    .map((one) => ({ newest: one, times: timesOf.get(one.eventId) ?? 0n }))
    .toSorted((one, other) => Number(other.times - one.times));
}

export async function changesMadeSince(db: StateDb, since: string): Promise<RecordedDecision[]> {
  const rows = decisions(db)
    .where('decision.decidedAt', '>=', since)
    .where('decision.kind', '=', 'change')
    .where('budgetIntent.state', 'in', MADE_STATES)
    .orderBy('budgetIntent.id', 'desc');
  return (await rows.$castTo<Joined>().execute()).map(toRecorded);
}

export async function reasonOfIntent(db: StateDb, intentId: bigint): Promise<string | undefined> {
  const row = await db
    .selectFrom('budgetEvent')
    .innerJoin('decision', 'decision.eventId', 'budgetEvent.id')
    .select('decision.reasonWithoutAmounts')
    .where('budgetEvent.intentId', '=', intentId)
    .where('decision.kind', '=', 'change')
    .executeTakeFirst();
  return row?.reasonWithoutAmounts;
}

function decisions(db: StateDb) {
  return db
    .selectFrom('decision')
    .leftJoin('account', 'account.customerId', 'decision.customerId')
    .leftJoin('budgetIntent', 'budgetIntent.id', 'decision.intentId')
    .leftJoin('budgetProposal', 'budgetProposal.code', 'decision.proposalCode')
    .select(COLUMNS)
    .select(['account.name as accountName', 'budgetIntent.id as intentId', 'budgetIntent.state as intentState'])
    .select(['budgetIntent.undoes', 'budgetIntent.actor', 'budgetIntent.code as intentCode', 'budgetIntent.outcome'])
    .select(['budgetProposal.code as proposalCode', 'budgetProposal.state as proposalState'])
    .select([
      'budgetProposal.decidedBy',
      'budgetProposal.accountDay as proposedOn',
      'budgetProposal.createdAt as proposedAt',
    ])
    .select(['budgetProposal.expiresAt', 'account.timeZone']);
}

type Joined = AsRead<Awaited<ReturnType<ReturnType<typeof decisions>['execute']>>[number]>;

/** A page reads thousands of rows. Naming each key is several times as fast as taking the others together. */
function toRecorded(row: Joined): RecordedDecision {
  const { intentId, intentState, actor, proposalCode, proposalState, proposedOn, proposedAt, expiresAt } = row;
  const isProposed = proposedOn !== undefined && proposedAt !== undefined && expiresAt !== undefined;
  return {
    eventId: row.eventId,
    kind: row.kind,
    origin: row.origin,
    runId: row.runId,
    at: row.at,
    customerId: row.customerId,
    budgetId: row.budgetId,
    campaignId: row.campaignId,
    campaignName: row.campaignName,
    subject: row.subject,
    accountDay: row.accountDay,
    rule: row.rule,
    ruleVersion: row.ruleVersion,
    mode: row.mode,
    currency: row.currency,
    from: row.from,
    to: row.to,
    code: row.code,
    facts: row.facts === undefined ? undefined : withProgramKeys(JSON.parse(row.facts)),
    reason: row.reason,
    reasonWithoutAmounts: row.reasonWithoutAmounts,
    accountName: row.accountName,
    intent:
      intentId === undefined || intentState === undefined || actor === undefined
        ? undefined
        : { id: intentId, state: intentState, undoes: row.undoes, actor, code: row.intentCode, outcome: row.outcome },
    proposal:
      proposalCode === undefined || proposalState === undefined || !isProposed
        ? undefined
        : {
            code: proposalCode,
            state: proposalState,
            decidedBy: row.decidedBy,
            accountDay: proposedOn,
            createdAt: proposedAt,
            expiresAt,
            timeZone: row.timeZone,
          },
  };
}
