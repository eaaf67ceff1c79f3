import type { ModelRows } from '../store.ts';
import { BeyondLimit } from './model-failure.ts';

/** After a model exceeded a limit, the other accounts of the run do not compute it again. */
export function onceBeyondLimits(compute: ModelRows['members']): ModelRows['members'] {
  const beyond = new Map<string, BeyondLimit>();
  return async (model, customer, demand) => {
    const before = beyond.get(model.name);
    if (before !== undefined) throw before;
    try {
      return await compute(model, customer, demand);
    } catch (error) {
      if (error instanceof BeyondLimit) beyond.set(model.name, error);
      throw error;
    }
  };
}
