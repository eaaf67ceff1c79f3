import { hostname } from 'node:os';
import { resolve } from 'node:path';
import type { Settings } from '../../config/settings.ts';
import { CLOCK_OFF_MAX_MS, SHARED_CLOCK_OFF_MAX_MS } from '../../domain/clock-difference.ts';
import { InputError } from '../../domain/errors.ts';
import { withoutFullStop } from '../../domain/wording.ts';
import { inboxOn } from '../../storage/inbox/inbox.ts';
import type { InboxSchema } from '../../storage/inbox/inbox-schema.ts';
import { NO_EVENT } from '../../storage/records/budgets/record-head.ts';
import { besideLoads } from '../../storage/records/in-transaction.ts';
import { databaseAddress } from '../../storage/records/postgres/address.ts';
import { isLost, RIGHTS } from '../../storage/records/postgres/database-failure.ts';
import { type DatabaseLook, lookAtDatabase } from '../../storage/records/postgres/look-at-database.ts';
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
  shortVersion,
  upgradeStep,
  VERSION_MIN,
  withClient,
} from '../../storage/records/postgres/open-records.ts';
import { overwriteDeleted } from '../../storage/records/postgres/overwrite-deleted.ts';
import { INBOX_LOCK } from '../../storage/records/postgres/postgres-driver.ts';
import { acquireRunLock, type HeldLock, isLockedSince, joinedLock } from '../../storage/records/postgres/run-lock.ts';
import { upgradeTables } from '../../storage/records/postgres/upgrade-tables.ts';
import { workersStanding } from '../../storage/records/postgres/workers-standing.ts';
import { type LostTables, lookAtTables } from '../../storage/warehouse/postgres/look-at-tables.ts';
import { postgresWarehouse } from '../../storage/warehouse/postgres/postgres-warehouse.ts';
import type { Store } from '../../storage/warehouse/store.ts';
import { type Engine, type FolderDeps, refuseForgotten } from './engine.ts';
import { newestRunFile } from './forgotten-past.ts';
import { adoptLostRuns, freezeIfCopied } from './restored-copy.ts';
import { checksOf, type StoreCheck } from './store-check.ts';
import { otherStore, rememberStore } from './store-file.ts';
import { takeFolder, UPGRADE } from './take-folder.ts';

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
    filesNow: () => undefined,
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
    overwriteDeleted: () => withClient(url, WAIT_MS, (client) => overwriteDeleted(client, where)),
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

const { ok, warning, missing, failed } = checksOf('database');

const SERVER = 'server';

async function checkDatabase(where: string, url: string, waitMs: number): Promise<StoreCheck[]> {
  let look: DatabaseLook;
  let lost: LostTables | undefined;
  try {
    look = await lookAtDatabase(url, waitMs);
    if (look.records.kind === 'whole' && look.lacking.length === 0) lost = await lostTables(url, waitMs);
  } catch (error) {
    const { message, nextStep = '' } = error as { readonly message: string; readonly nextStep?: string };
    if (nextStep === '' && !isLost(error)) throw error;
    return [failed(SERVER, { found: withoutFullStop(message), expected: 'a server that answers', nextStep })];
  }
  return [
    checkServer(where, look),
    ...checkEncryption(look),
    checkClock(look),
    checkRights(look),
    ...checkRecords(look),
    ...(lost === undefined ? [] : [checkTables(lost)]),
  ];
}

function lostTables(url: string, waitMs: number): Promise<LostTables> {
  return withClient(url, waitMs, (client) =>
    lookAtTables(async (sql) => (await client.query<{ name: string }>(sql)).rows.map(({ name }) => name)),
  );
}

function checkTables({ tables, views }: LostTables): StoreCheck {
  const expected = 'all tables and views that the records name';
  const lost = tables.concat(views.map((view) => `view ${view}`));
  if (lost.length === 0) return ok('tables', { found: 'complete', expected });
  const found = `lost: ${lost[0]}${lost.length === 1 ? '' : `, and ${lost.length - 1} more`}`;
  const nextStep =
    tables.length > 0
      ? 'Restore the complete database again, with all its schemas (docs/scale-out.md).'
      : 'Run pacekeeper publish. If it fails, drop the view that it names, and run it again.';
  return failed('tables', { found, expected, nextStep });
}

function failedPast({ message, nextStep = '' }: InputError): StoreCheck {
  const expected = 'a database with all runs of the data folder';
  return failed('past runs', { found: withoutFullStop(message), expected, nextStep });
}

