import { hostname } from 'node:os';
import { resolve } from 'node:path';
import type { Settings } from '../config/settings.ts';
import { InputError } from '../domain/errors.ts';
import { inboxOn } from '../inbox/inbox.ts';
import type { InboxSchema } from '../inbox/inbox-schema.ts';
import { besideLoads } from '../store/in-transaction.ts';
import { addressOf } from '../store/postgres/address.ts';
import {
  aheadOfServer,
  claimTick,
  hasPostgresRecords,
  hasTaskQueue,
  openBeside,
  openPostgres,
  postgresPast,
  prepareTaskQueue,
  withClient,
} from '../store/postgres/open-records.ts';
import { INBOX_LOCK } from '../store/postgres/postgres-driver.ts';
import { acquireRunLock, type HeldLock, isLockedSince, joinedLock } from '../store/postgres/run-lock.ts';
import { workersStanding } from '../store/postgres/workers-standing.ts';
import { postgresWarehouse } from '../warehouse/postgres/postgres-warehouse.ts';
import type { Store } from '../warehouse/store.ts';
import { checkDatabase } from './check-database.ts';
import { type Engine, refuseForgotten } from './engine.ts';
import { lastRunFile } from './forgotten-past.ts';
import { statePath } from './state-path.ts';
import { hasOwnRecords, movedAway, rememberedStore, rememberStore } from './store-file.ts';
import { upgradeDatabase } from './upgrade-database.ts';

const WAIT_MS = 5000;

export function postgresEngine(settings: Settings, url: string): Engine {
  const where = addressOf(url);
  const { exploreUrl } = settings.store;
  let held: HeldLock | undefined;
  let isJoined = false;
  const open = async (waitMs: number, asTheyAre = false): Promise<Store> => {
    const state = await openPostgres({ url, waitMs, fence: held?.fence, asTheyAre });
    return { ...state, warehouse: postgresWarehouse(state) };
  };
  const place = { place: where, another: 'database with store.url' };
  return {
    ...place,
    explored: exploreUrl === undefined ? undefined : { url: exploreUrl },
    async forgottenPast() {
      const remembered = rememberedStore(settings);
      if (remembered !== undefined && remembered !== where) {
        return new InputError(
          `The records of ${settings.paths.data} are in ${remembered}, but store.url names ${where}.`,
          {
            nextStep: 'Correct store.url, or choose another data folder. If the database moved, delete store.txt.',
          },
        );
      }
      if (hasOwnRecords(settings)) {
        if (remembered === where) return movedAway(settings);
        return new InputError(`${statePath(settings)} has records, but store.url names ${where}.`, {
          nextStep: 'Choose another data folder with --data-dir, or remove store.url to go on with this file.',
        });
      }
      const last = lastRunFile(settings.paths.data);
      const { moved, lastRun } = await postgresPast(url, WAIT_MS);
      if (moved !== undefined) return moved;
      if (lastRun >= last) return undefined;
      return new InputError(`${where} lacks run ${last}, but runs/${last}.json exists. Nothing was changed.`, {
        nextStep: 'Restore the newest backup of the database, or choose another data folder with --data-dir.',
      });
    },
    checks: () => checkDatabase(where, url, WAIT_MS),
    hasRecords: () => hasPostgresRecords(url, WAIT_MS),
    async refuseNoRecords() {
      if (await hasPostgresRecords(url, WAIT_MS)) return;
      throw new InputError(`${where} has no tables of pacekeeper. No run has read data yet.`, {
        nextStep: 'Run pacekeeper report.',
      });
    },
    isSealed: () => false,
    async acquireRunLock(command, since) {
      await (await open(WAIT_MS)).close();
      const lock = await acquireRunLock(url, command, since);
      if (lock.kind === 'acquired') held = lock;
      return lock;
    },
    upgrade(deps) {
      return upgradeDatabase(url, place, deps, () => refuseForgotten(this));
    },
    async open({ readOnly = false, waitMs = WAIT_MS, asTheyAre = false } = {}) {
      const state = await open(waitMs, asTheyAre);
      if (!readOnly) rememberStore(settings, where);
      return state;
    },
    async openSnapshot(waitMs) {
      const state = await open(waitMs);
      try {
        const db = await state.db.startTransaction().setAccessMode('read only').execute();
        const close = async () => {
          await db.rollback().execute();
          await state.close();
        };
        return { ...state, db, warehouse: postgresWarehouse({ ...state, db }), close };
      } catch (error) {
        await state.close();
        throw error;
      }
    },
    hasInbox: () => true,
    openInbox: async (clock) =>
      inboxOn(await openBeside<InboxSchema>({ url, waitMs: WAIT_MS, lock: INBOX_LOCK }), clock),
    isLockedSince: (instant) => withClient(url, WAIT_MS, (client) => isLockedSince(client, instant)),
    async claimTick(job, dueAt) {
      // The job that is due upgrades older tables.
      await (await open(WAIT_MS, true)).close();
      const from = `${hostname()} ${resolve(settings.paths.data)}`;
      return withClient(url, WAIT_MS, (client) => claimTick(client, job, dueAt, from));
    },
    cluster: {
      url,
      aheadMs: () => withClient(url, WAIT_MS, (client) => aheadOfServer((text) => client.query<{ ms: number }>(text))),
      hasTaskQueue: () => hasTaskQueue(url, WAIT_MS),
      prepareTaskQueue: () => prepareTaskQueue(url, WAIT_MS),
      workers: () => withClient(url, WAIT_MS, workersStanding),
      token: () => held?.token,
      join(run) {
        held = joinedLock(run);
        isJoined = true;
      },
    },
    watchLock: (state) => async () => {
      if (isJoined) await besideLoads(state.db, async () => undefined);
      return held?.lost();
    },
  };
}
