/** True if another process held the records for too long, or if the database cannot be reached now. */
export function isBusy(error: unknown): boolean {
  const code = (error as { readonly code?: unknown } | undefined)?.code;
  return typeof code === 'string' && BUSY.some((busy) => code.startsWith(busy));
}

const BUSY = ['SQLITE_BUSY', 'STORE_BUSY', 'STORE_LOST'];
