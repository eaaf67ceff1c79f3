import { InputError } from '../domain/errors.ts';
import type { StateFile } from './open-state.ts';

/**
 * Ties the file to its target (the sandbox's market, or the live address) on first use and refuses any other later:
 * amounts and days of one must never steer budgets of the other.
 */
export async function claimTarget(state: StateFile, identity: string): Promise<void> {
  await state.db
    .insertInto('target')
    .values({ id: 1n, identity })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const { identity: owner } = await state.db.selectFrom('target').select('identity').executeTakeFirstOrThrow();
  if (owner === identity) return;
  throw new InputError(`${state.path} belongs to ${owner}, and this run is for ${identity}.`, {
    nextStep: 'Give this run a folder of its own with --data-dir, or move the old folder away.',
  });
}
