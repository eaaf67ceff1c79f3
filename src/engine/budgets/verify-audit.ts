import type { BudgetId, CustomerId } from '../../domain/ids.ts';
import type { Micros } from '../../domain/micros.ts';
import { chainHash } from '../../storage/records/budgets/audit-chain.ts';
import { decidedFacts } from '../../storage/records/budgets/decided-change.ts';
import { type OtherDecision, otherDecisions } from '../../storage/records/budgets/decision-projection.ts';
import { allEvents, type BudgetEvent } from '../../storage/records/budgets/event-table.ts';
import { foreignChanges } from '../../storage/records/budgets/foreign-change-table.ts';
import { type Intent, intentFacts, intentsOf } from '../../storage/records/budgets/intent-table.ts';
import { allProposals, type Proposal } from '../../storage/records/budgets/proposal-table.ts';
import { holdsHead, NO_EVENT, type RecordHead, recordHead } from '../../storage/records/budgets/record-head.ts';
import type { RecordStore, StateDb } from '../../storage/records/record-store.ts';
import { lostRecordHeads } from '../../storage/records/runs/run-table.ts';
import { type Replay, replay } from './replay-events.ts';

export interface AuditVerdict extends ChainVerdict {
  /** Contradictions between tables and events, one sentence each. */
  readonly differences: readonly string[];
  /** True if only the ledger differs, so that the ledger can be rebuilt from the events. */
  readonly isLedgerAlone: boolean;
  readonly replayed: Replay;
}

/** Reads a snapshot, so that writers do not wait. */
export function verifyAudit(state: RecordStore): Promise<AuditVerdict> {
  return state.db
    .transaction()
    .setAccessMode('read only')
    .execute(async (trx) => {
      const chain = await verifyChain(allEvents(trx));
      const replayed = await replay(allEvents(trx));
      const unguarded = await state.guardFault();
      const ledger = (await otherDecisions(trx)).flatMap(decisionDifference);
      const others = [
        ...(unguarded === undefined ? [] : [`Somebody may have altered the record: ${unguarded.words}.`]),
        ...(await lostHeads(trx)),
        ...replayed.impossible,
        ...compareIntents(replayed, await intentsOf(trx)),
        ...compareProposals(replayed, await allProposals(trx)),
        ...compareForeignChanges(replayed, await foreignChanges(trx)),
      ];
      const isLedgerAlone = ledger.length > 0 && others.length + chain.broken.length === 0;
      return { ...chain, differences: [...others, ...ledger], isLedgerAlone, replayed };
    });
}

async function lostHeads(trx: StateDb): Promise<string[]> {
  const heads = await lostRecordHeads(trx);
  return heads.map(
    ({ runId, head }) => `Run ${runId} saw the head ${head}, but the record has no event with this number and hash.`,
  );
}

export interface RecordProof {
  readonly head: RecordHead;
  readonly problems: readonly string[];
}

/** Verifies the events after `from`, which must still be in the record. */
export function proveNewEvents({ db }: Pick<RecordStore, 'db'>, from: RecordHead): Promise<RecordProof> {
  return db
    .transaction()
    .setAccessMode('read only')
    .execute((trx) => proveEventsAfter(trx, from));
}

/** For a caller whose reads all see the same moment. */
export async function proveEventsAfter(db: StateDb, from: RecordHead): Promise<RecordProof> {
  if (!(await holdsHead(db, from))) {
    const sentence = `Event ${from.id} is not the event that the last run saw. Events were altered or removed.`;
    return { head: await recordHead(db), problems: [sentence] };
  }
  const { head, broken } = await verifyChain(allEvents(db, from.id), from);
  return { head, problems: broken.map(({ sentence }) => sentence) };
}

export async function proveWhole(state: RecordStore): Promise<RecordProof> {
  const { head, broken, differences } = await verifyAudit(state);
  return { head, problems: [...broken.map(({ sentence }) => sentence), ...differences] };
}

