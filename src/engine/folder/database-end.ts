import { InputError } from '../../domain/errors.ts';
import { inboxOn } from '../../storage/inbox/inbox.ts';
import type { InboxSchema } from '../../storage/inbox/inbox-schema.ts';
import { databaseAddress } from '../../storage/records/postgres/address.ts';
import { markMove, moveMark, refusalOf } from '../../storage/records/postgres/move-mark.ts';
import { hasPostgresRecords, openPostgres } from '../../storage/records/postgres/open-records.ts';
import { acquireRunLock, type HeldLock } from '../../storage/records/postgres/run-lock.ts';
import { hasRow, type MovingStore } from '../../storage/warehouse/moved-rows.ts';
import { postgresMovedRows } from '../../storage/warehouse/postgres/moved-rows.ts';
import { postgresWarehouse } from '../../storage/warehouse/postgres/postgres-warehouse.ts';
import { refuseLongNames } from '../../storage/warehouse/postgres/query-tables.ts';
import { upgradeDatabase } from './postgres-engine.ts';
import { freezeIfCopied } from './restored-copy.ts';
import type { StoreEnd } from './store-end.ts';

const WAIT_MS = 5000;

/** The table `store_move` says which way the records go. Until all have arrived, and after they left, no command opens them. */
export function databaseEnd(url: string, variable: string, folder: string): StoreEnd {
  const where = databaseAddress(url, variable);
  let held: HeldLock | undefined;
  const open = async (): Promise<MovingStore> => {
    const state = await openPostgres({ url, waitMs: WAIT_MS, fence: held?.fence, moving: true });
    return { ...state, warehouse: postgresWarehouse(state), moved: postgresMovedRows(state.db) };
  };
  const mark = ({ db }: MovingStore, state: 'arriving' | 'leaving' | 'left' | undefined) =>
    db.transaction().execute((trx) => markMove(trx, state && { state, other: folder }));
  return {
    place: where,
    another: 'database',
    upgrade: (deps) => upgradeDatabase(url, { place: where, another: 'database' }, deps),
    async refuseNothing() {
      if (await hasPostgresRecords(url, WAIT_MS)) return;
      throw new InputError(`${where} has no tables of pacekeeper.`, { nextStep: 'Name the database that has them.' });
    },
    async acquireRunLock(command, since) {
      await (await open()).close();
      const lock = await acquireRunLock(url, command, since);
      if (lock.kind === 'acquired') held = lock;
      return lock;
    },
    async openSource(clock) {
      const store = await open();
      const found = await moveMark(store.db);
      // A copy stays one in files.
      if (found === undefined) await freezeIfCopied(store, clock.now());
      return {
        store,
        leavingTo: found?.state === 'leaving' ? found.other : undefined,
        webhooksWaiting: await inboxOn(store.db.withTables<Pick<InboxSchema, 'webhookEvent'>>(), clock).countWaiting(),
        refusal: found && found.state !== 'leaving' ? refusalOf(found, where) : undefined,
        leave: () => mark(store, 'leaving'),
        async finish() {
          await mark(store, 'left');
          await store.close();
          return undefined;
        },
        close: () => store.close(),
      };
    },
    async openTarget() {
      const store = await open();
      const found = await moveMark(store.db);
      const isOurs = found?.state === 'arriving' && found.other === folder;
      const standing = isOurs ? 'arriving' : (await hasRow(store)) ? 'holds' : 'empty';
      return {
        store,
        standing,
        refusal: found && !isOurs ? refusalOf(found, where) : undefined,
        async begin(shapes) {
          for (const { name, columns } of shapes) refuseLongNames(name, columns);
          await mark(store, 'arriving');
        },
        async finish() {
          await mark(store, undefined);
          await store.close();
        },
        close: () => store.close(),
      };
    },
  };
}
