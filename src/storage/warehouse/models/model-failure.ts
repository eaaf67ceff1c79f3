import { InputError } from '../../../domain/errors.ts';
import type { Model } from './model.ts';

/** For each model in a publication, and for each time that a rule reads a model. */
export interface ModelLimits {
  readonly maxRows: number;
  readonly maxSeconds: number;
  readonly maxMemoryMb: number;
}

/** The message is a clause without a full stop. */
export class ModelFailure extends Error {
  override readonly name: string = 'ModelFailure';
}

/** The model may be correct, but its limit is too low. */
export class BeyondLimit extends ModelFailure {
  override readonly name = 'BeyondLimit';
}

export const tooManyRows = ({ maxRows }: ModelLimits) =>
  new BeyondLimit(`it has more than ${maxRows.toLocaleString('en-US')} rows, the limit in models.max_rows`);

export const tooSlow = ({ maxSeconds }: ModelLimits) =>
  new BeyondLimit(`it takes more than ${maxSeconds} s, the limit in models.max_seconds`);

export const tooLarge = ({ maxMemoryMb }: ModelLimits) =>
  new BeyondLimit(`it needs more than ${maxMemoryMb} MiB of memory, the limit in models.max_memory_mb`);

export interface PublishedModel extends Model {
  /** The path of its file, for messages. */
  readonly file: string;
  readonly limits: ModelLimits;
}

export function unpublishable({ name, file }: PublishedModel, cause: unknown): InputError {
  const remedy = cause instanceof BeyondLimit ? 'Correct the model or raise the limit' : 'Correct the model';
  const reason = cause instanceof Error ? cause.message : cause;
  return new InputError(`the model ${name} (${file}) failed: ${reason}`, {
    nextStep: `${remedy}, then run pacekeeper publish.`,
    cause,
  });
}
