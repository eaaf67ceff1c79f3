import { InputError } from '../../domain/errors.ts';
import type { TargetKind } from '../schema.ts';
import type { StateFile } from '../sqlite/open-state.ts';

/** The service that a file is of. */
export interface Target {
  /** As people are told: `live (https://ads.example.com)`, `sandbox (seed 1)`. */
  readonly identity: string;
  readonly kind: TargetKind;
}

/** Ties the file to its target (the sandbox's market, or the live address) for good, unless it has one already. */
export async function claimTarget(state: StateFile, { identity, kind }: Target): Promise<void> {
  await state.db
    .insertInto('target')
    .values({ id: 1n, identity, kind })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/**
 * Refuses a file that belongs to another target: amounts and days of one must never steer budgets of the other. Without
 * an identity (a live target that has no advertising interface yet) any live owner will do.
 */
export async function checkTarget(state: StateFile, identity: string | undefined): Promise<void> {
  const row = await state.db.selectFrom('target').select(['identity', 'kind']).executeTakeFirst();
  if (row === undefined || row.identity === identity) return;
  if (identity === undefined && row.kind === 'live') return;
  throw new InputError(
    `${state.path} belongs to ${row.identity}, and this run is for ${identity ?? 'a live service'}.`,
    {
      nextStep: 'Give this run a folder of its own with --data-dir, or move the old folder away.',
    },
  );
}
