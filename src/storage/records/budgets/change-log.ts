import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { addDays, type CivilDate } from '../../../domain/civil-date.ts';
import type { CampaignId, CustomerId } from '../../../domain/ids.ts';
import type { StateDb } from '../record-store.ts';
import type { EventKind, IntentState, ProposalState } from '../schema.ts';

/** The kinds of entries, and the events that make one. A change or a request has one entry for all its events. */
const EVENTS_OF = {
  change: ['planned', 'recorded'],
  approval: ['planned', 'recorded'],
  undo: ['planned', 'recorded'],
  elsewhere: ['foreign_change'],
  request: ['proposed', 'proposal_expired'],
  rejection: ['declined'],
  freeze: ['frozen', 'freeze_file_found'],
  unfreeze: ['unfrozen', 'freeze_file_gone'],
  setting: ['settings_widened'],
  copy: ['restored', 'adopted'],
  refusal: ['refused'],
  suggestion: ['would_change'],
} as const satisfies Readonly<Record<string, readonly EventKind[]>>;

export type LogKind = keyof typeof EVENTS_OF;

export const LOG_KINDS = Object.keys(EVENTS_OF) as readonly LogKind[];

export function isLogKind(text: string): text is LogKind {
  return Object.hasOwn(EVENTS_OF, text);
}

/** An undefined value does not limit the selection. Days are in UTC. */
export interface LogFilter {
  readonly from?: CivilDate | undefined;
  readonly to?: CivilDate | undefined;
  readonly customers?: readonly CustomerId[];
  readonly campaignId?: CampaignId | undefined;
  /** The name of a person, or `pacekeeper`. */
  readonly by?: string | undefined;
  /** Leaves out what rules and the program itself did. */
  readonly isByPeople?: boolean;
  readonly rule?: string | undefined;
  readonly kinds?: readonly LogKind[];
}

/** From the newest entry, or from the entry beside an event. */
export interface LogPlace {
  readonly limit: number;
  readonly before?: bigint | undefined;
  readonly after?: bigint | undefined;
}

export interface LogRow {
  readonly eventId: bigint;
  readonly kind: LogKind;
  /** When it was decided or noticed, in UTC. */
  readonly at: string;
  readonly person: string | undefined;
  readonly intentId: bigint | undefined;
  readonly proposalCode: string | undefined;
}

/** Newest first. */
export async function logRows(
  db: StateDb,
  filter: LogFilter,
  { limit, before, after }: LogPlace,
): Promise<readonly LogRow[]> {
  const beside = before === undefined ? sql`` : sql`AND event_id < ${before}`;
  const place = after === undefined ? beside : sql`AND event_id > ${after}`;
  const order = after === undefined ? sql`DESC` : sql`ASC`;
  const { rows } = await sql<LogRow>`SELECT event_id, kind, at, person, intent_id, proposal_code
    FROM ${entriesOf(filter)} WHERE ${isWanted(filter)} ${place} ORDER BY event_id ${order} LIMIT ${limit}`.execute(db);
  return after === undefined ? rows : rows.toReversed();
}

/** The entries of one kind, state, person and rule. */
export interface LogCount {
  readonly kind: LogKind;
  readonly state: IntentState | ProposalState | undefined;
  readonly person: string | undefined;
  readonly rule: string | undefined;
  readonly count: bigint;
  /** The time of the newest one, in UTC. */
  readonly newest: string;
}

export async function logCounts(db: StateDb, filter: LogFilter): Promise<readonly LogCount[]> {
  const { rows } = await sql<LogCount>`SELECT kind, state, person, rule, count(*) AS count, max(at) AS newest
    FROM ${entriesOf(filter)} WHERE ${isWanted(filter)} GROUP BY kind, state, person, rule`.execute(db);
  return rows;
}

/**
 * The first event of a change stands for all its events. For a request it is the last one, so that a rejection has the
 * time of the person who decided. An approved request is the entry of its change.
 */
function entriesOf({ kinds = LOG_KINDS }: LogFilter): RawBuilder<unknown> {
  const events = [...new Set(kinds.flatMap((kind): readonly EventKind[] => EVENTS_OF[kind]))];
  const kindOfEvent = LOG_KINDS.flatMap((kind) =>
    EVENTS_OF[kind].map((event) => sql`WHEN ${sql.lit(event)} THEN ${sql.lit(kind)}`),
  );
  return sql`(SELECT event.id AS event_id, event.intent_id, coalesce(asked.code, approved.code) AS proposal_code,
    CASE intent.origin WHEN 'rule' THEN 'change' WHEN 'approval' THEN 'approval' WHEN 'undo' THEN 'undo'
      ELSE CASE event.kind ${sql.join(kindOfEvent, sql` `)} END END AS kind,
    coalesce(intent.created_at, event.created_at) AS at, coalesce(intent.state, asked.state) AS state,
    CASE WHEN intent.origin = 'rule' OR event.kind IN ('proposed', 'proposal_expired', 'refused', 'would_change', 'foreign_change')
      THEN NULL ELSE coalesce(approved.decided_by, intent.actor, event.actor) END AS person,
    coalesce(CASE WHEN intent.origin <> 'undo' THEN intent.rule END, asked.rule, decision.rule) AS rule,
    coalesce(intent.customer_id, asked.customer_id, decision.customer_id, elsewhere.customer_id) AS customer_id,
    coalesce(intent.budget_id, asked.budget_id, decision.budget_id, elsewhere.budget_id) AS budget_id,
    coalesce(intent.campaign_id, asked.campaign_id, decision.campaign_id) AS campaign_id
  FROM budget_event AS event
  LEFT JOIN budget_intent AS intent ON intent.id = event.intent_id AND event.kind IN ('planned', 'recorded')
  LEFT JOIN budget_proposal AS approved ON approved.intent_id = intent.id
  LEFT JOIN budget_proposal AS asked ON asked.code = CASE WHEN event.kind IN ('proposed', 'proposal_expired', 'declined')
    THEN event.detail ->> 'proposal_code' END
  LEFT JOIN decision ON decision.event_id = event.id AND event.kind IN ('refused', 'would_change')
  LEFT JOIN foreign_change AS elsewhere ON elsewhere.event_id = event.id
  WHERE event.kind IN (${sql.join(events)}) AND (event.kind <> 'proposed' OR asked.state = 'open')
    AND (event.kind NOT IN ('planned', 'recorded') OR NOT EXISTS (
      SELECT 1 FROM budget_event AS earlier WHERE earlier.intent_id = event.intent_id AND earlier.id < event.id))
  ) AS entry`;
}

function isWanted({ from, to, customers = [], campaignId, by, isByPeople, rule, kinds = LOG_KINDS }: LogFilter) {
  const conditions = [sql<SqlBool>`kind IN (${sql.join(kinds)})`];
  if (from !== undefined) conditions.push(sql`at >= ${from}`);
  if (to !== undefined) conditions.push(sql`at < ${addDays(to, 1)}`);
  if (isByPeople) conditions.push(sql`person <> 'pacekeeper'`);
  if (by !== undefined) conditions.push(sql`person = ${by}`);
  if (rule !== undefined) conditions.push(sql`rule = ${rule}`);
  // An expression has no type that converts a text.
  if (customers.length > 0) conditions.push(sql`customer_id IN (${sql.join(customers.map(BigInt))})`);
  if (campaignId !== undefined) {
    const id = BigInt(campaignId);
    conditions.push(
      sql`(campaign_id = ${id} OR budget_id IN (SELECT budget_id FROM budget_intent WHERE campaign_id = ${id}))`,
    );
  }
  return sql.join(conditions, sql` AND `);
}
