import { chainHash } from '../store/audit-chain.ts';
import type { BudgetEvent } from '../store/event-table.ts';
import { NO_EVENT, type RecordHead } from '../store/record-head.ts';

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

export interface ChainVerdict {
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
  const [from, to] = [last + 1n, id - 1n];
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
