import type { Settings } from '../../config/settings.ts';
import { InputError } from '../../domain/errors.ts';

/** Throws `InputError` if the records are in PostgreSQL, for a command that needs them in files. */
export function refuseDatabase({ store }: Settings, command: string): void {
  if (store.url === undefined) return;
  throw new InputError(`pacekeeper ${command} does not work with PostgreSQL yet.`, {
    nextStep: 'docs/scale-out.md says what to use instead. Without store.url, pacekeeper uses files.',
  });
}
