import type { Settings } from '../../config/settings.ts';
import { InputError } from '../../domain/errors.ts';
import type { Clock } from '../../domain/ports.ts';
import type { RecordStore } from '../../storage/records/record-store.ts';
import { engineOf, refuseForgotten } from './engine.ts';

interface WriteDeps {
  readonly settings: Settings;
  readonly clock: Clock;
}

/** A visitor or an agent waits for another writer no longer. */
const WAIT_MS = 3000;

/** Writes to the records, beside a run. `work` changes no budget, so a freeze does not stop it. */
export async function writeBeside<Value>(
  { settings, clock }: WriteDeps,
  work: (db: RecordStore['db']) => Promise<Value>,
): Promise<Value> {
  const engine = await engineOf(settings);
  await refuseForgotten(engine);
  if (engine.isSealed()) throw new InputError('This data folder can only be read.');
  const state = await engine.open({ waitMs: WAIT_MS, nowMs: clock.now() });
  try {
    return await work(state.db);
  } finally {
    await state.close();
  }
}
