/** How far reading has come. Times are milliseconds of a clock that only ever grows. */
export interface Reading {
  readonly startedMs: number;
  readonly accounts: number;
  accountsEnded: number;
  readonly slices: number;
  slicesEnded: number;
  /** Slices that were cut in two count as one more each. */
  slicesAdded: number;
  rows: number;
  bytes: number;
  /** The accounts that are being read, in the order in which they were begun. */
  readonly open: Map<string, AccountReading>;
}

export interface AccountReading {
  readonly name: string | undefined;
  readonly startedMs: number;
  slices: number;
  slicesEnded: number;
  rows: number;
  query: string | undefined;
}

export function beginReading(accounts: number, slices: number, startedMs: number): Reading {
  return {
    ...{ startedMs, accounts, slices },
    ...{ accountsEnded: 0, slicesEnded: 0, slicesAdded: 0, rows: 0, bytes: 0 },
    open: new Map(),
  };
}

/** Milliseconds until all is read, if the rest takes as long a slice as what was read did; undefined while none is. */
export function leftMs({ startedMs, slices, slicesAdded, slicesEnded }: Reading, nowMs: number): number | undefined {
  const left = slices + slicesAdded - slicesEnded;
  if (slicesEnded === 0) return undefined;
  return Math.max(0, left) * ((nowMs - startedMs) / slicesEnded);
}
