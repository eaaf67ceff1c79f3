import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { budgetId, campaignId, customerId } from '../../src/domain/ids.ts';
import { micros } from '../../src/domain/micros.ts';
import { civilDate } from '../../src/domain/parse-civil-date.ts';
import {
  type Intent,
  type IntentStep,
  insertIntent,
  moveIntent,
  type NewIntent,
} from '../../src/store/budgets/intent-table.ts';
import { openState, type StateFile } from '../../src/store/sqlite/open-state.ts';
import { sqliteWarehouse } from '../../src/warehouse/sqlite/sqlite-warehouse.ts';
import type { Store } from '../../src/warehouse/store.ts';
import { tempDir } from './temp-dir.ts';

export const NOW_MS = Date.parse('2026-11-20T12:00:00Z');

/** What a state file holds that nobody has used: making its tables takes longer than most tests. */
let unused: Promise<Buffer> | undefined;

async function makeUnused(): Promise<Buffer> {
  const state = await openState(join(tempDir(), 'state.sqlite'));
  const content = state.connection.serialize();
  await state.close();
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
  { db }: Pick<StateFile, 'db'>,
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
