import { createHmac, timingSafeEqual } from 'node:crypto';

/** One hour, because a provider can queue a message before fetching the file. */
const LIFETIME_MS = 60 * 60_000;
const QUERY = /^until=(\d{10})&proof=([\w-]{43})$/;

/** Adds the time of expiry, and a proof of the path and the time. */
export function signPath(path: string, key: string, nowMs: number): string {
  const until = String(Math.floor((nowMs + LIFETIME_MS) / 1000));
  return `${path}?until=${until}&proof=${proofOf(path, until, key)}`;
}

/** True only for an unexpired query of {@link signPath}. Compares in constant time. */
export function isSignedPath(path: string, query: string, key: string, nowMs: number): boolean {
  const [, until = '0', proof] = QUERY.exec(query) ?? [];
  const leftMs = Number(until) * 1000 - nowMs;
  if (proof === undefined || leftMs <= 0 || leftMs > LIFETIME_MS) return false;
  return timingSafeEqual(Buffer.from(proof), Buffer.from(proofOf(path, until, key)));
}

/** The prefix keeps these proofs different from other uses of the key. */
function proofOf(path: string, until: string, key: string): string {
  return createHmac('sha256', key).update(`pacekeeper path ${path} ${until}`).digest('base64url');
}
