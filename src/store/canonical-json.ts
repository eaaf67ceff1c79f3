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
