import { createHash } from 'node:crypto';

/** Returns JSON with sorted keys and bigints as text, so that equal values give equal texts. */
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

/** Replaces NUL and unpaired surrogates by U+FFFD, because databases do not return them unchanged. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}|\0/gu, '\uFFFD');
}

export function columnFacts(
  values: Readonly<Record<string, string | bigint | undefined>>,
): Readonly<Record<string, string | null>> {
  const facts = Object.entries(values).map(([name, value]) => [
    snakeCase(name),
    value === undefined ? null : String(value),
  ]);
  return Object.fromEntries(facts);
}

export function withRecordKeys(value: unknown): unknown {
  return withKeys(value, snakeCase);
}

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

/** `detail` is the JSON text exactly as stored, because the hash covers its characters. */
export interface ChainedEvent {
  readonly id: bigint;
  readonly intentId: bigint | undefined;
  readonly kind: string;
  readonly actor: string;
  readonly detail: string;
  readonly createdAt: string;
  readonly previousHash: string;
}

/**
 * Anyone can verify the hash, because SQLite returns the same text: `SELECT json_array(id, intent_id, kind, actor,
 * detail, created_at, previous_hash) FROM budget_event`.
 */
export function chainText(event: ChainedEvent): string {
  const texts = [event.kind, event.actor, event.detail, event.createdAt, event.previousHash];
  const columns = [event.id, event.intentId ?? 'null', ...texts.map((text) => JSON.stringify(text))];
  return `[${columns.join()}]`;
}

/** SHA-256 as 64 hexadecimal digits. */
export function chainHash(event: ChainedEvent): string {
  return createHash('sha256').update(chainText(event)).digest('hex');
}