function checkServer(where: string, { version, isReadOnly }: DatabaseLook): StoreCheck {
  const least = VERSION_MIN / 10_000;
  const found = `${where}, PostgreSQL ${version}${isReadOnly ? ', read-only' : ''}`;
  const expected = `PostgreSQL ${least} or newer that takes writes`;
  if (version < least) return failed(SERVER, { found, expected, nextStep: 'Update the server, or use another one.' });
  const nextStep = 'Name the primary server in store.url, not a standby.';
  return isReadOnly ? failed(SERVER, { found, expected, nextStep }) : ok(SERVER, { found, expected });
}

function checkEncryption({ isEncrypted }: DatabaseLook): StoreCheck[] {
  if (isEncrypted === undefined) return [];
  const expected = 'encrypted connections to another machine';
  if (isEncrypted) return [ok('encryption', { found: 'on', expected })];
  return [
    warning('encryption', {
      found: 'off',
      expected,
      nextStep: 'Set ?sslmode=verify-full in store.url, unless you trust the whole network.',
    }),
  ];
}

function checkClock({ clockAheadMs }: DatabaseLook): StoreCheck {
  const seconds = Math.round(Math.abs(clockAheadMs) / 1000);
  const found = `${seconds} s ${clockAheadMs > 0 ? 'behind' : 'ahead of'} this machine`;
  const facts = { found, expected: `at most ${SHARED_CLOCK_OFF_MAX_MS / 1000} s apart` };
  const nextStep = 'Set the time of both machines by a time server (NTP).';
  const name = 'server clock';
  if (Math.abs(clockAheadMs) <= SHARED_CLOCK_OFF_MAX_MS) return ok(name, facts);
  return (Math.abs(clockAheadMs) <= CLOCK_OFF_MAX_MS ? warning : failed)(name, { ...facts, nextStep });
}

function checkRights({ lacking }: DatabaseLook): StoreCheck {
  const expected = 'a user who may create tables and write records';
  if (lacking.length === 0) return ok('rights', { found: 'complete', expected });
  const more = lacking.length === 1 ? '' : `, and ${lacking.length - 1} more`;
  return failed('rights', {
    found: `the user may not ${lacking[0]}${more}`,
    expected,
    nextStep: RIGHTS,
  });
}

/** Not shown to a user from whom the server hides tables. */
function checkRecords({ records, lacking, foreignOwner, isCopied }: DatabaseLook): StoreCheck[] {
  if (lacking.length > 0) return [];
  const name = 'records';
  const expected = 'intact tables of this version';
  if (isCopied) {
    const found = 'a copy of another database, or restored from a dump';
    const nextStep = 'Expect the next command to freeze budgets (docs/scale-out.md).';
    return [warning(name, { found, expected: 'the database in which pacekeeper made them', nextStep })];
  }
  switch (records.kind) {
    case 'whole':
      return [ok(name, { found: `version ${shortVersion(records.version)}, intact`, expected })];
    case 'none':
      return [missing(name, { found: 'no tables', expected, nextStep: 'Run pacekeeper report to create them.' })];
    case 'older': {
      const nextStep = upgradeStep(foreignOwner);
      return [warning(name, { found: `version ${shortVersion(records.version)}`, expected, nextStep })];
    }
    case 'newer': {
      const nextStep = 'Update pacekeeper, or name another database in store.url.';
      const found = `written by a newer version (${shortVersion(records.version)})`;
      return [failed(name, { found, expected, nextStep })];
    }
    case 'damaged': {
      const altered = records.ofRecord ? '. Somebody may have altered the record of budget changes' : '';
      const restore = 'Restore the database with the tools of PostgreSQL.';
      const nextStep = records.ofRecord ? `Run pacekeeper audit verify. ${restore}` : restore;
      return [failed(name, { found: `damaged: ${records.words}${altered}`, expected, nextStep })];
    }
  }
}

/** Waits for a run like a run does, and then throws `BusyError`. `refuse` is called before older tables are changed. */
export async function upgradeDatabase(
  url: string,
  place: Pick<Engine, 'place' | 'another'>,
  deps: FolderDeps,
  refuse: () => Promise<void> = async () => undefined,
): Promise<void> {
  if (!(await isOlderDatabase(url, WAIT_MS))) return;
  await refuse();
  const taken = { ...place, acquireRunLock: (command: string, since: string) => acquireRunLock(url, command, since) };
  const lock = await takeFolder(taken, { ...deps, followsRun: false }, UPGRADE);
  try {
    await upgradeTables({ url, waitMs: WAIT_MS, fence: lock.fence, log: deps.log });
  } finally {
    await lock.release();
  }
}
