import { InputError } from '../../domain/errors.ts';
import type { TargetKind } from '../schema.ts';
import type { StateFile } from '../sqlite/open-state.ts';

export interface Target {
  /** For people: `live (https://ads.example.com)`, `sandbox (seed 1)`. */
  readonly identity: string;
  readonly kind: TargetKind;
}

/** For good, unless it has one already. */
export async function claimTarget(state: StateFile, { identity, kind }: Target): Promise<void> {
  await state.db
    .insertInto('target')
    .values({ id: 1n, identity, kind })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Throws `InputError`: one target's amounts must never steer another's budgets. No identity: any live owner passes. */
export async function checkTarget(state: StateFile, identity: string | undefined): Promise<void> {
  const row = await state.db.selectFrom('target').select(['identity', 'kind']).executeTakeFirst();
  if (row === undefined || row.identity === identity) return;
  if (identity === undefined && row.kind === 'live') return;
  throw new InputError(
    `${state.path} belongs to ${row.identity}, but this run is for ${identity ?? 'a live service'}.`,
    {
      nextStep: 'Choose another folder with --data-dir, or move the old folder away.',
    },
  );
}
