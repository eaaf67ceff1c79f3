/** True if the error says that another process held the records for too long. */
export function isBusy(error: unknown): boolean {
  const code = (error as { readonly code?: unknown } | undefined)?.code;
  return typeof code === 'string' && BUSY.some((busy) => code.startsWith(busy));
}

const BUSY = ['SQLITE_BUSY'];
