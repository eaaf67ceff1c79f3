import { columnFacts } from './canonical-json.ts';
import { decidedColumns } from './decided-change.ts';
import type { Intent } from './intent-table.ts';

/**
 * All that an intent says, by the names of its columns (`intent_kind` for `kind`): written with its first event, and
 * compared with what the events say of it later.
 */
export function intentFacts(intent: Omit<Intent, 'id' | 'runId'>): Readonly<Record<string, string | null>> {
  const { kind, origin, undoes, state, code, outcome } = intent;
  return columnFacts({ ...decidedColumns(intent), intentKind: kind, origin, undoes, state, code, outcome });
}
