/** True if another process held the records for too long, or if the database cannot be reached now. */
export function isBusy(error: unknown): boolean {
  const code = (error as { readonly code?: unknown } | undefined)?.code;
  return typeof code === 'string' && BUSY.some((busy) => code.startsWith(busy));
}

/** True if the database undid a transaction that may succeed when it is repeated. */
export function wasUndone(error: unknown): boolean {
  return (error as { readonly code?: unknown } | undefined)?.code === UNDONE;
}

/** A kind of `STORE_BUSY`. */
export const UNDONE = 'STORE_BUSY_UNDONE';

const BUSY = ['SQLITE_BUSY', 'STORE_BUSY', 'STORE_LOST'];
