import { InputError } from '../../../domain/errors.ts';
import type { RecordStore } from '../record-store.ts';
import type { TargetKind } from '../schema.ts';

export interface Target {
  /** A text for people, such as `sandbox (seed 1)`. */
  readonly identity: string;
  readonly kind: TargetKind;
}

/** Binds the file to the target permanently. Does nothing if the file already has a target. */
export async function claimTarget(state: RecordStore, { identity, kind }: Target): Promise<void> {
  await state.db
    .insertInto('target')
    .values({ id: 1n, identity, kind })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Throws `InputError` if the file belongs to another target, so that a run never changes the wrong budgets. */
export async function checkTarget(state: RecordStore, identity: string | undefined): Promise<void> {
  const row = await state.db.selectFrom('target').select(['identity', 'kind']).executeTakeFirst();
  if (row === undefined || row.identity === identity) return;
  if (identity === undefined && row.kind === 'live') return;
  throw new InputError(
    `${state.path} belongs to ${row.identity}, but this run is for ${identity ?? 'a live service'}.`,
    {
      nextStep: 'Correct the target, or choose another data folder (--data-dir) or database (store.url).',
    },
  );
}
