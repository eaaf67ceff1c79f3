import type { Settings } from '../../config/settings.ts';
import type { Clock } from '../../domain/ports.ts';
import { writeBeside } from '../../engine/folder/write-beside.ts';
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

export function noteCall(deps: NoteDeps, note: CallNote): Promise<NotedCall> {
  return writeBeside(deps, async (db): Promise<NotedCall> => {
    const nowMs = deps.clock.now();
    if (note.act === 'begin') {
      const begun = await beginCall(db, note.call, deps.settings.agents, nowMs);
      return begun.kind === 'begun' ? { kind: 'begun', row: String(begun.id) } : begun;
    }
    const { row, state, code, answerBytes } = note;
    await endCall(db, BigInt(row), { state, code, answerBytes: BigInt(answerBytes) }, nowMs);
    return { kind: 'ended' };
  });
}
