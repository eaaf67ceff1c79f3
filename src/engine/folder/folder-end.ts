import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '../../config/settings.ts';
import type { Clock } from '../../domain/ports.ts';
import { removeDatabase } from '../../storage/files/journals.ts';
import { flush, replaceDatabase } from '../../storage/files/replace-file.ts';
import { inboxPath, openInbox } from '../../storage/inbox/open-inbox.ts';
import { closeJournal } from '../../storage/records/sqlite/copy-database.ts';
import { openState, openStateAlone, type StateFile } from '../../storage/records/sqlite/open-state.ts';
import { acquireRunLock } from '../../storage/records/sqlite/run-lock.ts';
import type { MovingStore } from '../../storage/warehouse/moved-rows.ts';
import { sqliteMovedRows } from '../../storage/warehouse/sqlite/moved-rows.ts';
import { sqliteWarehouse } from '../../storage/warehouse/sqlite/sqlite-warehouse.ts';
import { warehousePath } from './folder-paths.ts';
import { forgottenPast } from './forgotten-past.ts';
import type { StoreEnd } from './store-end.ts';
import {
  filledState,
  forgetStore,
  hasOwnRecords,
  refuseMoved,
  rememberedStore,
  rememberStore,
  statePath,
} from './store-file.ts';

/** While the records leave, and until all have arrived, `store.txt` names the database. So no command uses the files. */
export function folderEnd(settings: Settings): StoreEnd {
  const path = statePath(settings);
  return {
    place: settings.paths.data,
    another: 'folder',
    acquireRunLock: async (command, since) => acquireRunLock(settings.paths.data, command, since),
    upgrade: async () => undefined,
    async refuseNothing() {
      if (!hasOwnRecords(settings)) refuseMoved(settings);
      filledState(settings);
      const forgotten = forgottenPast(settings);
      if (forgotten !== undefined) throw forgotten;
    },
    async openSource(clock) {
      const state = await openStateAlone(path);
      return {
        store: moving(state),
        leavingTo: rememberedStore(settings),
        webhooksWaiting: await webhooksWaiting(settings, clock),
        leave: async (to) => rememberStore(settings, to),
        async finish(kept) {
          await state.close();
          closeJournal(path);
          // BI tools would read old numbers without noticing.
          rmSync(warehousePath(settings.paths.data), { force: true });
          renameSync(path, kept);
          return kept;
        },
        close: () => state.close(),
      };
    },
    async openTarget(from) {
      const belongsTo = rememberedStore(settings);
      if (belongsTo !== undefined && belongsTo !== from.place) refuseMoved(settings);
      const isComplete = hasOwnRecords(settings);
      const next = join(settings.paths.data, '.state.sqlite.arriving');
      if (!from.isLeaving && !isComplete) removeDatabase(next);
      const standing = isComplete ? 'holds' : existsSync(next) ? 'arriving' : 'empty';
      const state = await openState(isComplete ? path : next);
      let begun = standing !== 'empty';
      return {
        store: moving(state),
        standing,
        async begin() {
          begun = true;
          rememberStore(settings, from.place);
        },
        async finish() {
          await state.close();
          if (!isComplete) {
            closeJournal(next);
            flush(next);
            replaceDatabase(next, path);
          }
          forgetStore(settings);
        },
        async close() {
          await state.close();
          if (!begun) removeDatabase(next);
        },
      };
    },
  };
}

async function webhooksWaiting({ paths }: Settings, clock: Clock): Promise<number> {
  const path = inboxPath(paths.data);
  if (!existsSync(path)) return 0;
  const inbox = openInbox(path, clock);
  try {
    return await inbox.countWaiting();
  } finally {
    await inbox.close();
  }
}

const moving = (state: StateFile): MovingStore => ({
  ...state,
  warehouse: sqliteWarehouse(state),
  moved: sqliteMovedRows(state),
});