function compareIntents({ intents: replayed }: Replay, intents: readonly Intent[]): string[] {
  const left = new Set(replayed.keys());
  const differences = intents.toReversed().flatMap((intent) => {
    left.delete(intent.id);
    const name = `Change B${intent.id}`;
    const events = replayed.get(intent.id);
    if (events === undefined) return [`${name} is ${intent.state} in budget_intent, but no event mentions it.`];
    const columns = { ...intentFacts(intent), actor: intent.actor, updated_at: intent.updatedAt };
    return compareColumns(name, 'budget_intent', columns, { ...events.facts, updated_at: events.updatedAt });
  });
  return [...differences, ...Array.from(left, (id) => `Events mention change B${id}, which is not in budget_intent.`)];
}

function compareProposals({ proposals: replayed }: Replay, proposals: readonly Proposal[]): string[] {
  const left = new Set(replayed.keys());
  const differences = proposals.flatMap((proposal) => {
    left.delete(proposal.code);
    const name = `Proposal ${proposal.code}`;
    const events = replayed.get(proposal.code);
    if (events === undefined) return [`${name} is ${proposal.state} in budget_proposal, but no event mentions it.`];
    const columns = { ...decidedFacts(proposal), state: proposal.state, expires_at: proposal.expiresAt };
    return compareColumns(name, 'budget_proposal', columns, events.facts);
  });
  return [
    ...differences,
    ...Array.from(left, (code) => `Events mention proposal ${code}, which is not in budget_proposal.`),
  ];
}

function compareForeignChanges(
  { foreign: replayed }: Replay,
  rows: Awaited<ReturnType<typeof foreignChanges>>,
): string[] {
  const left = new Set(replayed.keys());
  const differences = rows.flatMap(({ eventId, facts }) => {
    left.delete(eventId);
    const expected = replayed.get(eventId);
    if (expected === undefined)
      return [`A row of foreign_change names event ${eventId}, which records no such change.`];
    return compareColumns(`The foreign change of event ${eventId}`, 'foreign_change', facts, expected);
  });
  return [...differences, ...Array.from(left, (id) => `Event ${id} records a change that is not in foreign_change.`)];
}

function decisionDifference({ eventId, kept, replayed }: OtherDecision): string[] {
  if (kept === undefined) return [`Event ${eventId} records a decision that is not in decision.`];
  if (replayed === undefined) return [`A row of decision names event ${eventId}, which records no decision.`];
  return compareColumns(`Decision of event ${eventId}`, 'decision', kept, replayed, 'its event');
}

function compareColumns(
  name: string,
  table: string,
  columns: Readonly<Record<string, string | null>>,
  replayed: Readonly<Record<string, unknown>>,
  by = 'its events',
): string[] {
  return Object.entries(columns).flatMap(([column, value]) => {
    const expected = replayed[column] ?? null;
    if (expected === value) return [];
    return [`${name}: ${column} is ${shown(value)} in ${table}, but ${shown(expected)} in ${by}.`];
  });
}

function shown(value: unknown): string {
  return value === null ? 'empty' : JSON.stringify(value);
}

export interface OtherAmount {
  readonly customerId: CustomerId;
  readonly budgetId: BudgetId;
  readonly found: Micros;
  readonly recorded: bigint;
  readonly eventId: bigint;
  /** Id of our own unanswered change that would explain the amount. Undefined if there is no such change. */
  readonly unanswered: bigint | undefined;
}

/** Ignores budgets without an amount, such as removed budgets. */
export function compareAmounts(
  { amounts: replayed, intents }: Replay,
  customerId: CustomerId,
  amounts: ReadonlyMap<BudgetId, Micros>,
): OtherAmount[] {
  return [...replayed.values()]
    .filter((budget) => budget.customerId === customerId)
    .flatMap(({ budgetId: id, amount: recorded, eventId }) => {
      const budgetId = id as BudgetId;
      const found = amounts.get(budgetId);
      if (found === undefined || found === recorded) return [];
      const unanswered = [...intents.values()].find(
        ({ state, facts }) =>
          (state === 'sending' || state === 'unknown') &&
          facts.customer_id === customerId &&
          facts.budget_id === budgetId &&
          facts.to_micros === String(found),
      )?.id;
      return [{ customerId, budgetId, found, recorded, eventId, unanswered }];
    });
}

