import { describe, expect, it } from 'vitest';
import type { Settings } from '../../src/config/settings.ts';
import { type CustomerId, customerId } from '../../src/domain/ids.ts';
import { micros } from '../../src/domain/micros.ts';
import type { App } from '../../src/engine/app.ts';
import { noteWidened } from '../../src/engine/recorded-run.ts';
import { startRun } from '../../src/storage/records/runs/run-table.ts';
import { freshStore, NOW_MS } from '../support/state.ts';

const A = customerId('1234567890');
const B = customerId('2345678901');

type Account = Partial<NonNullable<ReturnType<Settings['accounts']['get']>>>;

type Bounds = Pick<Settings['automation'], 'mode'> &
  Pick<Settings['ads'], 'customerIds' | 'excludeCustomerIds'> & {
    readonly changes: number;
    readonly accounts: ReadonlyMap<CustomerId, Account>;
  };

const BOUNDS: Bounds = {
  mode: 'approve',
  changes: 20,
  accounts: new Map([[A, { dailyTotal: micros(500n), dailyExposure: micros(900n) }]]),
  customerIds: [A],
  excludeCustomerIds: [B],
};

/** What two runs, one after the other, wrote down; each with its settings. */
async function widened(...runs: readonly Partial<Bounds>[]): Promise<unknown[]> {
  const state = await freshStore();
  for (const run of runs) {
    const { changes, mode, accounts, ...ads } = { ...BOUNDS, ...run };
    const settings = { accounts, ads, automation: { mode, changesPerRun: changes } } as unknown as Settings;
    const about = {
      command: 'report',
      target: 'sandbox',
      targetKind: 'sandbox' as const,
      mode,
      dryRun: false,
      nowMs: NOW_MS,
    };
    const id = await startRun(state.db, about);
    await noteWidened({ state, settings, clock: { now: () => NOW_MS } } as unknown as App, id);
  }
  const details = state.connection.prepare("SELECT detail FROM budget_event WHERE kind = 'settings_widened'").pluck();
  return details.all().flatMap((detail) => (JSON.parse(String(detail)) as { settings: unknown[] }).settings);
}

describe('a run with other settings than the run before', () => {
  it.each<[string, Partial<Bounds>, string, string, string | null]>([
    ['a rule may go further', { mode: 'apply' }, 'automation.mode', 'approve', 'apply'],
    ['a run may change more budgets', { changes: 21 }, 'automation.changes_per_run', '20', '21'],
    [
      'an account may spend more',
      { accounts: new Map([[A, { dailyTotal: micros(501n), dailyExposure: micros(900n) }]]) },
      'accounts.1234567890.daily_total',
      '500',
      '501',
    ],
    [
      'an account no longer has a limit',
      { accounts: new Map([[A, { dailyTotal: micros(500n) }]]) },
      'accounts.1234567890.daily_exposure',
      '900',
      null,
    ],
    ['another account is read', { customerIds: [A, B] }, 'ads.customer_ids', A, `${A},${B}`],
    ['all accounts are read', { customerIds: [] }, 'ads.customer_ids', A, null],
    ['an account is no longer excluded', { excludeCustomerIds: [] }, `ads.exclude_customer_ids.${B}`, 'excluded', null],
  ])('records that %s', async (_words, bounds, setting, before, now) => {
    expect(await widened({}, bounds, bounds)).toEqual([{ setting, before, now }]);
  });

  it.each<[string, Partial<Bounds>]>([
    ['the same settings', {}],
    ['a narrower mode', { mode: 'propose' }],
    ['fewer changes', { changes: 1 }],
    ['lower limits', { accounts: new Map([[A, { dailyTotal: micros(1n), dailyExposure: micros(1n) }]]) }],
    ['a limit for one more account', { accounts: new Map([...BOUNDS.accounts, [B, { dailyTotal: micros(1n) }]]) }],
    ['another excluded account', { excludeCustomerIds: [A, B] }],
  ])('records nothing for %s', async (_words, bounds) => {
    expect(await widened({}, bounds)).toEqual([]);
  });

  it('records nothing if it is the first run', async () => {
    expect(await widened({ mode: 'apply' })).toEqual([]);
  });
});
