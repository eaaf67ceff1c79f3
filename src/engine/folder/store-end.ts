import type { InputError } from '../../domain/errors.ts';
import type { Clock } from '../../domain/ports.ts';
import type { MovingStore } from '../../storage/warehouse/moved-rows.ts';
import type { TableShape } from '../../storage/warehouse/query-table.ts';
import type { Engine } from './engine.ts';

/** One end of a move of the records: a data folder or a database. */
export interface StoreEnd extends Pick<Engine, 'place' | 'another' | 'acquireRunLock' | 'upgrade'> {
  /** Throws `InputError` if there are no records that can leave. Changes nothing. */
  refuseNothing(): Promise<void>;
  openSource(clock: Clock): Promise<Source>;
  openTarget(from: Origin): Promise<Target>;
}

export interface Origin {
  readonly place: string;
  /** True if an earlier move from there to this end was interrupted. */
  readonly isLeaving: boolean;
}

interface Opened {
  readonly store: MovingStore;
  /** The reason why this store cannot be an end of this move. */
  readonly refusal?: InputError | undefined;
  close(): Promise<void>;
}

export interface Source extends Opened {
  /** The place to which an interrupted move goes. */
  readonly leavingTo: string | undefined;
  /** From now on, no other command can use the records. */
  leave(to: string): Promise<void>;
  /** The number of webhooks that are not handled yet. */
  readonly webhooksWaiting: number;
  /** Closes the old records, which stay as a backup. A file gets the name `kept`, which is returned. */
  finish(kept: string): Promise<string | undefined>;
}

export interface Target extends Opened {
  /** `holds`: it has records that did not come by an interrupted move. */
  readonly standing: 'empty' | 'arriving' | 'holds';
  /** No other command can use the records before {@link finish}. Throws `InputError` for a table that cannot be made. */
  begin(shapes: readonly TableShape[]): Promise<void>;
  /** Closes the records, which are complete. */
  finish(): Promise<void>;
}
