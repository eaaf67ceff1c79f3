import type { Intent } from '../store/intent-table.ts';

/** As few batches as the limit allows. No budget is twice in one: its second intent has to see what the first has done. */
export function batchesOf(intents: readonly Intent[], most: number): Intent[][] {
  const batches: Map<Intent['budgetId'], Intent>[] = [];
  const nextOf = new Map<Intent['budgetId'], number>();
  let open = 0;
  for (const intent of intents) {
    while ((batches[open]?.size ?? 0) >= most) open++;
    // Whoever is in a later batch is in the open one, which has room: no later one is full.
    const at = Math.max(open, nextOf.get(intent.budgetId) ?? 0);
    const batch = batches[at] ?? new Map();
    batches[at] = batch.set(intent.budgetId, intent);
    nextOf.set(intent.budgetId, at + 1);
  }
  return batches.map((batch) => [...batch.values()]);
}
