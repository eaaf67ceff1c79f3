import { inertJson } from '../domain/outside-text.ts';

/** JSON text, two spaces deep; bigints as numbers where every reader keeps them exact, as text elsewhere. */
export function toJson(value: unknown): string {
  const exact = (_key: string, inner: unknown): unknown => {
    if (inner === undefined) return null;
    if (typeof inner !== 'bigint') return inner;
    return Number.isSafeInteger(Number(inner)) ? Number(inner) : String(inner);
  };
  return inertJson(JSON.stringify(value, exact, 2));
}
