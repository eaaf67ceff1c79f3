import { createHmac, timingSafeEqual } from 'node:crypto';

/** In milliseconds. A provider may queue a message before it fetches the file. */
const LIFETIME_MS = 60 * 60_000;
const QUERY = /^until=(\d{10})&proof=([\w-]{43})$/;

/** Adds the query that proves the path: its last second, and a base64url HMAC-SHA256 of both. */
export function signPath(path: string, key: string, nowMs: number): string {
  const until = String(Math.floor((nowMs + LIFETIME_MS) / 1000));
  return `${path}?until=${until}&proof=${proofOf(path, until, key)}`;
}

/** False for anything but an unexpired query of {@link signPath}. Compares in constant time. */
export function isSignedPath(path: string, query: string, key: string, nowMs: number): boolean {
  const [, until = '0', proof] = QUERY.exec(query) ?? [];
  const leftMs = Number(until) * 1000 - nowMs;
  if (proof === undefined || leftMs <= 0 || leftMs > LIFETIME_MS) return false;
  return timingSafeEqual(Buffer.from(proof), Buffer.from(proofOf(path, until, key)));
}

/** The text before the path keeps this use of the key apart from all others. */
function proofOf(path: string, until: string, key: string): string {
  return createHmac('sha256', key).update(`pacekeeper path ${path} ${until}`).digest('base64url');
}
