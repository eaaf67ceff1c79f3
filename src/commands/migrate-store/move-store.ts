import type { Settings } from '../../config/settings.ts';
import { InputError, InvariantError } from '../../domain/errors.ts';
import type { Clock, Log } from '../../domain/ports.ts';
import { proveWhole } from '../../engine/budgets/verify-audit.ts';
import type { Source, StoreEnd, Target } from '../../engine/folder/store-end.ts';
import { takeFolder } from '../../engine/folder/take-folder.ts';
import { headText, type RecordHead } from '../../storage/records/budgets/record-head.ts';
import { MOVE_AGAIN } from '../../storage/records/move-again.ts';
import type { RecordStore } from '../../storage/records/record-store.ts';
import type { MovingStore } from '../../storage/warehouse/moved-rows.ts';
import { count } from '../../views/text/text-layout.ts';
import { fileTime } from '../backup/run-backup.ts';
import { freeName } from '../backup/run-restore.ts';
import { listedTables, type MovedTally, moveTables, talliesOf } from './move-tables.ts';

export interface MovedStore {
  readonly from: string;
  readonly to: string;
  readonly tables: readonly MovedTally[];
  readonly head: RecordHead;
  /** The new path of an old file. */
  readonly kept: string | undefined;
  readonly isDryRun: boolean;
}

/** Points where a test may end the process. */
export type MovePoint = 'begun' | 'left' | `arrived ${string}` | 'usable';

interface Deps {
  readonly clock: Clock;
  readonly log: Log;
  readonly passes?: (point: MovePoint) => void;
}

export interface Move {
  readonly from: StoreEnd;
  readonly to: StoreEnd;
  /** The settings with the data folder of the move. */
  readonly settings: Settings;
  readonly isDryRun: boolean;
  /** Copies what is not in the tables of {@link moveTables}. */
  readonly carry?: ((from: RecordStore) => Promise<void>) | undefined;
}

type Closing = () => Promise<void> | void;

const COMMAND = 'pacekeeper migrate-store';

/**
 * At each moment, at most one of both stores can be used. The source is marked before the first row leaves, and the
 * target becomes usable after all rows were compared.
 */
export async function moveStore(move: Move, deps: Deps): Promise<MovedStore> {
  const { from, to, settings } = move;
  const closings: Closing[] = [];
  const onClose = (close: Closing) => void closings.push(close);
  const take = async (end: StoreEnd) => {
    if (!move.isDryRun) await end.upgrade(deps);
    const lock = await takeFolder(end, deps, COMMAND);
    onClose(() => lock.release());
  };
  try {
    await from.refuseNothing();
    await take(from);
    const source = await from.openSource(deps.clock);
    onClose(() => source.close());
    if (source.refusal !== undefined) throw source.refusal;
    const isLeaving = source.leavingTo === to.place;
    if (source.leavingTo !== undefined && !isLeaving) throw notComplete(from.place, source.leavingTo);
    const head = await provenHead(source.store);
    refuseWaiting(source.webhooksWaiting);
    const listed = await listedTables(source.store);
    for (const { shape } of listed) await refuseUnnumbered(source.store, shape.name);

    await take(to);
    const target = await to.openTarget({ place: from.place, isLeaving });
    onClose(() => target.close());
    if (target.refusal !== undefined) throw target.refusal;
    if (target.standing === 'holds' && !isLeaving) throw alreadyHolds(to.place);
    const found = { from: from.place, to: to.place, head };
    if (move.isDryRun) {
      return { ...found, tables: await talliesOf(source.store, listed), kept: undefined, isDryRun: true };
    }
    const tables = target.standing === 'holds' ? [] : await moveAll(move, { source, target, listed, head }, deps);
    await move.carry?.(source.store);
    await target.finish();
    deps.passes?.('usable');
    const kept = await source.finish(freeName(settings.paths.data, `state-moved-${fileTime(deps.clock)}`));
    return { ...found, tables, kept, isDryRun: false };
  } finally {
    for (const close of closings.reverse()) await close();
  }
}

interface Checked {
  readonly source: Source;
  readonly target: Target;
  readonly listed: Awaited<ReturnType<typeof listedTables>>;
  readonly head: RecordHead;
}

async function moveAll(
  { to }: Move,
  { source, target, listed, head }: Checked,
  { passes = () => undefined }: Deps,
): Promise<readonly MovedTally[]> {
  await target.begin(listed.map(({ shape }) => shape));
  passes('begun');
  await source.leave(to.place);
  passes('left');
  const tables = await target.store.withoutFlushing(() =>
    moveTables(source.store, target.store, listed, (table) => passes(`arrived ${table}`)),
  );
  const arrived = await provenHead(target.store);
  if (headText(arrived) !== headText(head)) throw new InvariantError(`The audit trail of ${to.place} ends elsewhere.`);
  return tables;
}

/** A broken audit trail stays where it broke. A copy would have new triggers, and hide how the old one was altered. */
async function provenHead(store: RecordStore): Promise<RecordHead> {
  const { head, problems } = await proveWhole(store);
  const [problem] = problems;
  if (problem === undefined) return head;
  throw new InputError(`The audit trail in ${store.path} is not sound, so it does not move. ${problem}`, {
    nextStep: 'Run pacekeeper audit verify. Put back a backup whose audit trail is sound, then move again.',
  });
}

function refuseWaiting(waiting: number): void {
  if (waiting === 0) return;
  throw new InputError(`${count(waiting, 'webhook waits', 'webhooks wait')} in the inbox. Nothing was moved.`, {
    nextStep: 'Stop pacekeeper serve. Run pacekeeper report, which handles them, and move again.',
  });
}

async function refuseUnnumbered({ db, warehouse, path }: MovingStore, table: string): Promise<void> {
  if (await warehouse.isNumbered(db, table)) return;
  throw new InputError(`Table ${table} of ${path} is older than this version: its rows have no numbers.`, {
    nextStep: `Run pacekeeper extract --query ${table}, which adds them. Or run pacekeeper warehouse rebuild ${table}.`,
  });
}

function notComplete(from: string, to: string): InputError {
  return new InputError(`The move of the records from ${from} to ${to} is not complete.`, { nextStep: MOVE_AGAIN });
}

function alreadyHolds(place: string): InputError {
  return new InputError(`${place} already has records. Nothing was moved.`, {
    nextStep: 'Name an empty database or another data folder. docs/scale-out.md says how to empty a database.',
  });
}