export interface BrokenLink {
  readonly eventId: bigint;
  /** `fork`: two events follow the same event. `order`: an event follows the wrong event. */
  readonly kind: 'altered' | 'missing' | 'fork' | 'order';
  readonly expected: string;
  readonly found: string;
  readonly sentence: string;
}

interface ChainVerdict {
  readonly events: number;
  /** The last event. A copy kept elsewhere reveals a later removal of events. */
  readonly head: RecordHead;
  readonly broken: readonly BrokenLink[];
}

type Events = AsyncIterable<BudgetEvent> | Iterable<BudgetEvent>;

/** Events must be in the order of their ids, and `from` must be verified already. */
export async function verifyChain(events: Events, from: RecordHead = NO_EVENT): Promise<ChainVerdict> {
  const broken: BrokenLink[] = [];
  const numberOf = new Map<string, bigint>();
  const followerOf = new Map<string, bigint>();
  let last = from;
  let count = 0;
  for await (const event of events) {
    count++;
    const link = linkOf(event, last, { numberOf, followerOf });
    if (link !== undefined) broken.push(link);
    const alteration = alterationOf(event);
    if (alteration !== undefined) broken.push(alteration);
    if (!followerOf.has(event.previousHash)) followerOf.set(event.previousHash, event.id);
    if (!numberOf.has(event.hash)) numberOf.set(event.hash, event.id);
    last = event;
  }
  return { events: count, head: { id: last.id, hash: last.hash }, broken };
}

interface Seen {
  readonly numberOf: ReadonlyMap<string, bigint>;
  readonly followerOf: ReadonlyMap<string, bigint>;
}

function linkOf(event: BudgetEvent, last: RecordHead, { numberOf, followerOf }: Seen): BrokenLink | undefined {
  const { id, previousHash: found } = event;
  if (id !== last.id + 1n) {
    const sentence = `${missingWords(last.id, id)} before event ${id}, which follows hash ${brief(found)}.`;
    const expected = `event ${last.id + 1n}`;
    return { eventId: id, kind: 'missing', expected, found: `event ${id}`, sentence };
  }
  if (found === last.hash) return undefined;
  const link = { eventId: id, expected: last.hash, found };
  const should = `it should follow ${last.id === 0n ? 'nothing' : `event ${last.id}`} (hash ${brief(last.hash)})`;
  const other = followerOf.get(found);
  if (other !== undefined) {
    const sentence = `Event ${id} follows hash ${brief(found)}, as event ${other} already does; ${should}.`;
    return { ...link, kind: 'fork', sentence };
  }
  const named = numberOf.get(found);
  if (named !== undefined) {
    return { ...link, kind: 'order', sentence: `Event ${id} follows event ${named}; ${should}.` };
  }
  const sentence = `Event ${id} follows hash ${brief(found)}, which no earlier event has; ${should}.`;
  return { ...link, kind: 'order', sentence };
}

function missingWords(last: bigint, id: bigint): string {
  const from = last + 1n;
  const to = id - 1n;
  if (id <= last) return `Event ${from} is missing`;
  return from === to ? `Event ${from} is missing` : `Events ${from} to ${to} are missing`;
}

function alterationOf(event: BudgetEvent): BrokenLink | undefined {
  const expected = chainHash(event);
  if (event.hash === expected) return undefined;
  const { id, hash: found } = event;
  const sentence = `Event ${id} was altered: its columns hash to ${brief(expected)}, but its hash is ${brief(found)}.`;
  return { eventId: id, kind: 'altered', expected, found, sentence };
}

function brief(hash: string): string {
  return `${hash.slice(0, 12)}…`;
}
