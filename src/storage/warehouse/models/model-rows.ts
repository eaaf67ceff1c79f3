import type { Member } from '../../../domain/member.ts';
import type { ModelRows } from '../store.ts';
import { BeyondLimit, ModelFailure } from './model-failure.ts';

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

/** Throws {@link ModelFailure} unless the days, each computed by itself, have the same sums as all rows. */
export function refuseOtherDays(ofDays: readonly Member[], ofAll: Iterable<Member>): void {
  if (sumsOf(ofDays) === sumsOf(ofAll)) return;
  throw new ModelFailure('other days or accounts change its sums, but a rule needs each day of an account by itself');
}

/** Ignores attributes, because they come from an arbitrary row. */
function sumsOf(members: Iterable<Member>): string {
  const sums = Array.from(members, ({ ids, stretches }) => [ids, stretches.map((stretch) => stretch?.sums)]);
  return JSON.stringify(sums, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
}
