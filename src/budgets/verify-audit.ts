import type { BudgetId, CustomerId } from '../domain/ids.ts';
import type { Micros } from '../domain/micros.ts';
import { chainHash, holdsHead, NO_EVENT, type RecordHead, recordHead } from '../store/budgets/audit-chain.ts';
import { decidedFacts } from '../store/budgets/decided-change.ts';
import { allEvents, type BudgetEvent } from '../store/budgets/event-table.ts';
import { foreignChanges } from '../store/budgets/foreign-change-table.ts';
import { type Intent, intentFacts, intentsOf } from '../store/budgets/intent-table.ts';
import { allProposals, type Proposal } from '../store/budgets/proposal-table.ts';
import { lostRecordHeads } from '../store/runs/run-table.ts';
import { type OtherDecision, otherDecisions } from '../store/sqlite/decision-projection.ts';
import type { StateDb, StateFile } from '../store/sqlite/open-state.ts';
import { schemaFault } from '../store/sqlite/schema-fault.ts';
import { type Replay, replay } from './replay-events.ts';

export interface AuditVerdict extends ChainVerdict {
  /** Where the tables and the events tell different stories, one sentence each. */
  readonly differences: readonly string[];
  /** Whether nothing but the ledger differs: it can be made anew from the chain. */
  readonly isLedgerAlone: boolean;
  /** What the events say each budget was last set to. */
  readonly replayed: Replay;
}

/**
 * Proves the chain of events, and that replaying it gives what the tables say. All is read as of one moment, and nobody
 * who writes is kept waiting.
 */
