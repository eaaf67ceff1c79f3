import { inertJson } from '../../domain/outside-text.ts';

/** Bigints beyond 2^53 become text, because some programs would round them. */
export function toJson(value: unknown): string {
  const exact = (_key: string, inner: unknown): unknown => {
    if (inner === undefined) return null;
    if (typeof inner !== 'bigint') return inner;
    return Number.isSafeInteger(Number(inner)) ? Number(inner) : String(inner);
  };
  return inertJson(JSON.stringify(value, exact, 2));
}
