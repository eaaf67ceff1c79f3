import type { Settings } from '../../config/settings.ts';
import { InputError } from '../../domain/errors.ts';
import type { Clock } from '../../domain/ports.ts';
import { engineOf, refuseForgotten } from '../../engine/folder/engine.ts';
import { beginCall, endCall, type NewCall } from '../../storage/records/agent-call-table.ts';

/** Plain values, because another thread writes them. `id` is random: two calls are never one, even if all else is the same. */
export type CallNote =
  | { readonly act: 'begin'; readonly id: string; readonly call: NewCall }
  | {
      readonly act: 'end';
      readonly row: string;
      readonly state: 'answered' | 'refused' | 'failed';
      readonly code?: string | undefined;
      readonly answerBytes: number;
    };

export type NotedCall =
  | { readonly kind: 'begun'; readonly row: string }
  | { readonly kind: 'ended' }
  | { readonly kind: 'too_many'; readonly waitSeconds: number };

interface NoteDeps {
  readonly settings: Settings;
  readonly clock: Clock;
}

/** A call waits for another writer no longer. */
const WAIT_MS = 3000;

/** Writes to the records, beside a run. It changes no budget, so a freeze does not stop it. */
export async function noteCall({ settings, clock }: NoteDeps, note: CallNote): Promise<NotedCall> {
  const engine = await engineOf(settings);
  await refuseForgotten(engine);
  if (engine.isSealed()) throw new InputError('This data folder can only be read, so no call can be recorded.');
  const state = await engine.open({ waitMs: WAIT_MS, nowMs: clock.now() });
  try {
    if (note.act === 'begin') {
      const begun = await beginCall(state.db, note.call, settings.agents, clock.now());
      return begun.kind === 'begun' ? { kind: 'begun', row: String(begun.id) } : begun;
    }
    const { row, state: ended, code, answerBytes } = note;
    await endCall(state.db, BigInt(row), { state: ended, code, answerBytes: BigInt(answerBytes) }, clock.now());
    return { kind: 'ended' };
  } finally {
    await state.close();
  }
}
