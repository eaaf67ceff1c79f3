import { decidedFacts } from './decided-change.ts';
import type { Intent } from './intent-table.ts';

/**
 * All that an intent says, by the names of its columns (`intent_kind` for `kind`): written with its first event, and
 * compared with what the events say of it later.
 */
export function intentFacts(intent: Omit<Intent, 'id'>): Readonly<Record<string, string | null>> {
  return {
    ...decidedFacts(intent),
    intent_kind: intent.kind,
    origin: intent.origin,
    undoes: intent.undoes === undefined ? null : String(intent.undoes),
    state: intent.state,
    code: intent.code ?? null,
    outcome: intent.outcome ?? null,
  };
}