export function verifyAudit(state: StateFile): Promise<AuditVerdict> {
  return state.db
    .transaction()
    .setAccessMode('read only')
    .execute(async (trx) => {
      const chain = await verifyChain(allEvents(trx));
      const replayed = await replay(allEvents(trx));
      const unguarded = schemaFault(state, 'guards');
      const ledger = otherDecisions(state).flatMap(decisionDifference);
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

/** An event that a run saw last stays in the record. */
async function lostHeads(trx: StateDb): Promise<string[]> {
  const heads = await lostRecordHeads(trx);
  return heads.map(
    ({ runId, head }) => `Run ${runId} saw the head ${head}, and no event of the record has that number and hash.`,
  );
}

/** What was proven of the record, and what was found wrong with it, a sentence each. */
export interface RecordProof {
  readonly head: RecordHead;
  readonly problems: readonly string[];
}

/** Proves the events after one that was proven before, which must still be there. */
export function proveNewEvents({ db }: Pick<StateFile, 'db'>, from: RecordHead): Promise<RecordProof> {
  return db
    .transaction()
    .setAccessMode('read only')
    .execute(async (trx) => {
      if (!(await holdsHead(trx, from))) {
        const sentence = `Event ${from.id} is not the one that the last run saw: events were altered or taken away.`;
        return { head: await recordHead(trx), problems: [sentence] };
      }
      const { head, broken } = await verifyChain(allEvents(trx, from.id), from);
      return { head, problems: broken.map(({ sentence }) => sentence) };
    });
}

/** Proves the record from its first event on, with all that the tables say. */
export async function proveWhole(state: StateFile): Promise<RecordProof> {
  const { head, broken, differences } = await verifyAudit(state);
  return { head, problems: [...broken.map(({ sentence }) => sentence), ...differences] };
}

function compareIntents({ intents: told }: Replay, intents: readonly Intent[]): string[] {
  const left = new Set(told.keys());
  const differences = intents.toReversed().flatMap((intent) => {
    left.delete(intent.id);
    const name = `Intent ${intent.id}`;
    const events = told.get(intent.id);
    if (events === undefined) return [`${name} is ${intent.state} in budget_intent, and no event tells of it.`];
    const columns = { ...intentFacts(intent), actor: intent.actor, updated_at: intent.updatedAt };
    return compareColumns(name, 'budget_intent', columns, { ...events.facts, updated_at: events.updatedAt });
  });
  return [...differences, ...Array.from(left, (id) => `Events tell of intent ${id}, which is not in budget_intent.`)];
}

function compareProposals({ proposals: told }: Replay, proposals: readonly Proposal[]): string[] {
  const left = new Set(told.keys());
  const differences = proposals.flatMap((proposal) => {
    left.delete(proposal.code);
    const name = `Proposal ${proposal.code}`;
    const events = told.get(proposal.code);
    if (events === undefined) return [`${name} is ${proposal.state} in budget_proposal, and no event tells of it.`];
    const columns = { ...decidedFacts(proposal), state: proposal.state, expires_at: proposal.expiresAt };
    return compareColumns(name, 'budget_proposal', columns, events.facts);
  });
  return [
    ...differences,
    ...Array.from(left, (code) => `Events tell of proposal ${code}, which is not in budget_proposal.`),
  ];
}

function compareForeignChanges({ foreign: told }: Replay, rows: Awaited<ReturnType<typeof foreignChanges>>): string[] {
  const left = new Set(told.keys());
  const differences = rows.flatMap(({ eventId, facts }) => {
    left.delete(eventId);
    const expected = told.get(eventId);
    if (expected === undefined) return [`A row of foreign_change names event ${eventId}, which tells of none.`];
    return compareColumns(`The foreign change of event ${eventId}`, 'foreign_change', facts, expected);
  });
  return [...differences, ...Array.from(left, (id) => `Event ${id} tells of a change that is not in foreign_change.`)];
}

function decisionDifference({ eventId, kept, told }: OtherDecision): string[] {
  if (kept === undefined) return [`Event ${eventId} tells of a decision that is not in decision.`];
  if (told === undefined) return [`A row of decision names event ${eventId}, which tells of none.`];
  return compareColumns(`Decision of event ${eventId}`, 'decision', kept, told, 'its event');
}

function compareColumns(
  name: string,
  table: string,
  columns: Readonly<Record<string, string | null>>,
  told: Readonly<Record<string, unknown>>,
  by = 'its events',
): string[] {
  return Object.entries(columns).flatMap(([column, value]) => {
    const expected = told[column] ?? null;
    if (expected === value) return [];
    return [`${name}: ${column} is ${shown(value)} in ${table}, and ${shown(expected)} by ${by}.`];
  });
}

function shown(value: unknown): string {
  return value === null ? 'empty' : JSON.stringify(value);
}

/** A budget that has another amount today than the record gives. */
export interface OtherAmount {
  readonly customerId: CustomerId;
  readonly budgetId: BudgetId;
  readonly found: Micros;
  /** What the record gives, and the event that says so. */
  readonly recorded: bigint;
  readonly eventId: bigint;
  /** A change of ours without an answer, which may be what is seen; undefined where only someone else can have changed it. */
  readonly unanswered: bigint | undefined;
}

/**
 * Which budgets of an account have other amounts than replaying the events gives. `amounts` holds what was read from the
 * service; a budget that it does not hold could not be read, or is gone.
 */
export function compareAmounts(
  { amounts: told, intents }: Replay,
  customerId: CustomerId,
  amounts: ReadonlyMap<BudgetId, Micros>,
): OtherAmount[] {
  return [...told.values()]
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

/** A place where the chain does not hold. */
export interface BrokenLink {
  readonly eventId: bigint;
  /**
   * `altered`: the event is not what was hashed. `missing`: events before it are gone. `fork`: another event follows the
   * same one. `order`: it follows an event that is not the one before it.
   */
  readonly kind: 'altered' | 'missing' | 'fork' | 'order';
  readonly expected: string;
  readonly found: string;
  /** One sentence for a person. */
  readonly sentence: string;
}

interface ChainVerdict {
  readonly events: number;
  /** The last event: who keeps it elsewhere can prove later that nothing was taken from the end. */
  readonly head: RecordHead;
  readonly broken: readonly BrokenLink[];
}

type Events = AsyncIterable<BudgetEvent> | Iterable<BudgetEvent>;

/** Recomputes every hash and follows every link, on from an event that is proven. The events come in the order of their numbers. */
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
    const sentence = `Event ${id} follows hash ${brief(found)}, as event ${other} does already; ${should}.`;
    return { ...link, kind: 'fork', sentence };
  }
  const named = numberOf.get(found);
  if (named !== undefined) {
    return { ...link, kind: 'order', sentence: `Event ${id} follows event ${named}; ${should}.` };
  }
  const sentence = `Event ${id} follows hash ${brief(found)}, which is no event's before it; ${should}.`;
  return { ...link, kind: 'order', sentence };
}

function missingWords(last: bigint, id: bigint): string {
  const from = last + 1n;
  const to = id - 1n;
  if (id <= last) return `No event ${from} comes`;
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
