import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { inject, onTestFinished } from 'vitest';
import { budgetId, campaignId, customerId } from '../../src/domain/ids.ts';
import { micros } from '../../src/domain/micros.ts';
import { civilDate } from '../../src/domain/parse-civil-date.ts';
import {
  type Intent,
  type IntentStep,
  insertIntent,
  moveIntent,
  type NewIntent,
} from '../../src/storage/records/budgets/intent-table.ts';
import { openPostgres } from '../../src/storage/records/postgres/open-records.ts';
import { LOCK_SPACE, WRITER_LOCK } from '../../src/storage/records/postgres/postgres-driver.ts';
import { type RunStart, startRun } from '../../src/storage/records/runs/run-table.ts';
import { openState, type StateFile } from '../../src/storage/records/sqlite/open-state.ts';
import { postgresWarehouse } from '../../src/storage/warehouse/postgres/postgres-warehouse.ts';
import { sqliteWarehouse } from '../../src/storage/warehouse/sqlite/sqlite-warehouse.ts';
import type { Store } from '../../src/storage/warehouse/store.ts';
import { type Look, lookAt } from './look.ts';
import { dropDatabase, freshDatabase } from './postgres-server.ts';
import { tempDir } from './temp-dir.ts';

export const NOW_MS = Date.parse('2026-11-20T12:00:00Z');

/** What a state file holds that nobody has used: making its tables takes longer than most tests. */
let unused: Promise<Buffer> | undefined;

/** The caller removes it. */
const newFolder = () => mkdtempSync(join(tmpdir(), 'pacekeeper-test-'));

async function makeUnused(): Promise<Buffer> {
  const state = await openState(join(newFolder(), 'state.sqlite'));
  const content = state.connection.serialize();
  await state.close();
  rmSync(dirname(state.path), { recursive: true });
  return content;
}

/** Puts a state file with empty tables into that folder where there is none, and returns its path. */
export async function putUnusedState(folder: string): Promise<string> {
  const path = join(folder, 'state.sqlite');
  unused ??= makeUnused();
  mkdirSync(folder, { recursive: true });
  if (!existsSync(path)) writeFileSync(path, await unused, { mode: 0o600 });
  return path;
}

/** A state file with the tables of its queries, as a command opens it. */
export type OpenedState = StateFile & Store;

export async function openedState(path: string): Promise<OpenedState> {
  const state = await openState(path);
  return { ...state, warehouse: sqliteWarehouse(state) };
}

/** A state file in that folder, made where there is none; the caller closes it. */
export async function stateIn(folder: string): Promise<OpenedState> {
  return openedState(await putUnusedState(folder));
}

/** A state file of the test's own, or one more connection to it. */
export async function freshState(path?: string): Promise<OpenedState> {
  const state = await (path === undefined ? stateIn(tempDir()) : openedState(path));
  onTestFinished(() => state.close());
  return state;
}

/** What differs between the projects `sqlite` and `postgres`. */
export function byEngine<Value>(values: { readonly sqlite: Value; readonly postgres: Value }): Value {
  return inject('postgres') === undefined ? values.sqlite : values.postgres;
}

/** A store on the engine of the project. */
export interface AnyStore extends Store {
  /** For tests: the path of the file, or the address of the database. */
  readonly place: string;
  readonly connection: Look;
}

let nextDatabase: Promise<string> | undefined;

/** Made while the test before works with another one. */
function unusedDatabase(copied: string): Promise<string> {
  const made = nextDatabase ?? freshDatabase(copied);
  nextDatabase = freshDatabase(copied);
  // The last one may be too late.
  nextDatabase.catch(() => undefined);
  return made;
}

/** A place for a store with empty tables. The caller removes it. */
export async function freshPlace(): Promise<string> {
  const empty = inject('postgres');
  if (empty !== undefined) return unusedDatabase(empty);
  return putUnusedState(newFolder());
}

/** The caller closes it. */
export async function storeAt(place: string, waitMs = 5000): Promise<AnyStore> {
  if (inject('postgres') === undefined) {
    const state = await openState(place, waitMs);
    state.connection.pragma('synchronous = OFF');
    return { ...state, warehouse: sqliteWarehouse(state), place };
  }
  const state = await openPostgres({ url: place, waitMs: Math.max(waitMs, 1) });
  return { ...state, warehouse: postgresWarehouse(state), place, connection: lookAt(place) };
}

/** Another process writes until the answer is called. */
export function writerAt(place: string): () => void {
  const begin = byEngine({
    sqlite: 'BEGIN IMMEDIATE',
    postgres: `BEGIN; SELECT pg_advisory_xact_lock(${LOCK_SPACE}, ${WRITER_LOCK})`,
  });
  const other = inject('postgres') === undefined ? new Database(place) : lookAt(place);
  other.exec(begin);
  return () => {
    other.exec('COMMIT');
    other.close();
  };
}

export async function removePlace(place: string): Promise<void> {
  if (inject('postgres') === undefined) rmSync(dirname(place), { recursive: true, force: true });
  else await dropDatabase(place);
}

/** A store of the test's own, or one more connection to it. */
export async function freshStore(place?: string, waitMs?: number): Promise<AnyStore> {
  const own = place ?? (await freshPlace());
  const state = await storeAt(own, waitMs);
  onTestFinished(async () => {
    await state.close();
    if (place === undefined) await removePlace(own);
  });
  return state;
}

const RUN: RunStart = {
  command: 'report',
  target: 'sandbox (seed 1)',
  targetKind: 'sandbox',
  mode: 'apply',
  dryRun: false,
  nowMs: NOW_MS,
};

export function beginRun(db: Store['db'], other: Partial<RunStart> = {}): Promise<bigint> {
  return startRun(db, { ...RUN, ...other });
}

/** A budget of 40.00 EUR that a rule cuts to 34.00 EUR. */
export function someIntent(other: Partial<NewIntent> = {}): NewIntent {
  return {
    kind: 'rule',
    origin: other.kind === 'undo' ? 'undo' : 'rule',
    undoes: undefined,
    actor: 'rule trim@1f2e3d4c5b6a',
    customerId: customerId('1234567890'),
    budgetId: budgetId('201'),
    campaignId: campaignId('21'),
    campaignName: 'Trail Shoes',
    accountDay: civilDate('2026-11-20'),
    currency: 'EUR',
    rule: 'trim',
    ruleVersion: '1f2e3d4c5b6a',
    from: micros(40_000_000n),
    to: micros(34_000_000n),
    amountSource: 'read',
    declared: undefined,
    floor: micros(5_000_000n),
    ceiling: micros(200_000_000n),
    reason: 'cost / clicks = 2.71 > 2.50',
    ...other,
  };
}

/** An intent that has gone through the steps, a second each. */
export async function intentAfter(
  { db }: Pick<Store, 'db'>,
  steps: readonly IntentStep['to'][],
  other: Partial<NewIntent> = {},
): Promise<Intent> {
  let intent = await insertIntent(db, undefined, someIntent(other), NOW_MS);
  if (intent === undefined) throw new Error('The budget has its change of the day.');
  for (const [index, to] of steps.entries()) {
    intent = await moveIntent(db, intent, { to }, NOW_MS + (index + 1) * 1000);
  }
  return intent;
}

export const APPLIED = ['validated', 'sending', 'applied'] as const;
export const UNKNOWN = ['validated', 'sending', 'unknown'] as const;

/** The columns of a proposal that only suggestions of agents fill. */
export const OF_RULE = {
  maker: 'rule',
  agentKey: undefined,
  requestSha256: undefined,
  evidence: undefined,
  asOf: undefined,
} as const;
