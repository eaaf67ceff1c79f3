import { dirname } from 'node:path';
import { InputError } from '../domain/errors.ts';

/**
 * Why a database cannot be opened, with what to do; a file that another program holds, or a full disk, is no mistake of the
 * user's. `lost` is the sentence that says what is lost with a file that is moved away.
 */
export function unusableDatabase(
  path: string,
  cause: unknown,
  lost = 'Moved away, everything begins anew, the record of budget changes too.',
): Error {
  const code = (cause as { code?: unknown } | undefined)?.code;
  const words = cause instanceof Error ? cause.message : String(cause);
  if (code === 'SQLITE_BUSY') {
    return Object.assign(new Error(`${path} is in use by another program: close it and run again.`, { cause }), {
      code,
    });
  }
  if (code === 'SQLITE_FULL') {
    return Object.assign(new Error(`${path} cannot be opened: its disk is full.`, { cause }), { code });
  }
  const isDamaged = code === 'SQLITE_NOTADB' || (typeof code === 'string' && code.startsWith('SQLITE_CORRUPT'));
  const nextStep = isDamaged
    ? `Put a sound copy of the file back. ${lost}`
    : `Check that ${dirname(path)} is a folder that can be written to, or choose another with --data-dir.`;
  return new InputError(`${path} cannot be used as a database: ${words}.`, { nextStep, cause });
}

/** Whether another program held the database for longer than a statement waits. */
export function isBusy(error: unknown): boolean {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' && code.startsWith('SQLITE_BUSY');
}
