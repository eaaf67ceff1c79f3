import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '../../config/settings.ts';
import { inboxPath, openInbox } from '../../storage/inbox/open-inbox.ts';
import { standingOf, watchFiles } from '../../storage/records/sqlite/file-behind.ts';
import { openState, openStateCopy, openStateToLook } from '../../storage/records/sqlite/open-state.ts';
import { isWritable } from '../../storage/records/sqlite/open-to-look.ts';
import { overwriteDeleted } from '../../storage/records/sqlite/overwrite-deleted.ts';
import { acquireRunLock, isLockedSince } from '../../storage/records/sqlite/run-lock.ts';
import type { PublishedData } from '../../storage/warehouse/publish/published-data.ts';
import { sqliteWarehouse } from '../../storage/warehouse/sqlite/sqlite-warehouse.ts';
import type { Store } from '../../storage/warehouse/store.ts';
import { checkState } from './check-state.ts';
import type { Engine } from './engine.ts';
import { warehousePath } from './folder-paths.ts';
import { forgottenPast } from './forgotten-past.ts';
import { openSnapshotOf } from './snapshots.ts';
import { filledState, hasState, refuseMoved, statePath } from './store-file.ts';

/** Without these files, a second run could start, or changes could be forgotten. */
const OWN_FILES = ['lock.sqlite', 'state.sqlite'];

/** All files and folders from which the past of the folder is known. */
const FILES = [
  'state.sqlite',
  'state.sqlite-wal',
  'warehouse.sqlite',
  'runs',
  'schedule.sqlite',
  'schedule.sqlite-wal',
];

export function sqliteEngine(settings: Settings): Engine {
  const path = statePath(settings);
  const { data } = settings.paths;
  const isSealed = () => !isWritable(data);
  const filesNow = () => standingOf(FILES.map((name) => join(data, name)));
  return {
    place: data,
    another: 'folder with --data-dir',
    explored: { path: warehousePath(data) },
    filesNow,
    forgottenPast: async () => forgottenPast(settings),
    checks: async () => checkState(settings),
    hasRecords: async () => hasState(settings),
    refuseNoRecords: async () => void filledState(settings),
    isSealed,
    adopt: undefined,
    acquireRunLock: async (command, since) => acquireRunLock(data, command, since),
    upgrade: async () => undefined,
    async open({ readOnly = false, writes = false, waitMs } = {}) {
      // Again, because this process may have waited for the run lock while the records moved.
      refuseMoved(settings);
      if (readOnly && existsSync(path)) filledState(settings);
      const openSealed = writes ? openStateCopy : openStateToLook;
      const state = await (readOnly && isSealed() && existsSync(path) ? openSealed(path) : openState(path, waitMs));
      return { ...state, warehouse: sqliteWarehouse(state) };
    },
    async openSnapshot(waitMs) {
      const state = await openSnapshotOf(path, filesNow(), waitMs);
      return oneMoment({ ...state, warehouse: sqliteWarehouse(state) });
    },
    hasInbox: () => existsSync(inboxPath(data)),
    openInbox: async (clock) => openInbox(inboxPath(data), clock),
    overwriteDeleted: async () => [path, inboxPath(data)].filter((file) => existsSync(file)).forEach(overwriteDeleted),
    isLockedSince: async (instant) => isLockedSince(data, instant),
    // The lease of the folder is enough.
    claimTick: async () => true,
    cluster: undefined,
    watchLock() {
      const moved = watchFiles(OWN_FILES.map((name) => join(data, name)));
      return async () => moved();
    },
  };
}

/** A publication during the reads cannot mix figures, because the published file is opened only once. */
function oneMoment({ warehouse, close, ...records }: Store): Store {
  let published: Promise<PublishedData | undefined> | undefined;
  return {
    ...records,
    warehouse: {
      ...warehouse,
      async openPublished(path) {
        published ??= warehouse.openPublished(path);
        const file = await published;
        return file && { ...file, close: () => undefined };
      },
    },
    async close() {
      (await published)?.close();
      await close();
    },
  };
}
