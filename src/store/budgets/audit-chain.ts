import { createHash } from 'node:crypto';
import type { StateDb } from '../sqlite/open-state.ts';

/**
 * One text for one value: keys in order, no spaces, bigints (ids, micros) as text, what is undefined left out. Text is
 * made {@link wellFormed}.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part === 'bigint') return String(part);
    if (typeof part === 'string') return wellFormed(part);
    return isObject(part) ? inOrder(part) : part;
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function inOrder(object: Record<string, unknown>): Record<string, unknown> {
  const keys = Object.keys(object).sort();
  return Object.fromEntries(keys.map((key) => [key, object[key]]));
}

/** With U+FFFD for each half of a surrogate pair that stands alone, which no database gives back as it was. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\uFFFD');
}

/** Values by the names of their columns, as events tell them: amounts and ids as text, NULL for what is absent. */
export function columnFacts(
  values: Readonly<Record<string, string | bigint | undefined>>,
): Readonly<Record<string, string | null>> {
  const facts = Object.entries(values).map(([name, value]) => [
    snakeCase(name),
    value === undefined ? null : String(value),
  ]);
  return Object.fromEntries(facts);
}

/** JSON data with the names of its keys as the record has them, at every depth: `cooldown_days`. */
export function withRecordKeys(value: unknown): unknown {
  return withKeys(value, snakeCase);
}

/** The way back from {@link withRecordKeys}: `cooldownDays`. */
export function withProgramKeys(value: unknown): unknown {
  return withKeys(value, (name) => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()));
}

function withKeys(value: unknown, nameOf: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((one) => withKeys(one, nameOf));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [nameOf(name), withKeys(inner, nameOf)]));
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** An event as it lies in the table. `detail` is the JSON text itself: the hash is of these very characters. */
export interface ChainedEvent {
  readonly id: bigint;
  readonly intentId: bigint | undefined;
  readonly kind: string;
  readonly actor: string;
  readonly detail: string;
  readonly createdAt: string;
  readonly previousHash: string;
}

/** What the first event names as the hash before it. */
export const GENESIS_HASH = '0'.repeat(64);

/**
 * The text that is hashed: the other columns of the row in the order of the table, as a JSON array without spaces. SQLite
 * writes the same text, so that anyone can recompute it:
 * `SELECT json_array(id, intent_id, kind, actor, detail, created_at, previous_hash) FROM budget_event`.
 */
export function chainText(event: ChainedEvent): string {
  const texts = [event.kind, event.actor, event.detail, event.createdAt, event.previousHash];
  const columns = [event.id, event.intentId ?? 'null', ...texts.map((text) => JSON.stringify(text))];
  return `[${columns.join()}]`;
}

/** SHA-256 of {@link chainText} in UTF-8, 64 hexadecimal digits. */
export function chainHash(event: ChainedEvent): string {
  return createHash('sha256').update(chainText(event)).digest('hex');
}

/** The newest event of the record; 0 and 64 zeros before the first. */
export interface RecordHead {
  readonly id: bigint;
  readonly hash: string;
}

/** What the first event follows. */
export const NO_EVENT: RecordHead = { id: 0n, hash: GENESIS_HASH };

/** `12:<64 hexadecimal digits>`: in these very letters wherever the head is shown. */
export function headText({ id, hash }: RecordHead): string {
  return `${id}:${hash}`;
}

const HEAD = /^(0|[1-9]\d{0,17}):([0-9a-f]{64})$/;

/** Undefined for what is no head. */
export function parseHead(text: string): RecordHead | undefined {
  const [, id, hash] = HEAD.exec(text.trim()) ?? [];
  return id === undefined || hash === undefined ? undefined : { id: BigInt(id), hash };
}

export async function recordHead(db: StateDb): Promise<RecordHead> {
  const newest = db.selectFrom('budgetEvent').select(['id', 'hash']).orderBy('id', 'desc').limit(1);
  return (await newest.executeTakeFirst()) ?? NO_EVENT;
}

/** Whether the record holds the event with that hash, and so all that came before it. */
export async function holdsHead(db: StateDb, { id, hash }: RecordHead): Promise<boolean> {
  if (id === 0n) return hash === GENESIS_HASH;
  const found = db.selectFrom('budgetEvent').select('id').where('id', '=', id).where('hash', '=', hash);
  return (await found.executeTakeFirst()) !== undefined;
}
