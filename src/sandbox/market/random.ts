/** FNV-1a with a final mix. Every machine and every release returns the same result. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return mix(hash);
}

/** Returns a number from 0 to below 1 that depends only on the arguments. */
export function uniform(who: number, when: number, draw: number): number {
  return (
    mix(Math.imul(who ^ Math.imul(when, 0x9e3779b1), 0x85ebca6b) + Math.imul(draw + 1, 0xc2b2ae35)) / 4_294_967_296
  );
}

function mix(value: number): number {
  let hash = value ^ (value >>> 16);
  hash = Math.imul(hash, 0x7feb352d);
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x846ca68b);
  return (hash ^ (hash >>> 16)) >>> 0;
}
