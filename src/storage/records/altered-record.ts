import { InputError } from '../../domain/errors.ts';
import type { RecordStore } from './record-store.ts';

export const VERIFY_RECORD = 'Run pacekeeper audit verify, and put a copy back with pacekeeper restore FILE.';

export function alteredRecord(path: string, reason: string): InputError {
  const words = `${path} cannot be used as a database: ${reason}. Somebody may have altered the record.`;
  return new InputError(words, { nextStep: VERIFY_RECORD });
}

/** Throws if triggers that protect the audit trail are missing or differ. */
export async function refuseUnguarded(state: RecordStore): Promise<void> {
  const fault = await state.guardFault();
  if (fault !== undefined) throw alteredRecord(state.path, fault.words);
}
