/** One of several budgets that get a part of a sum. All in whole units of the currency's smallest amount but `need`. */
export interface Sharing {
  /** The larger, the larger its part; in proportion to those of the others. */
  readonly need: bigint;
  readonly least: bigint;
  /** Undefined for no bound. */
  readonly most: bigint | undefined;
}

export function larger(a: bigint, b: bigint): bigint {
  return a < b ? b : a;
}

export function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

/**
 * Shares a sum by need between bounds, in whole units: the parts come to the sum where the bounds allow it, to less where all are
 * at their most, and to more only where all are at their least. What rounding leaves goes to the largest remainders.
 */
export function shareByNeed(sum: bigint, parts: readonly Sharing[]): bigint[] {
  const needs = parts.some(({ need }) => need > 0n) ? parts.map(({ need }) => need) : parts.map(() => 1n);
  const shares: (bigint | undefined)[] = parts.map(() => undefined);
  for (;;) {
    const free = shares.flatMap((share, index) => (share === undefined ? [index] : []));
    const left = sum - shares.reduce<bigint>((total, share) => total + (share ?? 0n), 0n);
    const need = free.reduce((total, index) => total + (needs[index] ?? 0n), 0n);
    // Bounds are compared with a part times the sum of the needs: nothing is rounded before the end.
    const scale = need === 0n ? BigInt(free.length) || 1n : need;
    const held = free.map((index) => {
      const { least, most } = parts[index] ?? NOBODY;
      const part = left * (need === 0n ? 1n : (needs[index] ?? 0n));
      const low = least * scale;
      const high = most === undefined ? undefined : most * scale;
      const at = part < low ? least : high !== undefined && part > high ? most : undefined;
      return { index, part, at, beyond: at === undefined ? 0n : at * scale - part };
    });
    const beyond = held.reduce((total, one) => total + one.beyond, 0n);
    // Those that are pushed up take from the others, those that are held down give: the larger side is settled first.
    const settled = held.filter((one) => one.at !== undefined && (beyond === 0n || one.beyond > 0n === beyond > 0n));
    if (settled.length === 0) return rounded(held, scale, shares, parts, left);
    for (const { index, at } of settled) shares[index] = at;
  }
}

const NOBODY: Sharing = { need: 0n, least: 0n, most: undefined };

function rounded(
  free: readonly { readonly index: number; readonly part: bigint }[],
  scale: bigint,
  shares: readonly (bigint | undefined)[],
  parts: readonly Sharing[],
  sum: bigint,
): bigint[] {
  const whole = shares.map((share) => share ?? 0n);
  let left = sum;
  for (const { index, part } of free) {
    whole[index] = part / scale;
    left -= part / scale;
  }
  const byRemainder = free.toSorted((a, b) => {
    const one = a.part % scale;
    const other = b.part % scale;
    return one > other ? -1 : one < other ? 1 : a.index - b.index;
  });
  for (const { index } of byRemainder) {
    const most = parts[index]?.most;
    const now = whole[index] ?? 0n;
    if (left <= 0n) break;
    if (most !== undefined && now >= most) continue;
    whole[index] = now + 1n;
    left -= 1n;
  }
  return whole;
}
