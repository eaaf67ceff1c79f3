import { hostname } from 'node:os';
import { resolve } from 'node:path';
import type { Settings } from '../../config/settings.ts';
import { InputError } from '../../domain/errors.ts';
import { inboxOn } from '../../storage/inbox/inbox.ts';
import type { InboxSchema } from '../../storage/inbox/inbox-schema.ts';
import { NO_EVENT } from '../../storage/records/budgets/record-head.ts';
import { besideLoads } from '../../storage/records/in-transaction.ts';
import { databaseAddress } from '../../storage/records/postgres/address.ts';
import {
  aheadOfServer,
  claimTick,
  hasPostgresRecords,
  hasTaskQueue,
  isOlderDatabase,
  openBeside,
  openPostgres,
  postgresPast,
  prepareTaskQueue,
  withClient,
} from '../../storage/records/postgres/open-records.ts';
import { INBOX_LOCK } from '../../storage/records/postgres/postgres-driver.ts';
import { acquireRunLock, type HeldLock, isLockedSince, joinedLock } from '../../storage/records/postgres/run-lock.ts';
import { workersStanding } from '../../storage/records/postgres/workers-standing.ts';
import { postgresWarehouse } from '../../storage/warehouse/postgres/postgres-warehouse.ts';
import type { Store } from '../../storage/warehouse/store.ts';
import { checkDatabase, failedPast } from './check-database.ts';
import { type Engine, refuseForgotten } from './engine.ts';
import { newestRunFile } from './forgotten-past.ts';
import { adoptLostRuns, freezeIfCopied } from './restored-copy.ts';
import { otherStore, rememberStore } from './store-file.ts';
import { upgradeDatabase } from './upgrade-database.ts';

const WAIT_MS = 5000;

/** `lost` is the newest run of the data folder if the database lacks it. `moved` says why the records cannot be used. */
async function lostRuns({ paths }: Settings, url: string) {
  const { id, head = NO_EVENT } = newestRunFile(paths.data);
  const { lastRun, lastAdopted, hasEvent, moved } = await postgresPast(url, WAIT_MS, head);
  if (id <= lastAdopted || (id <= lastRun && hasEvent)) return { moved, lost: undefined };
  const file = `runs/${id}.json`;
  const words = id > lastRun ? `run ${id}, but ${file} exists` : `event ${head.id} of ${file}`;
  return { moved, lost: { lastRun: id, words } };
}

export function postgresEngine(settings: Settings, url: string): Engine {
  const where = databaseAddress(url);
  const { exploreUrl } = settings.store;
  let held: HeldLock | undefined;
  let isJoined = false;
  const open = async (waitMs: number, asTheyAre = false): Promise<Store> => {
    const state = await openPostgres({ url, waitMs, fence: held?.fence, asTheyAre });
    return { ...state, warehouse: postgresWarehouse(state) };
  };
  const place = { place: where, another: 'database with store.url' };
  const openFor: Engine['open'] = async ({ readOnly = false, waitMs = WAIT_MS, asTheyAre = false, nowMs } = {}) => {
    const state = await open(waitMs, asTheyAre);
    if (readOnly) return state;
    rememberStore(settings, where);
    try {
      const isOlder = asTheyAre && (await isOlderDatabase(url, waitMs));
      if (nowMs !== undefined && !isOlder) await freezeIfCopied(state, nowMs);
      return state;
    } catch (error) {
      await state.close();
      throw error;
    }
  };
  const refuseOther = () => {
    const other = otherStore(settings, where);
    if (other !== undefined) throw other;
  };
  const forgottenPast = async () => {
    const other = otherStore(settings, where);
    if (other !== undefined) return other;
    const { moved, lost } = await lostRuns(settings, url);
    if (moved !== undefined || lost === undefined) return moved;
    return new InputError(`${where} lacks ${lost.words}. It is an older copy. Nothing was changed.`, {
      nextStep:
        'Restore the newest backup of the database. Without a newer one, run pacekeeper adopt. Budgets then stay unchanged until every account has begun a new day. If the data folder belongs to another database, choose another one with --data-dir.',
    });
  };
  return {
    ...place,
    explored: exploreUrl === undefined ? undefined : { url: exploreUrl },
    forgottenPast,
    async checks() {
      const checks = await checkDatabase(where, url, WAIT_MS);
      const forgotten = checks.some(({ state }) => state === 'failed') ? undefined : await forgottenPast();
      return forgotten === undefined ? checks : [...checks, failedPast(forgotten)];
    },
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
    upgrade(deps, isAdopting = false) {
      const refuse = async () => (isAdopting ? refuseOther() : refuseForgotten(this));
      return upgradeDatabase(url, place, deps, refuse);
    },
    open: openFor,
    async adopt(person, nowMs) {
      refuseOther();
      const { lost } = await lostRuns(settings, url);
      if (lost === undefined) return undefined;
      const state = await openFor({ nowMs });
      try {
        return await adoptLostRuns(state, lost.lastRun, person, nowMs);
      } finally {
        await state.close();
      }
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
