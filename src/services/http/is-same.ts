import { createHash, timingSafeEqual } from 'node:crypto';

/** Compares in constant time, so that timing reveals nothing. */
export function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
