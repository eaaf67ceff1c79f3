import type { Json } from './channel.ts';

export function jsonObject(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}

/** False if one of them is not known. */
export function isAnother(found: unknown, own: string | undefined): boolean {
  return typeof found === 'string' && own !== undefined && found !== own;
}

export function codeText(code: unknown): string | undefined {
  return typeof code === 'number' || (typeof code === 'string' && code !== '') ? String(code) : undefined;
}
